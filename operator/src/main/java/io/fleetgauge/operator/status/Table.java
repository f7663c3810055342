package io.fleetgauge.operator.status;

import io.fleetgauge.runtime.terminal.Figures;
import io.fleetgauge.runtime.terminal.Paragraph;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A table in plain text, with a row for each of several JSON objects. The widest column gives way
 * when the table would be wider than {@link Paragraph#WIDTH}; what is cut ends in two dots.
 */
public final class Table {
  private static final int LEAST = 8;
  private static final String GAP = "  ";
  private static final String CUT = "..";

  private final List<Column> columns;

  /**
   * A column.
   *
   * @param isRight whether cells are flushed right, as figures are
   * @param cell what it shows of a row; null if that is not known
   */
  public record Column(String title, boolean isRight, Function<JsonObject, String> cell) {
    public static Column left(String title, Function<JsonObject, String> cell) {
      return new Column(title, false, cell);
    }

    public static Column right(String title, Function<JsonObject, String> cell) {
      return new Column(title, true, cell);
    }

    /** The text of a field. */
    public static Column text(String title, String field) {
      return left(title, row -> row.getString(field));
    }

    /** A whole number, without commas. */
    public static Column number(String title, String field) {
      return figure(title, field, number -> "" + number.longValue());
    }

    /** A whole number with commas between thousands. */
    public static Column count(String title, String field) {
      return figure(title, field, number -> Figures.count(number.longValue()));
    }

    public static Column bytes(String title, String field) {
      return figure(title, field, Figures::bytesOf);
    }

    /** A length of time in ms. */
    public static Column duration(String title, String field) {
      return figure(title, field, Figures::durationOf);
    }

    /** A figure in the text that a function gives it. */
    public static Column figure(String title, String field, Function<Number, String> text) {
      return right(title, row -> Optional.ofNullable(number(row, field)).map(text).orElse(null));
    }

    /**
     * A figure of a row; null if it is not known.
     *
     * @param field its name, or that of an object of the row, a point, and its name there
     */
    static Number number(JsonObject row, String field) {
      int point = field.indexOf('.');
      return point < 0
          ? row.getNumber(field)
          : row.getJsonObject(field.substring(0, point), new JsonObject())
              .getNumber(field.substring(point + 1));
    }

    private String of(JsonObject row) {
      String text = cell.apply(row);
      return text == null ? Figures.UNKNOWN : Paragraph.plain(text);
    }
  }

  public Table(Column... columns) {
    this.columns = List.of(columns);
  }

  /** A section of a page: an empty line, the heading and the table; empty without rows. */
  public String section(String heading, Stream<JsonObject> rows) {
    String text = text(rows);
    return text.isEmpty() ? "" : "\n" + heading + "\n" + text;
  }

  /** A section without a heading. */
  public String section(Stream<JsonObject> rows) {
    String text = text(rows);
    return text.isEmpty() ? "" : "\n" + text;
  }

  /**
   * The table, with a line for the titles of the columns; each line ends in a line feed. Empty
   * without rows.
   */
  public String text(Stream<JsonObject> rows) {
    List<String[]> cells =
        rows.map(row -> columns.stream().map(each -> each.of(row)).toArray(String[]::new)).toList();
    if (cells.isEmpty()) {
      return "";
    }
    String[] titles = columns.stream().map(Column::title).toArray(String[]::new);
    int[] widths = widths(titles, cells);
    StringBuilder out = new StringBuilder();
    line(out, titles, widths);
    cells.forEach(row -> line(out, row, widths));
    return out.toString();
  }

  private static int[] widths(String[] titles, List<String[]> rows) {
    int[] widths = new int[titles.length];
    for (int i = 0; i < titles.length; i++) {
      widths[i] = titles[i].length();
      for (String[] row : rows) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    int over = Arrays.stream(widths).sum() + GAP.length() * (widths.length - 1) - Paragraph.WIDTH;
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
      line.append(columns.get(i).isRight() ? blanks + cell : cell + blanks);
    }
    out.append(line.toString().stripTrailing()).append('\n');
  }

  private static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most - CUT.length()) + CUT;
  }
}
