package io.fleetgauge.promql.expr;

/**
 * Where a part of a query stands in its text: from the first UTF-16 unit to one past the last.
 *
 * <p>All spans are equal to each other, so that the equality of expressions is that of their
 * meaning.
 */
public record TextSpan(int start, int end) {
  /** For expressions that no text was parsed for. */
  public static final TextSpan NONE = new TextSpan(0, 0);

  @Override
  public boolean equals(Object other) {
    return other instanceof TextSpan;
  }

  @Override
  public int hashCode() {
    return 0;
  }

  /** {@code line:column} of the start, columns in UTF-8 bytes from 1, as Prometheus counts. */
  public String position(String query) {
    return position(query, start);
  }

  public static String position(String query, int at) {
    int line = 1;
    int lineStart = 0;
    for (int i = 0; i < Math.min(at, query.length()); i++) {
      if (query.charAt(i) == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    String before = query.substring(lineStart, Math.min(at, query.length()));
    int column = before.getBytes(java.nio.charset.StandardCharsets.UTF_8).length + 1;
    return line + ":" + column;
  }
}
