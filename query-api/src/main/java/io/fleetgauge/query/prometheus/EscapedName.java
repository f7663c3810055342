package io.fleetgauge.query.prometheus;

import io.fleetgauge.promql.query.QueryFailure;

/** Names of labels in paths, where Prometheus lets clients escape any character. */
final class EscapedName {
  private static final String ESCAPED = "U__";

  private EscapedName() {}

  /**
   * Unescapes a name: after {@code U__}, {@code __} stands for _ and {@code _HEX_} for any
   * character.
   *
   * @throws QueryFailure if it is no name
   */
  static String unescaped(String name) throws QueryFailure {
    if (!name.startsWith(ESCAPED)) {
      return checked(name);
    }
    StringBuilder unescaped = new StringBuilder();
    int at = ESCAPED.length();
    while (at < name.length()) {
      char each = name.charAt(at);
      if (each != '_') {
        unescaped.append(each);
        at++;
      } else if (name.startsWith("__", at)) {
        unescaped.append('_');
        at += 2;
      } else {
        int end = name.indexOf('_', at + 1);
        // As in Prometheus, a name with a wrong escape is the name itself.
        if (end < 0 || !name.substring(at + 1, end).matches("[0-9a-fA-F]{1,6}")) {
          return checked(name);
        }
        int character = Integer.parseInt(name.substring(at + 1, end), 16);
        if (!Character.isValidCodePoint(character)) {
          return checked(name);
        }
        unescaped.appendCodePoint(character);
        at = end + 1;
      }
    }
    return checked(unescaped.toString());
  }

  private static String checked(String name) throws QueryFailure {
    if (name.isEmpty() || name.indexOf('\ufffd') >= 0) {
      throw new QueryFailure(QueryFailure.Kind.BAD_DATA, "invalid label name: \"" + name + "\"");
    }
    return name;
  }
}
