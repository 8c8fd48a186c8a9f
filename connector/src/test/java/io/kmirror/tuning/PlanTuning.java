package io.kmirror.tuning;

/** The numbers that every plan carries, as Python gives them to whoever starts the tests. */
public final class PlanTuning {
  public static final Tuning TUNING = Tuning.parsed(System.getProperty("kmirror.tuning"));

  private PlanTuning() {}
}
