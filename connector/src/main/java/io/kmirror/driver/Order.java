package io.kmirror.driver;

/**
 * The driver's word on a flow: plans older than *version* of that *generation* have to yield.
 *
 * @param generation of the flow
 * @param version of its plan, or STOP
 */
public record Order(long generation, long version) {
  /** No plan is new enough: lanes close. */
  public static final long STOP = Long.MAX_VALUE;
}
