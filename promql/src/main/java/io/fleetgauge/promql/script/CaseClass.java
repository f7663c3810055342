package io.fleetgauge.promql.script;

/** What a case needs of an evaluator. */
public enum CaseClass {
  /** Numbers, and the stable language. */
  FLOAT("float"),
  /** Numbers, and something that is experimental. */
  EXPERIMENTAL("experimental"),
  /** It touches a native histogram. */
  NATIVE_HISTOGRAM("native histogram");

  public final String text;

  CaseClass(String text) {
    this.text = text;
  }
}
