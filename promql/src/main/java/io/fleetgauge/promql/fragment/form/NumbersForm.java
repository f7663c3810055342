package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.WholeNumber;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Arrays;

/** Rows and columns of numbers: as integers, or as one number, where they are that. */
public final class NumbersForm {
  /** The most numbers of a row, and so the most steps of a part. */
  public static final int MOST = 1 << 24;

  private static final int DOUBLES = 0;
  private static final int INTEGERS = 1;
  private static final int SAME = 2;
  private static final int NONE = 3;

  private NumbersForm() {}

  /** A row that is left out, because all its numbers are 0. */
  public static void writeNone(WireWriter out) {
    out.u8(NONE);
  }

  public static void write(WireWriter out, double[] numbers, int size) {
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

  /**
   * Null for a row that was left out.
   *
   * @param most numbers of a row; so little as one number takes can stand for many
   */
  public static double[] read(WireReader in, int most) throws WireException {
    int form = in.uint(NONE, "the form of numbers");
    if (form == NONE) {
      return null;
    }
    int size = in.uint(most, "the number of numbers");
    if (form != SAME && size > in.left()) {
      throw new WireException(size + " numbers do not fit into " + in.left() + " bytes");
    }
    double[] numbers = new double[size];
    switch (form) {
      case SAME -> Arrays.fill(numbers, in.f64("a number"));
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

  /** Steps without a sample are marked in a row of bits, and left out behind it. */
  public static void writeColumn(WireWriter out, double[] values) {
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
    write(out, there, present);
  }

  /**
   * @param steps that it has to have
   */
  public static double[] readColumn(WireReader in, int steps) throws WireException {
    int size = in.uint(steps, "the number of steps");
    if (size != steps) {
      throw new WireException("a column has " + size + " and not " + steps + " steps");
    }
    if (in.uint(1, "whether steps are empty") == 0) {
      double[] values = read(in, size);
      if (values == null || values.length != size) {
        throw new WireException("a column has not " + size + " steps");
      }
      return values;
    }
    byte[] bits = in.raw((size + 7) / 8, "the empty steps");
    double[] there = read(in, size);
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
}
