package io.fleetgauge.query.cache;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The answer of a range query at some consecutive steps. Immutable.
 *
 * @param from the first step, ms
 * @param to the last step, ms
 * @param read time of its reads
 * @param isUniform true if its warnings and infos hold for every single step, so that a part of the
 *     range has the same
 */
public record AnsweredRange(
    long from,
    long to,
    List<Series> series,
    List<String> warnings,
    List<String> infos,
    ReadTime read,
    boolean isUniform) {
  private static final int SERIES_BYTES = 200;
  private static final int POINT_BYTES = 16;

  /**
   * Returns true if the annotations of an answer hold for every single step: there are none, or a
   * point at every step proves it.
   *
   * @param annotated true if there are warnings or infos
   * @param proven true if a point at a step proves that they hold for it
   */
  public static boolean isUniform(
      List<Series> series, boolean annotated, boolean proven, long from, long to, long step) {
    if (!annotated) {
      return true;
    }
    if (!proven) {
      return false;
    }
    BitSet present = new BitSet();
    for (Series each : series) {
      for (long time : each.times()) {
        present.set((int) ((time - from) / step));
      }
    }
    return present.cardinality() == (to - from) / step + 1;
  }

  /** The same, known to be unchanged at a later stamp. */
  AnsweredRange stamped(long stamp) {
    ReadTime later = new ReadTime(read.after(), read.to(), stamp);
    return new AnsweredRange(from, to, series, warnings, infos, later, isUniform);
  }

  AnsweredRange slice(long newFrom, long newTo) {
    if (newFrom == from && newTo == to) {
      return this;
    }
    List<Series> sliced = new ArrayList<>();
    for (Series each : series) {
      int begin = Series.firstAfter(each.times(), 0, each.size(), newFrom - 1);
      int end = Series.firstAfter(each.times(), begin, each.size(), newTo);
      if (begin < end) {
        sliced.add(
            new Series(
                each.labels(),
                Arrays.copyOfRange(each.times(), begin, end),
                Arrays.copyOfRange(each.values(), begin, end)));
      }
    }
    return new AnsweredRange(newFrom, newTo, sliced, warnings, infos, read, isUniform);
  }

  /**
   * Ranges that follow each other as one.
   *
   * @return empty when one annotation names different places in the query's text: evaluation of the
   *     whole range would name one of them, and which one is not known
   */
  public static Optional<AnsweredRange> joined(List<AnsweredRange> ranges) {
    AnsweredRange first = ranges.getFirst();
    if (ranges.size() == 1) {
      return Optional.of(first);
    }
    TreeMap<Labels, List<Series>> parts = new TreeMap<>();
    TreeSet<String> warnings = new TreeSet<>();
    TreeSet<String> infos = new TreeSet<>();
    ReadTime read = first.read;
    boolean uniform = true;
    for (AnsweredRange range : ranges) {
      for (Series series : range.series) {
        parts.computeIfAbsent(series.labels(), none -> new ArrayList<>()).add(series);
      }
      warnings.addAll(range.warnings);
      infos.addAll(range.infos);
      read = read.and(range.read);
      // An annotation of one range need not hold for another.
      uniform &=
          range.isUniform
              && range.warnings.equals(first.warnings)
              && range.infos.equals(first.infos);
    }
    if (isAmbiguous(warnings) || isAmbiguous(infos)) {
      return Optional.empty();
    }
    List<Series> series = new ArrayList<>();
    for (Map.Entry<Labels, List<Series>> each : parts.entrySet()) {
      series.add(concatenated(each.getKey(), each.getValue()));
    }
    return Optional.of(
        new AnsweredRange(
            first.from,
            ranges.getLast().to,
            series,
            List.copyOf(warnings),
            List.copyOf(infos),
            read,
            uniform));
  }

  private static Series concatenated(Labels labels, List<Series> parts) {
    int size = parts.stream().mapToInt(Series::size).sum();
    long[] times = new long[size];
    double[] values = new double[size];
    int at = 0;
    for (Series part : parts) {
      System.arraycopy(part.times(), 0, times, at, part.size());
      System.arraycopy(part.values(), 0, values, at, part.size());
      at += part.size();
    }
    return new Series(labels, times, values);
  }

  private static boolean isAmbiguous(TreeSet<String> lines) {
    TreeSet<String> texts = new TreeSet<>();
    for (String line : lines) {
      int place = line.lastIndexOf(" (");
      if (place < 0 || !texts.add(line.substring(0, place))) {
        return true;
      }
    }
    return false;
  }

  long bytes() {
    long bytes = SERIES_BYTES;
    for (Series each : series) {
      bytes += SERIES_BYTES + POINT_BYTES * each.size();
    }
    return bytes + bytes(warnings) + bytes(infos);
  }

  private static long bytes(List<String> lines) {
    return lines.stream().mapToLong(line -> 2L * line.length()).sum();
  }
}
