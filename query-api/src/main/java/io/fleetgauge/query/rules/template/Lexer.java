package io.fleetgauge.query.rules.template;

import io.fleetgauge.query.rules.template.Token.Kind;

/**
 * Cuts a template into tokens, as Go's text/template does.
 *
 * @see <a href="https://pkg.go.dev/text/template">text/template, parse/lex.go</a>
 */
final class Lexer {
  private static final int EOF = -1;
  private static final String DECIMAL = "0123456789_";
  private static final String HEX = "0123456789abcdefABCDEF_";

  private final String in;
  private int at;
  private int start;
  private int line = 1;
  private int startLine = 1;
  private int parens;
  private boolean inside;
  private boolean ended;
  private int lastWidth;

  Lexer(String in) {
    this.in = in;
  }

  /** The next token; the last one is {@link Kind#EOF} or {@link Kind#ERROR}, again and again. */
  Token next() {
    if (ended) {
      return new Token(Kind.EOF, at, "EOF", startLine);
    }
    return inside ? insideAction() : text();
  }

  // --- reading ---

  private int read() {
    if (at >= in.length()) {
      lastWidth = 0;
      return EOF;
    }
    int c = in.codePointAt(at);
    lastWidth = Character.charCount(c);
    at += lastWidth;
    if (c == '\n') {
      line++;
    }
    return c;
  }

  private int peek() {
    return at >= in.length() ? EOF : in.codePointAt(at);
  }

  private void backup() {
    if (lastWidth > 0) {
      at -= lastWidth;
      if (in.charAt(at) == '\n') {
        line--;
      }
      lastWidth = 0;
    }
  }

  private Token token(Kind kind) {
    Token token = new Token(kind, start, in.substring(start, at), startLine);
    ignore();
    return token;
  }

  /** Skips what was read. */
  private void ignore() {
    start = at;
    startLine = line;
  }

  private void countLines(int from, int to) {
    for (int i = from; i < to; i++) {
      line += in.charAt(i) == '\n' ? 1 : 0;
    }
  }

  private Token error(String message) {
    ended = true;
    return new Token(Kind.ERROR, start, message, startLine);
  }

  private static boolean isSpace(int c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
  }

  private static boolean isAlphaNumeric(int c) {
    return c == '_'
        || c != EOF
            && (Character.isLetter(c) || Character.getType(c) == Character.DECIMAL_DIGIT_NUMBER);
  }

  private static String unicode(int c) {
    String code = String.format("U+%04X", c == EOF ? -1 : c);
    if (c == EOF) {
      return "U+FFFFFFFFFFFFFFFF";
    }
    return Quoted.isPrint(c) ? code + " '" + new String(Character.toChars(c)) + "'" : code;
  }

  // --- outside of actions ---

  private Token text() {
    while (true) {
      int found = in.indexOf("{{", at);
      if (found < 0) {
        countLines(at, in.length());
        at = in.length();
        if (at > start) {
          Token token = new Token(Kind.TEXT, start, in.substring(start), startLine);
          start = at;
          startLine = line;
          return token;
        }
        ended = true;
        return new Token(Kind.EOF, at, "", startLine);
      }
      if (found > at) {
        int end = found;
        if (trimsLeft(found + 2)) {
          while (end > start && isSpace(in.charAt(end - 1))) {
            end--;
          }
        }
        countLines(start, found);
        Token token = new Token(Kind.TEXT, start, in.substring(start, end), startLine);
        at = found;
        ignore();
        if (!token.text().isEmpty()) {
          return token;
        }
      }
      at = found + 2;
      int marker = trimsLeft(at) ? 2 : 0;
      if (!in.startsWith("/*", at + marker)) {
        Token token = new Token(Kind.LEFT_DELIM, start, "{{", startLine);
        countLines(at, at + marker);
        at += marker;
        ignore();
        inside = true;
        parens = 0;
        return token;
      }
      countLines(at, at + marker);
      at += marker;
      ignore();
      Token wrong = comment();
      if (wrong != null) {
        return wrong;
      }
    }
  }

  private Token comment() {
    int end = in.indexOf("*/", at + 2);
    if (end < 0) {
      return error("unclosed comment");
    }
    countLines(at, end);
    at = end + 2;
    boolean trims = trimsRight(at);
    if (!trims && !in.startsWith("}}", at)) {
      return error("comment ends before closing delimiter");
    }
    countLines(at, at + (trims ? 2 : 0));
    at += trims ? 4 : 2;
    if (trims) {
      skipSpace();
    }
    ignore();
    return null;
  }

  private boolean trimsLeft(int from) {
    return in.startsWith("-", from) && from + 1 < in.length() && isSpace(in.charAt(from + 1));
  }

  private boolean trimsRight(int from) {
    return from + 1 < in.length()
        && isSpace(in.charAt(from))
        && in.charAt(from + 1) == '-'
        && in.startsWith("}}", from + 2);
  }

  private void skipSpace() {
    int from = at;
    while (at < in.length() && isSpace(in.charAt(at))) {
      at++;
    }
    countLines(from, at);
  }

  // --- inside of actions ---

  private Token insideAction() {
    boolean trims = trimsRight(at);
    if (trims || in.startsWith("}}", at)) {
      if (parens > 0) {
        return error("unclosed left paren");
      }
      return rightDelim(trims);
    }
    int c = read();
    if (c == EOF) {
      return error("unclosed action");
    }
    if (isSpace(c)) {
      backup();
      return space();
    }
    switch (c) {
      case '=':
        return token(Kind.ASSIGN);
      case ':':
        return read() == '=' ? token(Kind.DECLARE) : error("expected :=");
      case '|':
        return token(Kind.PIPE);
      case '"':
        return quote();
      case '`':
        return rawQuote();
      case '$':
        return atTerminator() ? token(Kind.VARIABLE) : fieldOrVariable(Kind.VARIABLE);
      case '\'':
        return character();
      case '(':
        parens++;
        return token(Kind.LEFT_PAREN);
      case ')':
        parens--;
        return parens < 0 ? error("unexpected right paren") : token(Kind.RIGHT_PAREN);
      default:
        break;
    }
    if (c == '.' && at < in.length() && (in.charAt(at) < '0' || in.charAt(at) > '9')) {
      return fieldOrVariable(Kind.FIELD);
    }
    if (c == '.' || c == '+' || c == '-' || c >= '0' && c <= '9') {
      backup();
      return number();
    }
    if (isAlphaNumeric(c)) {
      backup();
      return identifier();
    }
    return c < 0x80 && Quoted.isPrint(c)
        ? token(Kind.CHAR)
        : error("unrecognized character in action: " + unicode(c));
  }

  private Token rightDelim(boolean trims) {
    if (trims) {
      countLines(at, at + 2);
      at += 2;
      ignore();
    }
    at += 2;
    Token token = token(Kind.RIGHT_DELIM);
    if (trims) {
      skipSpace();
      ignore();
    }
    inside = false;
    return token;
  }

  private Token space() {
    int count = 0;
    while (isSpace(peek())) {
      read();
      count++;
    }
    if (trimsRight(at - 1)) {
      backup();
      if (count == 1) {
        if (parens > 0) {
          return error("unclosed left paren");
        }
        return rightDelim(true);
      }
    }
    return token(Kind.SPACE);
  }

  private Token identifier() {
    int c;
    do {
      c = read();
    } while (isAlphaNumeric(c));
    backup();
    if (!atTerminator()) {
      return error("bad character " + unicode(c));
    }
    String word = in.substring(start, at);
    Kind keyword = Token.KEYWORDS.get(word);
    if (keyword != null) {
      return token(keyword);
    }
    return token(word.equals("true") || word.equals("false") ? Kind.BOOL : Kind.IDENTIFIER);
  }

  private Token fieldOrVariable(Kind kind) {
    if (atTerminator()) {
      return token(kind == Kind.VARIABLE ? Kind.VARIABLE : Kind.DOT);
    }
    int c;
    do {
      c = read();
    } while (isAlphaNumeric(c));
    backup();
    return atTerminator() ? token(kind) : error("bad character " + unicode(c));
  }

  private boolean atTerminator() {
    int c = peek();
    return isSpace(c) || c == EOF || ".,|:)(".indexOf(c) >= 0 || in.startsWith("}}", at);
  }

  private Token character() {
    while (true) {
      int c = read();
      if (c == '\\') {
        c = read();
        if (c != EOF && c != '\n') {
          continue;
        }
      }
      if (c == EOF || c == '\n') {
        return error("unterminated character constant");
      }
      if (c == '\'') {
        return token(Kind.CHAR_CONSTANT);
      }
    }
  }

  private Token quote() {
    while (true) {
      int c = read();
      if (c == '\\') {
        c = read();
        if (c != EOF && c != '\n') {
          continue;
        }
      }
      if (c == EOF || c == '\n') {
        return error("unterminated quoted string");
      }
      if (c == '"') {
        return token(Kind.STRING);
      }
    }
  }

  private Token rawQuote() {
    int c;
    do {
      c = read();
      if (c == EOF) {
        return error("unterminated raw quoted string");
      }
    } while (c != '`');
    return token(Kind.RAW_STRING);
  }

  private Token number() {
    if (!scanNumber()) {
      return error("bad number syntax: " + Quoted.of(in.substring(start, at)));
    }
    int sign = peek();
    if (sign == '+' || sign == '-') {
      if (!scanNumber() || in.charAt(at - 1) != 'i') {
        return error("bad number syntax: " + Quoted.of(in.substring(start, at)));
      }
      return token(Kind.COMPLEX);
    }
    return token(Kind.NUMBER);
  }

  private boolean accept(String valid) {
    int c = peek();
    if (c != EOF && valid.indexOf(c) >= 0) {
      at++;
      return true;
    }
    return false;
  }

  private void acceptRun(String valid) {
    while (accept(valid)) {
      // All of them.
    }
  }

  private boolean scanNumber() {
    accept("+-");
    String digits = DECIMAL;
    if (accept("0")) {
      if (accept("xX")) {
        digits = HEX;
      } else if (accept("oO")) {
        digits = "01234567_";
      } else if (accept("bB")) {
        digits = "01_";
      }
    }
    acceptRun(digits);
    if (accept(".")) {
      acceptRun(digits);
    }
    if (digits.equals(DECIMAL) && accept("eE") || digits.equals(HEX) && accept("pP")) {
      accept("+-");
      acceptRun(DECIMAL);
    }
    accept("i");
    if (isAlphaNumeric(peek())) {
      read();
      return false;
    }
    return true;
  }
}
