package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.expr.Span;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.WholeNumber;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** Evaluated parts of queries as bytes; the drawing is in the package's description. */
final class PartsForm {
  private static final int DOUBLES = 0;
  private static final int INTEGERS = 1;
  private static final int SAME = 2;
  private static final int NONE = 3;
  private static final int MOST_STEPS = 1 << 24;

  private PartsForm() {}

  /** Whether a part can be written: it has no histograms. */
  static boolean fits(PartResult part) {
    return part.columns().stream().allMatch(column -> column.histograms() == null);
  }

  static void write(WireWriter out, FragmentCodec.Symbols symbols, PartResult part) {
    out.uvar(part.samples()).uvar(part.annotations().size());
    for (Annotation annotation : part.annotations()) {
      out.u8(annotation.warning() ? 1 : 0).string(annotation.text());
      out.uvar(annotation.span().start()).uvar(annotation.span().end());
    }
    out.uvar(part.columns().size());
    for (Column column : part.columns()) {
      symbols.write(out, column.labels());
      out.u8(column.nameDropped() ? 1 : 0);
      column(out, column.values());
    }
    out.uvar(part.partials().size());
    for (Partial partial : part.partials()) {
      symbols.write(out, partial.group());
      symbols.write(out, partial.first());
      out.u8(partial.nameDropped() ? 1 : 0);
      double[] counts = new double[partial.count().length];
      for (int i = 0; i < counts.length; i++) {
        counts[i] = partial.count()[i];
      }
      numbers(out, counts, counts.length);
      out.u8(partial.numbers().length);
      for (double[] numbers : partial.numbers()) {
        if (numbers == null) {
          out.u8(NONE);
        } else {
          numbers(out, numbers, numbers.length);
        }
      }
    }
  }

  /** Steps without a sample are marked in a row of bits, and left out behind it. */
  private static void column(WireWriter out, double[] values) {
    out.uvar(values.length);
    int present = Columns.count(values);
    out.u8(present == values.length ? 0 : 1);
    double[] there = values;
    if (present < values.length) {
      there = new double[present];
      int next = 0;
      int bits = 0;
      for (int i = 0; i < values.length; i++) {
        if (!Columns.isAbsent(values[i])) {
          there[next++] = values[i];
          bits |= 1 << (i & 7);
        }
        if ((i & 7) == 7 || i == values.length - 1) {
          out.u8(bits);
          bits = 0;
        }
      }
    }
    numbers(out, there, present);
  }

  static void numbers(WireWriter out, double[] numbers, int size) {
    boolean same = true;
    boolean whole = true;
    for (int i = 0; i < size && (same || whole); i++) {
      same &= Double.doubleToRawLongBits(numbers[i]) == Double.doubleToRawLongBits(numbers[0]);
      whole &= WholeNumber.is(numbers[i]);
    }
    if (size > 0 && same) {
      out.u8(SAME).uvar(size).f64(numbers[0]);
    } else if (whole) {
      out.u8(INTEGERS).uvar(size).differences(numbers, size);
    } else {
      out.u8(DOUBLES).uvar(size).f64s(numbers, size);
    }
  }

  static PartResult read(WireReader in, List<String> symbols) throws WireException {
    long samples = in.uvar("the number of samples");
    int annotationCount = in.count(4, "annotations");
    List<Annotation> annotations = new ArrayList<>(annotationCount);
    for (int i = 0; i < annotationCount; i++) {
      boolean warning = in.uint(1, "whether it is a warning") == 1;
      String text = in.string("an annotation");
      int start = in.uint(Integer.MAX_VALUE, "an annotation's position");
      annotations.add(
          new Annotation(warning, text, new Span(start, in.uint(Integer.MAX_VALUE, "its end"))));
    }
    int columnCount = in.count(4, "columns");
    List<Column> columns = new ArrayList<>(columnCount);
    for (int i = 0; i < columnCount; i++) {
      var labels = FragmentCodec.labels(in, symbols);
      boolean dropped = in.uint(1, "whether a name is dropped") == 1;
      columns.add(new Column(labels, column(in), null, dropped));
    }
    int partialCount = in.count(5, "partials");
    List<Partial> partials = new ArrayList<>(partialCount);
    for (int i = 0; i < partialCount; i++) {
      var group = FragmentCodec.labels(in, symbols);
      var first = FragmentCodec.labels(in, symbols);
      boolean dropped = in.uint(1, "whether a name is dropped") == 1;
      double[] counts = numbers(in);
      int[] count = new int[counts == null ? 0 : counts.length];
      for (int j = 0; j < count.length; j++) {
        count[j] = (int) counts[j];
      }
      double[][] numbers = new double[in.uint(3, "rows of numbers")][];
      for (int j = 0; j < numbers.length; j++) {
        numbers[j] = numbers(in);
        if (numbers[j] != null && numbers[j].length != count.length
            || numbers[j] == null && j == 0) {
          throw new WireException("a row of numbers has not as many steps as the counts");
        }
      }
      partials.add(new Partial(group, first, dropped, count, numbers));
    }
    return new PartResult(columns, partials, annotations, samples);
  }

  private static double[] column(WireReader in) throws WireException {
    int size = in.uint(MOST_STEPS, "the number of steps");
    if (in.uint(1, "whether steps are empty") == 0) {
      double[] values = numbers(in);
      if (values == null || values.length != size) {
        throw new WireException("a column has not " + size + " steps");
      }
      return values;
    }
    byte[] bits = in.raw((size + 7) / 8, "the empty steps");
    double[] there = numbers(in);
    double[] values = new double[size];
    int next = 0;
    for (int i = 0; i < size; i++) {
      if ((bits[i >> 3] >> (i & 7) & 1) == 0) {
        values[i] = Staleness.MARKER;
      } else if (there == null || next == there.length) {
        throw new WireException("a column has fewer numbers than steps that are not empty");
      } else {
        values[i] = there[next++];
      }
    }
    return values;
  }

  static double[] numbers(WireReader in) throws WireException {
    int form = in.uint(NONE, "the form of numbers");
    if (form == NONE) {
      return null;
    }
    int size = in.uint(MOST_STEPS, "the number of numbers");
    if (form != SAME && size > in.left()) {
      throw new WireException(size + " numbers do not fit into " + in.left() + " bytes");
    }
    double[] numbers = new double[size];
    switch (form) {
      case SAME -> java.util.Arrays.fill(numbers, in.f64("a number"));
      case INTEGERS -> {
        long before = 0;
        for (int i = 0; i < size; i++) {
          before += in.svar("a whole number");
          numbers[i] = before;
        }
      }
      default -> in.f64s(numbers, size, "numbers");
    }
    return numbers;
  }
}
