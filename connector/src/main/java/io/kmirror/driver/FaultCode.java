package io.kmirror.driver;

import java.util.Locale;

/** Why a lane gives up, for programs; {@code kmirror/pipeline/desk.py} has the same. */
public enum FaultCode {
  /** A newer driver owns the flow. */
  FENCED;

  /** As the driver is told. */
  public final String code;

  FaultCode() {
    this.code = name().toLowerCase(Locale.ROOT);
  }
}
