package io.fleetgauge.query.rules.template;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cuts a template into tokens, as Go's text/template does. */
final class TemplateLexer {
  /**
   * A piece of a template.
   *
   * @param at where it begins in the template
   * @param text as it is written
   * @param spaced true if white space is before it
   */
  record Token(Kind kind, int at, String text, boolean spaced) {
    boolean is(Kind wanted, String written) {
      return kind == wanted && text.equals(written);
    }

    boolean isSymbol(String symbol) {
      return is(Kind.SYMBOL, symbol);
    }
  }

  enum Kind {
    /** Outside of actions. */
    TEXT,
    /** The braces before an action. */
    OPEN,
    /** The braces behind an action; {@link Token#at} is where the text goes on. */
    CLOSE,
    WORD,
    /** A point and a name. */
    FIELD,
    DOT,
    /** A dollar sign and a name. */
    VARIABLE,
    NUMBER,
    /** A text in quotes. */
    STRING,
    /** One of <code>( ) | , = :=</code>. */
    SYMBOL,
    /** The end of the template. */
    END
  }

  private static final Pattern SPACE = Pattern.compile("[ \\t\\r\\n]++");
  private static final Pattern SYMBOL = Pattern.compile("[()|,=]|:=");
  private static final Pattern NUMBER =
      Pattern.compile(
          "[+-]?((0|[1-9]\\d*+)(\\.\\d*+)?|\\.\\d++)([eE][+-]?\\d++)?(?![\\p{L}\\p{Nd}_])");
  private static final Pattern NAME =
      Pattern.compile("[.$]?[\\p{L}\\p{Nd}_]*+(?=[ \\t\\r\\n.,|:()]|}}|\\z)");

  private final String in;
  private final Matcher matcher;
  private final List<Token> tokens = new ArrayList<>();
  private int at;

  private TemplateLexer(String in) {
    this.in = in;
    this.matcher = SPACE.matcher(in);
  }

  /** All tokens; the last one is {@link Kind#END}. */
  static List<Token> tokens(String text) throws TemplateFailure {
    TemplateLexer lexer = new TemplateLexer(text);
    lexer.all();
    return lexer.tokens;
  }

  private void all() throws TemplateFailure {
    int open = in.indexOf("{{");
    while (open >= 0) {
      boolean trims = in.startsWith("-", open + 2) && isSpace(open + 3);
      int end = open;
      while (trims && end > at && isSpace(end - 1)) {
        end--;
      }
      text(end);
      at = open + (trims ? 4 : 2);
      if (in.startsWith("/*", at)) {
        comment(open);
      } else {
        tokens.add(new Token(Kind.OPEN, open, "{{", false));
        action(open, trims);
      }
      open = in.indexOf("{{", at);
    }
    text(in.length());
    tokens.add(new Token(Kind.END, in.length(), "end of the template", false));
  }

  private void text(int end) {
    if (end > at) {
      tokens.add(new Token(Kind.TEXT, at, in.substring(at, end), false));
    }
  }

  private void comment(int open) throws TemplateFailure {
    int end = in.indexOf("*/", at + 2);
    if (end < 0) {
      throw error(open, "a comment has no end");
    }
    at = end + 2;
    if (in.startsWith("}}", at)) {
      at += 2;
    } else if (isSpace(at) && in.startsWith("-}}", at + 1)) {
      at += 4;
      reads(SPACE);
    } else {
      throw error(open, "a comment must end with */}} or */ -}}");
    }
  }

  private void action(int open, boolean trims) throws TemplateFailure {
    boolean spaced = trims;
    while (true) {
      boolean skipped = reads(SPACE);
      boolean trimsRight = skipped && in.startsWith("-}}", at);
      if (trimsRight || in.startsWith("}}", at)) {
        at += trimsRight ? 3 : 2;
        if (trimsRight) {
          reads(SPACE);
        }
        tokens.add(new Token(Kind.CLOSE, at, "}}", true));
        return;
      }
      if (at == in.length()) {
        throw error(open, "an action has no end }}");
      }
      int from = at;
      Kind kind = kind();
      tokens.add(new Token(kind, from, in.substring(from, at), spaced || skipped));
      spaced = false;
    }
  }

  /** Reads a token inside an action. */
  private Kind kind() throws TemplateFailure {
    char first = in.charAt(at);
    if (first == '"' || first == '`') {
      quoted(first);
      return Kind.STRING;
    }
    if (reads(SYMBOL)) {
      return Kind.SYMBOL;
    }
    if (reads(NUMBER)) {
      return Kind.NUMBER;
    }
    int from = at;
    if (!reads(NAME)) {
      throw first == '\''
          ? error(at, "single quotes are not supported; use double quotes")
          : error(at, "unexpected character " + Character.toString(in.codePointAt(at)));
    }
    return switch (first) {
      case '.' -> at == from + 1 ? Kind.DOT : Kind.FIELD;
      case '$' -> Kind.VARIABLE;
      default -> Kind.WORD;
    };
  }

  private boolean reads(Pattern pattern) {
    boolean reads =
        matcher.usePattern(pattern).region(at, in.length()).lookingAt() && matcher.end() > at;
    at = reads ? matcher.end() : at;
    return reads;
  }

  private void quoted(char quote) throws TemplateFailure {
    int end = at + 1;
    while (end < in.length() && in.charAt(end) != quote) {
      end += quote == '"' && in.charAt(end) == '\\' ? 1 : 0;
      if (quote == '"' && in.startsWith("\n", end)) {
        break;
      }
      end++;
    }
    if (!in.startsWith(String.valueOf(quote), end)) {
      throw error(at, "a text in quotes has no end");
    }
    at = end + 1;
  }

  private boolean isSpace(int place) {
    return place < in.length() && " \t\r\n".indexOf(in.charAt(place)) >= 0;
  }

  private TemplateFailure error(int place, String message) {
    return TemplateFailure.at(in, place, message);
  }
}
