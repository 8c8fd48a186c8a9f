package io.kmirror;

/**
 * Why a partition stands still.
 *
 * @param kind for programs
 * @param message for people
 * @param at the offset of which it speaks, of the side of which it speaks; -1 for none
 */
record Parking(String kind, String message, long at) {
  Parking(String kind, String message) {
    this(kind, message, Failures.UNKNOWN_OFFSET);
  }
}
