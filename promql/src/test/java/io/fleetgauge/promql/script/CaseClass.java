package io.fleetgauge.promql.script;

/** The features that a case uses. */
public enum CaseClass {
  /** Floats and stable features. */
  FLOAT("float"),
  /** Floats and experimental features. */
  EXPERIMENTAL("experimental"),
  /** Native histograms. */
  NATIVE_HISTOGRAM("native histogram");

  public final String text;

  CaseClass(String text) {
    this.text = text;
  }
}
