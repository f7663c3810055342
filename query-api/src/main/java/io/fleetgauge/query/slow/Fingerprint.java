package io.fleetgauge.query.slow;

/** Form that queries share that differ only in label values, times and blanks. */
final class Fingerprint {
  /** Longer ones are cut. */
  static final int MAX_LENGTH = 2_000;

  private Fingerprint() {}

  static String of(String query) {
    StringBuilder out = new StringBuilder(Math.min(query.length(), MAX_LENGTH) + 1);
    int at = 0;
    while (at < query.length() && out.length() < MAX_LENGTH) {
      char c = query.charAt(at);
      if (c == '"' || c == '\'' || c == '`') {
        at = afterString(query, at);
        out.append("\"?\"");
      } else if (c == '#') {
        int end = query.indexOf('\n', at);
        at = end < 0 ? query.length() : end;
      } else if (c == '@') {
        out.append(c);
        at++;
        int number = skipBlanks(query, at);
        int end = number;
        while (end < query.length() && "0123456789.+-eE".indexOf(query.charAt(end)) >= 0) {
          end++;
        }
        if (end > number && Character.isDigit(query.charAt(end - 1))) {
          out.append(" ?");
          at = end;
        }
      } else if (isBlank(c)) {
        at = skipBlanks(query, at);
        if (!out.isEmpty() && at < query.length()) {
          out.append(' ');
        }
      } else {
        out.append(c);
        at++;
      }
    }
    return out.toString().strip();
  }

  private static int afterString(String query, int from) {
    char quote = query.charAt(from);
    int at = from + 1;
    while (at < query.length() && query.charAt(at) != quote) {
      at += query.charAt(at) == '\\' && quote != '`' ? 2 : 1;
    }
    return Math.min(query.length(), at + 1);
  }

  private static int skipBlanks(String query, int from) {
    int at = from;
    while (at < query.length() && isBlank(query.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
  }
}
