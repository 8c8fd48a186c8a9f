package io.kmirror.lane;

/** A newer driver owns the flow. Its owner entry, as found on the target, is the message. */
final class FencedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  FencedException(String owner) {
    super(owner);
  }
}
