package io.fleetgauge.query.prometheus;

import io.fleetgauge.promql.query.QueryFailure;

/** Names of labels in paths, where Prometheus lets clients escape any character. */
final class EscapedName {
  private static final String ESCAPED = "U__";

  private EscapedName() {}

  /**
   * The name that is meant: after {@code U__}, {@code __} stands for _ and {@code _HEX_} for any
   * character.
   *
   * @throws QueryFailure if it is no name
   */
  static String unescaped(String name) throws QueryFailure {
    if (!name.startsWith(ESCAPED)) {
      return checked(name);
    }
    StringBuilder meant = new StringBuilder();
    int at = ESCAPED.length();
    while (at < name.length()) {
      char each = name.charAt(at);
      if (each != '_') {
        meant.append(each);
        at++;
      } else if (name.startsWith("__", at)) {
        meant.append('_');
        at += 2;
      } else {
        int end = name.indexOf('_', at + 1);
        // What is not escaped well is taken as it stands, as Prometheus does.
        if (end < 0 || !name.substring(at + 1, end).matches("[0-9a-fA-F]{1,6}")) {
          return checked(name);
        }
        int character = Integer.parseInt(name.substring(at + 1, end), 16);
        if (!Character.isValidCodePoint(character)) {
          return checked(name);
        }
        meant.appendCodePoint(character);
        at = end + 1;
      }
    }
    return checked(meant.toString());
  }

  private static String checked(String name) throws QueryFailure {
    if (name.isEmpty() || name.indexOf('\ufffd') >= 0) {
      throw new QueryFailure(QueryFailure.Kind.BAD_DATA, "invalid label name: \"" + name + "\"");
    }
    return name;
  }
}
