package io.fleetgauge.query.rules.template;

import java.util.Map;

/**
 * A piece of a template.
 *
 * @param at where it begins in the text
 * @param line from 1
 */
record Token(Kind kind, int at, String text, int line) {
  /** What a token is; keywords stand last. */
  enum Kind {
    ERROR,
    BOOL,
    CHAR,
    CHAR_CONSTANT,
    COMPLEX,
    ASSIGN,
    DECLARE,
    EOF,
    FIELD,
    IDENTIFIER,
    LEFT_DELIM,
    LEFT_PAREN,
    NUMBER,
    PIPE,
    RAW_STRING,
    RIGHT_DELIM,
    RIGHT_PAREN,
    SPACE,
    STRING,
    TEXT,
    VARIABLE,
    BLOCK,
    BREAK,
    CONTINUE,
    DOT,
    DEFINE,
    ELSE,
    END,
    IF,
    NIL,
    RANGE,
    TEMPLATE,
    WITH;

    boolean isKeyword() {
      return compareTo(BLOCK) >= 0;
    }
  }

  static final Map<String, Kind> KEYWORDS =
      Map.ofEntries(
          Map.entry("block", Kind.BLOCK),
          Map.entry("break", Kind.BREAK),
          Map.entry("continue", Kind.CONTINUE),
          Map.entry("define", Kind.DEFINE),
          Map.entry("else", Kind.ELSE),
          Map.entry("end", Kind.END),
          Map.entry("if", Kind.IF),
          Map.entry("nil", Kind.NIL),
          Map.entry("range", Kind.RANGE),
          Map.entry("template", Kind.TEMPLATE),
          Map.entry("with", Kind.WITH));

  /** As Go's parser names it in errors. */
  @Override
  public String toString() {
    if (kind == Kind.EOF) {
      return "EOF";
    }
    if (kind == Kind.ERROR) {
      return text;
    }
    if (kind.isKeyword()) {
      return "<" + text + ">";
    }
    int[] runes = text.codePoints().toArray();
    return runes.length > 10 ? Quoted.of(new String(runes, 0, 10)) + "..." : Quoted.of(text);
  }
}
