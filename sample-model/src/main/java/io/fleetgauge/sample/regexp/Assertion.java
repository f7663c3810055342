package io.fleetgauge.sample.regexp;

/** What is asked of a position between two characters. */
enum Assertion {
  TEXT_BEGINS,
  TEXT_ENDS,
  LINE_BEGINS,
  LINE_ENDS,
  WORD_BOUNDARY,
  NO_WORD_BOUNDARY;

  boolean holds(int[] in, int at) {
    return switch (this) {
      case TEXT_BEGINS -> at == 0;
      case TEXT_ENDS -> at == in.length;
      case LINE_BEGINS -> at == 0 || in[at - 1] == '\n';
      case LINE_ENDS -> at == in.length || in[at] == '\n';
      case WORD_BOUNDARY -> isWord(in, at - 1) != isWord(in, at);
      case NO_WORD_BOUNDARY -> isWord(in, at - 1) == isWord(in, at);
    };
  }

  private static boolean isWord(int[] in, int at) {
    return at >= 0 && at < in.length && CharacterSet.WORD.contains(in[at]);
  }
}
