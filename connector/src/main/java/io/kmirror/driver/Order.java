package io.kmirror.driver;

/**
 * The driver's word on a flow.
 *
 * @param generation of the flow
 * @param version of its newest plan, or STOP
 * @param limits how fast its lanes may read, as {@code kmirror/plans/limits.py} writes it; "" for no limit
 */
public record Order(long generation, long version, String limits) {
  /** No plan is new enough: lanes close. */
  public static final long STOP = Long.MAX_VALUE;

  /** Before anything was ordered. */
  static final Order NONE = new Order(0, 0, "");

  boolean isStop() {
    return version == STOP;
  }

  /** As it travels: the JDK's own classes only. */
  public Object[] parts() {
    return new Object[] {generation, version, limits};
  }

  static Order of(Object[] parts) {
    return new Order((Long) parts[0], (Long) parts[1], (String) parts[2]);
  }
}
