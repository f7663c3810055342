package io.fleetgauge.query.rules.template;

import java.util.OptionalInt;

/** Go's quoted strings and characters. */
final class Quoted {
  private Quoted() {}

  /** As Go's {@code %q} writes a string. */
  static String of(String text) {
    StringBuilder out = new StringBuilder("\"");
    text.codePoints().forEach(c -> append(out, c, '"', false));
    return out.append('"').toString();
  }

  /** As Go's {@code %+q}: all but ASCII escaped. */
  static String ascii(String text) {
    StringBuilder out = new StringBuilder("\"");
    text.codePoints().forEach(c -> append(out, c, '"', true));
    return out.append('"').toString();
  }

  /** As Go's {@code %q} writes a character. */
  static String character(int c) {
    StringBuilder out = new StringBuilder("'");
    append(out, Character.isValidCodePoint(c) ? c : 0xfffd, '\'', false);
    return out.append('\'').toString();
  }

  private static void append(StringBuilder out, int c, char quote, boolean ascii) {
    switch (c) {
      case 7 -> out.append("\\a");
      case '\b' -> out.append("\\b");
      case '\f' -> out.append("\\f");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      case 11 -> out.append("\\v");
      case '\\' -> out.append("\\\\");
      default -> {
        if (c == quote) {
          out.append('\\').append(quote);
        } else if (c < 0x80 ? c >= 0x20 && c != 0x7f : !ascii && isPrint(c)) {
          out.appendCodePoint(c);
        } else if (c < 0x80) {
          out.append(String.format("\\x%02x", c));
        } else {
          out.append(c < 0x10000 ? String.format("\\u%04x", c) : String.format("\\U%08x", c));
        }
      }
    }
  }

  /** As Go's {@code unicode.IsPrint}. */
  static boolean isPrint(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      case Character.SPACE_SEPARATOR -> c == ' ';
      default -> true;
    };
  }

  /** What a literal in quotes or backquotes says; null if it is wrong. */
  static String unquote(String literal) {
    char quote = literal.charAt(0);
    String inside = literal.substring(1, literal.length() - 1);
    if (quote == '`') {
      return inside.replace("\r", "");
    }
    return new Reader(inside, quote).all();
  }

  /** The character of a literal in single quotes; empty if it is wrong. */
  static OptionalInt unquoteCharacter(String literal) {
    if (literal.length() < 3) {
      return OptionalInt.empty();
    }
    Reader reader = new Reader(literal.substring(1, literal.length() - 1), '\'');
    int c = reader.next();
    return c >= 0 ? OptionalInt.of(c) : OptionalInt.empty();
  }

  /** Reads escapes; bytes that are written as such are taken together as UTF-8. */
  private static final class Reader {
    private final String text;
    private final char quote;
    private int at;
    private boolean rawByte;

    Reader(String text, char quote) {
      this.text = text;
      this.quote = quote;
    }

    String all() {
      java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
      while (at < text.length()) {
        int c = next();
        if (c < 0) {
          return null;
        }
        if (rawByte) {
          bytes.write(c);
        } else {
          bytes.writeBytes(
              new String(Character.toChars(c)).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
      }
      return bytes.toString(java.nio.charset.StandardCharsets.UTF_8);
    }

    /** The next character, -1 if it is wrong. */
    int next() {
      rawByte = false;
      int c = text.codePointAt(at);
      at += Character.charCount(c);
      if (c == quote || c == '\n') {
        return -1;
      }
      if (c != '\\') {
        return c;
      }
      if (at == text.length()) {
        return -1;
      }
      char kind = text.charAt(at++);
      return switch (kind) {
        case 'a' -> 7;
        case 'b' -> '\b';
        case 'f' -> '\f';
        case 'n' -> '\n';
        case 'r' -> '\r';
        case 't' -> '\t';
        case 'v' -> 11;
        case '\\' -> '\\';
        case '\'', '"' -> kind == quote ? kind : -1;
        case 'x' -> number(2, 16, true);
        case 'u' -> number(4, 16, false);
        case 'U' -> number(8, 16, false);
        case '0', '1', '2', '3', '4', '5', '6', '7' -> {
          at--;
          int value = number(3, 8, true);
          yield value > 255 ? -1 : value;
        }
        default -> -1;
      };
    }

    private int number(int digits, int radix, boolean isByte) {
      if (at + digits > text.length()) {
        return -1;
      }
      long value = 0;
      for (int i = 0; i < digits; i++) {
        int digit = Character.digit(text.charAt(at++), radix);
        if (digit < 0) {
          return -1;
        }
        value = value * radix + digit;
      }
      rawByte = isByte;
      boolean valid = isByte || value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
      return valid ? (int) value : -1;
    }
  }
}
