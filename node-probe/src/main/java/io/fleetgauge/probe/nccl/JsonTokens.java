package io.fleetgauge.probe.nccl;

import java.io.IOException;

/**
 * JSON piece by piece, tolerant of what NCCL 2.28 writes: commas and colons are not needed. Not for
 * several threads.
 */
final class JsonTokens {
  /** Longest text that is kept; the rest of a longer one is left out. */
  private static final int LONGEST_TEXT = 256;

  private static final int DEEPEST = 32;

  /** Kinds of pieces. */
  enum Kind {
    OPEN_OBJECT,
    CLOSE_OBJECT,
    OPEN_ARRAY,
    CLOSE_ARRAY,
    TEXT,
    /** A number, true, false or null. */
    WORD,
    END
  }

  private final RasInput in;
  private final StringBuilder text = new StringBuilder();

  JsonTokens(RasInput in) {
    this.in = in;
  }

  /** Takes the next piece. */
  Kind next() throws IOException {
    int c = in.next();
    while (c == ',' || c == ':' || c == ' ' || c == '\n' || c == '\r' || c == '\t') {
      c = in.next();
    }
    return switch (c) {
      case -1 -> Kind.END;
      case '{' -> Kind.OPEN_OBJECT;
      case '}' -> Kind.CLOSE_OBJECT;
      case '[' -> Kind.OPEN_ARRAY;
      case ']' -> Kind.CLOSE_ARRAY;
      case '"' -> quoted();
      default -> word(c);
    };
  }

  /** The text, or the word, that was taken last. */
  String text() {
    return text.toString();
  }

  /** The same as a whole number; 0 when it is none. */
  long number() {
    try {
      return Long.parseLong(text, 0, text.length(), 10);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  boolean isTrue() {
    return "true".contentEquals(text);
  }

  private Kind quoted() throws IOException {
    text.setLength(0);
    for (int c = in.next(); c != '"'; c = in.next()) {
      if (c < 0) {
        throw damaged("it ends within a text");
      }
      if (c == '\\') {
        c = in.next(); // no text that is read has characters that must be escaped
      }
      append(c);
    }
    return Kind.TEXT;
  }

  private Kind word(int first) throws IOException {
    text.setLength(0);
    append(first);
    if (!isOfWord(first)) {
      throw damaged("it has a byte " + first + " where a value begins");
    }
    while (isOfWord(in.peek())) {
      append(in.next());
    }
    return Kind.WORD;
  }

  private static boolean isOfWord(int c) {
    return c >= '0' && c <= '9'
        || c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c == '-'
        || c == '+'
        || c == '.';
  }

  private void append(int c) {
    if (text.length() < LONGEST_TEXT) {
      text.append((char) c);
    }
  }

  /** Passes over a value whose first piece was taken. */
  void skip(Kind first) throws IOException {
    int depth = depth(first);
    while (depth > 0) {
      Kind next = next();
      if (next == Kind.END) {
        throw damaged("it ends within a value");
      }
      depth += depth(next);
      if (depth > DEEPEST) {
        throw damaged("it is deeper than " + DEEPEST);
      }
    }
  }

  private static int depth(Kind kind) {
    return switch (kind) {
      case OPEN_OBJECT, OPEN_ARRAY -> 1;
      case CLOSE_OBJECT, CLOSE_ARRAY -> -1;
      case TEXT, WORD, END -> 0;
    };
  }

  static RasFailure damaged(String what) {
    return new RasFailure(RasFailure.Reason.DAMAGED, "its answer is damaged: " + what);
  }
}
