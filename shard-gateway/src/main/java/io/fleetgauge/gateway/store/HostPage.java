package io.fleetgauge.gateway.store;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Some of the samples of a host, for another gateway.
 *
 * @param frames concatenated, oldest first, of the run {@link #RUN}
 * @param next the time at which the next page begins, ms
 */
public record HostPage(byte[] frames, long next) {
  public static final long RUN = IntakeProtocol.PAGE_RUN;

  private static final long FIRST_WINDOW_MILLIS = 60_000;
  private static final int TARGET_SAMPLES = 20_000;

  /** One tick while it is being collected. */
  private static final class Row {
    final List<Labels> series = new ArrayList<>();
    final List<Double> values = new ArrayList<>();
    List<Histogram> histograms;

    void add(Series from, int at) {
      series.add(from.labels());
      values.add(from.values()[at]);
      Histogram histogram = from.histograms() == null ? null : from.histograms()[at];
      if (histogram != null && histograms == null) {
        histograms = new ArrayList<>();
      }
      if (histograms != null) {
        while (histograms.size() < series.size() - 1) {
          histograms.add(null);
        }
        histograms.add(histogram);
      }
    }

    Tick tick(long time) {
      double[] numbers = values.stream().mapToDouble(Double::doubleValue).toArray();
      return new Tick(
          time,
          series,
          numbers,
          histograms == null ? null : histograms.toArray(new Histogram[numbers.length]));
    }
  }

  static HostPage of(String host, Lane lane, long from, long to, int mostBytes) {
    WireWriter out = new WireWriter(1 << 16);
    FrameEncoder encoder = new FrameEncoder(host, RUN);
    if (lane == null || lane.newest() == Long.MIN_VALUE) {
      return new HostPage(out.toBytes(), to);
    }
    long end = Math.min(to, lane.newest() + 1);
    long at = Math.max(from, lane.view().oldest());
    long window = FIRST_WINDOW_MILLIS;
    while (at < end && out.size() < mostBytes) {
      long stop = end - at <= window ? end : at + window;
      List<Series> read = lane.all(at, stop);
      int samples = read.stream().mapToInt(Series::size).sum();
      TreeMap<Long, Row> rows = rows(read);
      rows.forEach(
          (time, row) -> {
            byte[] frame = encoder.encode(row.tick(time));
            out.raw(frame, 0, frame.length);
          });
      at = stop;
      window = samples < TARGET_SAMPLES ? 2 * window : Math.max(1_000, window / 2);
    }
    return new HostPage(out.toBytes(), at >= end ? to : at);
  }

  /** The same samples, tick by tick, oldest first. */
  static List<Tick> ticks(List<Series> all) {
    return rows(all).entrySet().stream().map(row -> row.getValue().tick(row.getKey())).toList();
  }

  private static TreeMap<Long, Row> rows(List<Series> all) {
    TreeMap<Long, Row> rows = new TreeMap<>();
    for (Series series : all) {
      for (int i = 0; i < series.size(); i++) {
        rows.computeIfAbsent(series.times()[i], none -> new Row()).add(series, i);
      }
    }
    return rows;
  }
}
