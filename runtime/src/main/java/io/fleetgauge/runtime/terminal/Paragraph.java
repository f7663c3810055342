package io.fleetgauge.runtime.terminal;

/** Text for people, in lines of at most {@link #WIDTH} characters. */
public final class Paragraph {
  /** Most characters of a line. */
  public static final int WIDTH = 120;

  private static final int INDENT = 4;

  private Paragraph() {}

  /** A text on one line, without characters that a terminal would obey. */
  public static String plain(String text) {
    StringBuilder plain = new StringBuilder(text.length());
    text.chars().forEach(c -> plain.append(Character.isISOControl(c) ? ' ' : (char) c));
    return plain.toString();
  }

  /** A text in lines, each of which ends in a line feed; all but the first are indented. */
  public static String wrapped(String text) {
    return wrapped(0, text, INDENT);
  }

  /**
   * A text in lines, each of which ends in a line feed.
   *
   * @param first blanks before the first line
   * @param others blanks before the others
   */
  public static String wrapped(int first, String text, int others) {
    StringBuilder out = new StringBuilder();
    StringBuilder line = new StringBuilder(" ".repeat(first));
    int indent = first;
    for (String word : plain(text).split(" ")) {
      if (line.length() > indent && line.length() + 1 + word.length() > WIDTH) {
        out.append(line).append('\n');
        line = new StringBuilder(" ".repeat(others));
        indent = others;
      }
      line.append(line.length() > indent ? " " : "").append(word);
    }
    return out.append(line).append('\n').toString();
  }
}
