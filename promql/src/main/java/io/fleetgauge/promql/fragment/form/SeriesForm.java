package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.WholeNumber;
import io.fleetgauge.sample.wire.HistogramForm;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;

/** The samples of a series. */
public final class SeriesForm {
  private static final int DOUBLES = 0;
  private static final int INTEGERS = 1;
  private static final int MIXED = 2;
  private static final int NUMBER = 0;
  private static final int HISTOGRAM = 1;

  private SeriesForm() {}

  public static void write(WireWriter out, Series series) {
    long[] times = series.times();
    double[] values = series.values();
    boolean integers = true;
    for (int i = 0; i < values.length && integers; i++) {
      integers = WholeNumber.is(values[i]);
    }
    int form = series.histograms() != null ? MIXED : integers ? INTEGERS : DOUBLES;
    out.uvar(times.length).u8(form);
    long time = 0;
    long distance = 0;
    for (int i = 0; i < times.length; i++) {
      long next = times[i] - time;
      out.svar(next - distance);
      // The first time is far from 0; its distance says nothing about the next.
      distance = i == 0 ? 0 : next;
      time = times[i];
    }
    if (form == MIXED) {
      mixed(out, series);
    } else if (integers) {
      long previous = 0;
      for (double value : values) {
        out.svar((long) value - previous);
        previous = (long) value;
      }
    } else {
      for (double value : values) {
        out.f64(value);
      }
    }
  }

  private static void mixed(WireWriter out, Series series) {
    for (int i = 0; i < series.size(); i++) {
      Histogram histogram = series.histograms()[i];
      if (histogram == null) {
        out.u8(NUMBER).f64(series.values()[i]);
      } else {
        out.u8(HISTOGRAM);
        HistogramForm.write(out, histogram);
      }
    }
  }

  public static Series read(WireReader in, Labels labels) throws WireException {
    int count = in.count(2, "samples");
    int form = in.uint(MIXED, "the form of values");
    long[] times = new long[count];
    double[] values = new double[count];
    long time = 0;
    long distance = 0;
    for (int i = 0; i < count; i++) {
      long next = distance + in.svar("a time");
      time += next;
      distance = i == 0 ? 0 : next;
      times[i] = time;
    }
    if (form == MIXED) {
      return mixed(in, labels, times);
    }
    long whole = 0;
    for (int i = 0; i < count; i++) {
      if (form == INTEGERS) {
        whole += in.svar("an integer");
        values[i] = whole;
      } else {
        values[i] = in.f64("a double");
      }
    }
    return new Series(labels, times, values);
  }

  private static Series mixed(WireReader in, Labels labels, long[] times) throws WireException {
    double[] values = new double[times.length];
    Histogram[] histograms = new Histogram[times.length];
    for (int i = 0; i < times.length; i++) {
      if (in.uint(HISTOGRAM, "the kind of a sample") == NUMBER) {
        values[i] = in.f64("a double");
      } else {
        values[i] = Staleness.MARKER;
        histograms[i] = HistogramForm.read(in);
      }
    }
    return new Series(labels, times, values, histograms);
  }
}
