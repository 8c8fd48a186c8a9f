package io.kmirror.driver;

/**
 * Why a partition stands still.
 *
 * @param kind for programs
 * @param message for people
 * @param at the offset of which it speaks, of the side of which it speaks; -1 for none
 */
public record Parking(String kind, String message, long at) {
  private static final long UNKNOWN_OFFSET = -1;

  public Parking(String kind, String message) {
    this(kind, message, UNKNOWN_OFFSET);
  }
}
