package io.fleetgauge.promql.syntax;

import io.fleetgauge.promql.expr.Keywords;
import io.fleetgauge.promql.expr.Printer;
import io.fleetgauge.promql.expr.TextSpan;

/**
 * A piece of a query's text.
 *
 * @param text what stands there; of a string, its content; of the end, what is missing before it
 * @param number the value of a {@link Kind#NUMBER}; of a {@link Kind#DURATION}, milliseconds
 */
record Token(Kind kind, String text, double number, TextSpan span) {
  enum Kind {
    /** A name or a keyword; the parser decides by its position. */
    WORD,
    NUMBER,
    DURATION,
    STRING,
    /** An operator or a bracket; {@link Token#text} says which. */
    SYMBOL,
    END
  }

  boolean is(String symbol) {
    return kind == Kind.SYMBOL && text.equals(symbol);
  }

  boolean isWord(String word) {
    return kind == Kind.WORD && text.equalsIgnoreCase(word);
  }

  /** For error messages: what was found instead of what was expected. */
  String describe() {
    return switch (kind) {
      case END -> "end of input";
      case STRING -> "string " + Printer.quote(text);
      case NUMBER -> "number \"" + text + "\"";
      case DURATION -> "duration \"" + text + "\"";
      case WORD -> Keywords.described(text);
      case SYMBOL -> Keywords.operator(text) == null ? "\"" + text + "\"" : "<op:" + text + ">";
    };
  }
}
