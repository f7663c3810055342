package io.fleetgauge.promql.expr;

/** The type of an expression's value; {@link #text} is the word Prometheus uses. */
public enum ValueType {
  SCALAR("scalar", "scalar"),
  VECTOR("vector", "instant vector"),
  MATRIX("matrix", "range vector"),
  STRING("string", "string");

  /** The word of the HTTP API. */
  public final String text;

  /** The words of error messages. */
  public final String description;

  ValueType(String text, String description) {
    this.text = text;
    this.description = description;
  }
}
