package io.fleetgauge.runtime.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A table in plain text. Columns whose name begins with {@code >} are flushed right. The widest
 * column gives way when the table would be wider than {@link #WIDTH}; what is cut ends in two dots.
 */
public final class TextTable {
  /** Most characters of a line. */
  public static final int WIDTH = 120;

  private static final int LEAST = 8;
  private static final String GAP = "  ";
  private static final String CUT = "..";

  private final String[] names;
  private final boolean[] isRight;
  private final List<String[]> rows = new ArrayList<>();

  public TextTable(String... columns) {
    names = new String[columns.length];
    isRight = new boolean[columns.length];
    for (int i = 0; i < columns.length; i++) {
      isRight[i] = columns[i].startsWith(">");
      names[i] = isRight[i] ? columns[i].substring(1) : columns[i];
    }
  }

  /** Adds a row with one cell for each column. */
  public TextTable row(Object... cells) {
    if (cells.length != names.length) {
      throw new IllegalArgumentException(
          cells.length + " cells in a table of " + names.length + " columns");
    }
    rows.add(Arrays.stream(cells).map(cell -> plain(String.valueOf(cell))).toArray(String[]::new));
    return this;
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** The table, with a line for the names of the columns; each line ends in a line feed. */
  public String text() {
    int[] widths = widths();
    StringBuilder out = new StringBuilder();
    line(out, names, widths);
    rows.forEach(row -> line(out, row, widths));
    return out.toString();
  }

  private int[] widths() {
    int[] widths = new int[names.length];
    for (int i = 0; i < names.length; i++) {
      widths[i] = names[i].length();
      for (String[] row : rows) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    int over = Arrays.stream(widths).sum() + GAP.length() * (widths.length - 1) - WIDTH;
    while (over > 0) {
      int widest = 0;
      for (int i = 1; i < widths.length; i++) {
        widest = widths[i] > widths[widest] ? i : widest;
      }
      if (widths[widest] <= LEAST) {
        break;
      }
      widths[widest]--;
      over--;
    }
    return widths;
  }

  private void line(StringBuilder out, String[] cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      String cell = cut(cells[i], widths[i]);
      String blanks = " ".repeat(widths[i] - cell.length());
      line.append(i == 0 ? "" : GAP);
      line.append(isRight[i] ? blanks + cell : cell + blanks);
    }
    out.append(line.toString().stripTrailing()).append('\n');
  }

  /** A text that is not longer than a number of characters. */
  public static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most - CUT.length()) + CUT;
  }

  /** A text on one line, without characters that a terminal would obey. */
  public static String plain(String text) {
    StringBuilder plain = new StringBuilder(text.length());
    text.chars().forEach(c -> plain.append(Character.isISOControl(c) ? ' ' : (char) c));
    return plain.toString();
  }

  /**
   * A text in lines of at most {@link #WIDTH} characters, each of which ends in a line feed.
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
