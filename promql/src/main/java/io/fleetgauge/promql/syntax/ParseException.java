package io.fleetgauge.promql.syntax;

import io.fleetgauge.promql.expr.TextSpan;

/** A query that is not PromQL; the message begins with line and column. */
public final class ParseException extends Exception {
  private static final long serialVersionUID = 1L;

  ParseException(String query, TextSpan span, String message) {
    super(span.position(query) + ": parse error: " + message);
  }

  private ParseException(String message) {
    super(message);
  }

  static ParseException nowhere(String message) {
    return new ParseException("unknown position: parse error: " + message);
  }
}
