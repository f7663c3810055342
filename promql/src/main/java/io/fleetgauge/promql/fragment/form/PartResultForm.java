package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** The result of a part of a query. */
public final class PartResultForm {
  private PartResultForm() {}

  /** Returns true if a result can be written: it has no histograms. */
  public static boolean fits(PartResult part) {
    return part.columns().stream().allMatch(column -> column.histograms() == null);
  }

  /** About how many bytes of numbers results have. */
  public static int bytes(List<PartResult> parts) {
    int length = 1_024;
    for (PartResult part : parts) {
      for (Partial partial : part.partials()) {
        for (double[] numbers : partial.numbers()) {
          length += numbers == null ? 0 : 8 * numbers.length + 64;
        }
      }
      for (Column column : part.columns()) {
        length += 8 * column.values().length + 64;
      }
    }
    return length;
  }

  public static void write(WireWriter out, SymbolTable symbols, PartResult part) {
    out.uvar(part.samples()).uvar(part.annotations().size());
    for (Annotation annotation : part.annotations()) {
      out.u8(annotation.warning() ? 1 : 0).string(annotation.text());
      out.uvar(annotation.span().start()).uvar(annotation.span().end());
    }
    out.uvar(part.columns().size());
    for (Column column : part.columns()) {
      symbols.labels(out, column.labels());
      out.u8(column.nameDropped() ? 1 : 0);
      NumbersForm.writeColumn(out, column.values());
    }
    out.uvar(part.partials().size());
    for (Partial partial : part.partials()) {
      symbols.labels(out, partial.group());
      symbols.labels(out, partial.first());
      out.u8(partial.nameDropped() ? 1 : 0);
      double[] counts = new double[partial.count().length];
      for (int i = 0; i < counts.length; i++) {
        counts[i] = partial.count()[i];
      }
      NumbersForm.write(out, counts, counts.length);
      out.u8(partial.numbers().length);
      for (double[] numbers : partial.numbers()) {
        if (numbers == null) {
          NumbersForm.writeNone(out);
        } else {
          NumbersForm.write(out, numbers, numbers.length);
        }
      }
    }
  }

  /**
   * @param steps of the part
   */
  public static PartResult read(WireReader in, List<String> symbols, int steps)
      throws WireException {
    long samples = in.uvar("the number of samples");
    int annotationCount = in.count(4, "annotations");
    List<Annotation> annotations = new ArrayList<>(annotationCount);
    for (int i = 0; i < annotationCount; i++) {
      boolean warning = in.uint(1, "whether it is a warning") == 1;
      String text = in.string("an annotation");
      int start = in.uint(Integer.MAX_VALUE, "an annotation's position");
      annotations.add(
          new Annotation(
              warning, text, new TextSpan(start, in.uint(Integer.MAX_VALUE, "its end"))));
    }
    int columnCount = in.count(4, "columns");
    List<Column> columns = new ArrayList<>(columnCount);
    for (int i = 0; i < columnCount; i++) {
      var labels = SymbolTable.labels(in, symbols);
      boolean dropped = in.uint(1, "whether a name is dropped") == 1;
      columns.add(new Column(labels, NumbersForm.readColumn(in, steps), null, dropped));
    }
    int partialCount = in.count(5, "partials");
    List<Partial> partials = new ArrayList<>(partialCount);
    for (int i = 0; i < partialCount; i++) {
      var group = SymbolTable.labels(in, symbols);
      var first = SymbolTable.labels(in, symbols);
      boolean dropped = in.uint(1, "whether a name is dropped") == 1;
      double[] counts = NumbersForm.read(in, steps);
      if (counts == null || counts.length != steps) {
        throw new WireException("a partial result has not " + steps + " steps");
      }
      int[] count = new int[steps];
      for (int j = 0; j < count.length; j++) {
        count[j] = (int) counts[j];
      }
      double[][] numbers = new double[in.uint(3, "rows of numbers")][];
      for (int j = 0; j < numbers.length; j++) {
        numbers[j] = NumbersForm.read(in, steps);
        if (numbers[j] != null && numbers[j].length != count.length
            || numbers[j] == null && j == 0) {
          throw new WireException("a row of numbers has not as many steps as the counts");
        }
      }
      partials.add(new Partial(group, first, dropped, count, numbers));
    }
    return new PartResult(columns, partials, annotations, samples);
  }
}
