package io.kmirror.driver;

/** Learns why a lane gives up, at once: a lane that is gone cannot be asked. */
public interface FaultSink {
  /**
   * @param kind for programs
   * @param message for people, or what the kind says it is
   */
  void fault(String kind, String message);
}
