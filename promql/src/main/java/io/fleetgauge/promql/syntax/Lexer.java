package io.fleetgauge.promql.syntax;

import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.promql.expr.InvalidUtf8;
import io.fleetgauge.promql.expr.TextSpan;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Cuts a query into tokens. One pass, no look-back but for brackets. */
final class Lexer {
  /** Longest query, UTF-16 units. */
  static final int MAX_LENGTH = 1 << 19;

  private static final String[] SYMBOLS = {
    "=~", "!~", "==", "!=", "<=", ">=", "(", ")", "{", "}", "[", "]", ",", ":", "@", "=", "<", ">",
    "+", "-", "*", "/", "%", "^"
  };

  private final String query;
  private final List<Token> tokens = new ArrayList<>();
  private int at;
  private boolean inBraces;
  private boolean inBrackets;
  private int openParentheses;

  private Lexer(String query) {
    this.query = query;
  }

  static List<Token> tokens(String query) throws ParseException {
    if (query.length() > MAX_LENGTH) {
      throw ParseException.nowhere(
          "the query has " + query.length() + " characters, allowed are " + MAX_LENGTH);
    }
    return new Lexer(query).run();
  }

  private List<Token> run() throws ParseException {
    while (true) {
      skipBlank();
      if (at == query.length()) {
        if (inBraces) {
          throw error(at, "unexpected end of input inside braces");
        }
        String unclosed =
            inBrackets
                ? "unclosed left bracket"
                : openParentheses > 0 ? "unclosed left parenthesis" : "";
        tokens.add(new Token(Token.Kind.END, unclosed, 0, new TextSpan(at, at)));
        return tokens;
      }
      char c = query.charAt(at);
      if (c == '"' || c == '\'' || c == '`') {
        string(c);
      } else if (isDigit(c)
          || c == '.' && at + 1 < query.length() && isDigit(query.charAt(at + 1))) {
        number();
      } else if (isLetter(c) || c == ':' && !inBraces && !inBrackets) {
        word();
      } else {
        symbol(c);
      }
    }
  }

  private void skipBlank() {
    while (at < query.length()) {
      char c = query.charAt(at);
      if (c == '#') {
        while (at < query.length() && query.charAt(at) != '\n') {
          at++;
        }
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        at++;
      } else {
        return;
      }
    }
  }

  private void symbol(char first) throws ParseException {
    for (String symbol : SYMBOLS) {
      if (query.startsWith(symbol, at)) {
        switch (symbol) {
          case "{" -> inBraces = true;
          case "}" -> inBraces = false;
          case "[" -> inBrackets = true;
          case "]" -> inBrackets = false;
          case "(" -> openParentheses++;
          case ")" -> openParentheses--;
          default -> {}
        }
        tokens.add(new Token(Token.Kind.SYMBOL, symbol, 0, new TextSpan(at, at + symbol.length())));
        at += symbol.length();
        return;
      }
    }
    throw error(
        at,
        "unexpected character" + (inBraces ? " inside braces" : "") + ": '" + shown(first) + "'");
  }

  private String shown(char first) {
    return Character.isHighSurrogate(first) && at + 1 < query.length()
        ? query.substring(at, at + 2)
        : String.valueOf(first);
  }

  private void word() {
    int from = at;
    while (at < query.length() && isWordPart(query.charAt(at))) {
      at++;
    }
    tokens.add(new Token(Token.Kind.WORD, query.substring(from, at), 0, new TextSpan(from, at)));
  }

  private boolean isWordPart(char c) {
    return isLetter(c) || isDigit(c) || c == ':' && !inBraces && !inBrackets;
  }

  private void number() throws ParseException {
    int from = at;
    boolean hex = query.startsWith("0x", at) || query.startsWith("0X", at);
    while (at < query.length()) {
      char c = query.charAt(at);
      boolean sign =
          (c == '+' || c == '-')
              && !hex
              && at > from
              && (query.charAt(at - 1) == 'e' || query.charAt(at - 1) == 'E');
      if (!isLetter(c) && !isDigit(c) && c != '.' && !sign) {
        break;
      }
      at++;
    }
    String text = query.substring(from, at);
    TextSpan span = new TextSpan(from, at);
    // Before durations, because "0" is both.
    double number = NumberLiteral.parse(text);
    if (!Double.isNaN(number)) {
      tokens.add(new Token(Token.Kind.NUMBER, text, number, span));
      return;
    }
    long millis = Durations.parse(text);
    if (millis == Durations.NONE) {
      throw error(from, "bad number or duration syntax: \"" + text + "\"");
    }
    tokens.add(new Token(Token.Kind.DURATION, text, millis, span));
  }

  private void string(char quote) throws ParseException {
    int from = at++;
    // Escapes name bytes, so the content is gathered as bytes and read as UTF-8 at its end.
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    while (true) {
      if (at >= query.length() || query.charAt(at) == '\n' && quote != '`') {
        throw error(from, "unterminated " + (quote == '`' ? "raw" : "quoted") + " string");
      }
      int c = query.codePointAt(at);
      if (c == quote) {
        at++;
        break;
      }
      if (c == '\\' && quote != '`') {
        escape(quote, content);
      } else {
        at += Character.charCount(c);
        if (c != '\r' || quote != '`') {
          content.writeBytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
        }
      }
    }
    String text = InvalidUtf8.decode(content.toByteArray());
    tokens.add(new Token(Token.Kind.STRING, text, 0, new TextSpan(from, at)));
  }

  private void escape(char quote, ByteArrayOutputStream content) throws ParseException {
    int from = at;
    char kind = at + 1 < query.length() ? query.charAt(at + 1) : ' ';
    at += 2;
    switch (kind) {
      case 'a' -> content.write(7);
      case 'b' -> content.write('\b');
      case 'f' -> content.write('\f');
      case 'n' -> content.write('\n');
      case 'r' -> content.write('\r');
      case 't' -> content.write('\t');
      case 'v' -> content.write(11);
      case '\\' -> content.write('\\');
      case 'x' -> content.write(digits(from, 2, 16, 0xff));
      case 'u' -> codePoint(from, 4, content);
      case 'U' -> codePoint(from, 8, content);
      case '0', '1', '2', '3', '4', '5', '6', '7' -> {
        at--;
        content.write(digits(from, 3, 8, 0xff));
      }
      default -> {
        if (kind != quote) {
          throw error(from, "unknown escape sequence \\" + kind);
        }
        content.write(quote);
      }
    }
  }

  private void codePoint(int from, int count, ByteArrayOutputStream content) throws ParseException {
    int point = digits(from, count, 16, Character.MAX_CODE_POINT);
    if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
      throw error(from, "escape sequence is an invalid Unicode code point");
    }
    content.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
  }

  private int digits(int from, int count, int radix, int max) throws ParseException {
    long value = 0;
    for (int i = 0; i < count; i++, at++) {
      int digit = at < query.length() ? Character.digit(query.charAt(at), radix) : -1;
      if (digit < 0 || query.charAt(at) > 'f') {
        throw error(from, "illegal character in escape sequence");
      }
      value = value * radix + digit;
    }
    if (value > max) {
      throw error(from, "escape sequence is out of range");
    }
    return (int) value;
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private ParseException error(int position, String message) {
    return new ParseException(query, new TextSpan(position, at), message);
  }
}
