package io.fleetgauge.gateway.packing;

import io.fleetgauge.gateway.store.chunk.Pieces;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Arrays;

/** The values of one series in a part, in the order of its ticks. */
final class PackedColumn {
  double[] values = {};

  /** Null when all are numbers; else null where a number stands. */
  Histogram[] histograms;

  int size;

  /** The place of the value that is taken next. */
  int next;

  void add(double value, Histogram histogram) {
    if (size == values.length) {
      values = Arrays.copyOf(values, Math.max(64, 2 * size));
    }
    if (histogram != null && histograms == null) {
      histograms = new Histogram[values.length];
    }
    if (histograms != null) {
      if (histograms.length < values.length) {
        histograms = Arrays.copyOf(histograms, values.length);
      }
      histograms[size] = histogram;
    }
    values[size++] = value;
  }

  void write(Pieces pieces, WireWriter out) {
    pieces.encode(values, histograms, size, out);
  }

  /** Reads as many values as there are ticks of them. */
  void read(Pieces pieces, byte[] bytes, int at, int length) {
    values = new double[size];
    pieces.decode(bytes, at, at + length, size, size, values, 0, this::histogram);
  }

  private void histogram(int place, Histogram histogram) {
    if (histograms == null) {
      histograms = new Histogram[size];
    }
    histograms[place] = histogram;
  }
}
