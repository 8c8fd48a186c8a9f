package io.kmirror.driver;

/** Learns why a lane gives up, at once: a lane that is gone cannot be asked. */
public interface FaultSink {
  void fault(FaultCode code);
}
