package io.fleetgauge.sample.prometheus;

import java.util.Arrays;
import java.util.Optional;

/**
 * The forms in which names with characters that were not allowed before Prometheus 3 are written
 * for a reader. A scraper asks for one of these in its Accept header.
 *
 * @see <a href="https://prometheus.io/docs/instrumenting/escaping_schemes/">Escaping schemes</a>
 */
public enum NameEscaping {
  /** Each such character becomes an underscore. */
  UNDERSCORES("underscores"),

  /** Names keep all characters and are quoted. */
  ALLOW_UTF_8("allow-utf-8"),

  /** A dot becomes {@code _dot_}, an underscore and every other such character two underscores. */
  DOTS("dots"),

  /** Such a character becomes its code point in hexadecimal digits between underscores. */
  VALUES("values");

  private final String parameter;

  NameEscaping(String parameter) {
    this.parameter = parameter;
  }

  /** The value of the parameter {@code escaping} in headers. */
  public String parameter() {
    return parameter;
  }

  /** The scheme of a parameter; empty if there is no such scheme. */
  public static Optional<NameEscaping> of(String parameter) {
    return Arrays.stream(values()).filter(each -> each.parameter.equals(parameter)).findFirst();
  }

  /**
   * A name as this scheme writes it, without quotes. A name that needs no escaping stays as it is.
   *
   * @param colons whether the name may have colons, as those of metrics may
   */
  public String escaped(String name, boolean colons) {
    if (this == ALLOW_UTF_8 || name.isEmpty() || isPlain(name, colons)) {
      return name;
    }
    StringBuilder escaped = new StringBuilder(this == VALUES ? "U__" : "");
    int at = 0;
    while (at < name.length()) {
      int each = name.codePointAt(at);
      switch (this) {
        case UNDERSCORES -> escaped.appendCodePoint(isPlain(each, at, colons) ? each : '_');
        case DOTS -> {
          if (each == '.') {
            escaped.append("_dot_");
          } else if (each != '_' && isPlain(each, at, colons)) {
            escaped.appendCodePoint(each);
          } else {
            escaped.append("__");
          }
        }
        case VALUES -> {
          if (each == '_') {
            escaped.append("__");
          } else if (isPlain(each, at, colons)) {
            escaped.appendCodePoint(each);
          } else {
            escaped.append('_').append(Integer.toHexString(each)).append('_');
          }
        }
        case ALLOW_UTF_8 -> throw new AssertionError();
      }
      at += Character.charCount(each);
    }
    return escaped.toString();
  }

  /** Returns true if a name has the characters that names had before they could have any. */
  static boolean isPlain(String name, boolean colons) {
    for (int i = 0; i < name.length(); i++) {
      if (!isPlain(name.charAt(i), i, colons)) {
        return false;
      }
    }
    return !name.isEmpty();
  }

  private static boolean isPlain(int each, int at, boolean colons) {
    return each >= 'a' && each <= 'z'
        || each >= 'A' && each <= 'Z'
        || each == '_'
        || colons && each == ':'
        || at > 0 && each >= '0' && each <= '9';
  }
}
