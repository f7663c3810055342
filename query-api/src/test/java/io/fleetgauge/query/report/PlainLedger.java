package io.fleetgauge.query.report;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The report's twin: looks at every millisecond and at every sample, and keeps a plain book. */
final class PlainLedger {
  /** Metrics by what they are; of several the first that has a value counts. */
  private record Book(List<String> whole, List<String> parts, List<String> sharers) {}

  private static final List<Book> BOOKS =
      List.of(
          new Book(
              List.of("DCGM_FI_DEV_FB_USED"),
              List.of("gpu_process_memory_bytes", "gpu_container_memory_bytes"),
              List.of()),
          new Book(
              List.of("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"),
              List.of("gpu_container_utilization_ratio"),
              List.of()),
          new Book(List.of("gpu_allocated"), List.of(), List.of("gpu_allocation_info")));
  private static final Map<String, Double> UNITS =
      Map.of(
          "DCGM_FI_DEV_FB_USED", 1_048_576.0,
          "gpu_process_memory_bytes", 1.0,
          "gpu_container_memory_bytes", 1.0,
          "DCGM_FI_DEV_GPU_UTIL", 10_000.0,
          "DCGM_FI_PROF_GR_ENGINE_ACTIVE", 1_000_000.0,
          "gpu_container_utilization_ratio", 1_000_000.0,
          "gpu_allocated", 1_000_000.0,
          "gpu_allocation_info", 1.0);

  /** A value that a series has. */
  private record Held(Labels labels, long since, long value) {}

  /** What a group has at one time. */
  private static final class Sum {
    long value;
    final Set<String> devices = new HashSet<>();
  }

  /** What a group had in an interval. */
  private static final class Line {
    BigInteger integral = BigInteger.ZERO;
    long millis;
    long deviceMillis;
    long peak;
    double peakOfDevice;
    OptionalLong atEnd = OptionalLong.empty();

    void see(Sum sum) {
      peak = Math.max(peak, sum.value);
      peakOfDevice = Math.max(peakOfDevice, (double) sum.value / sum.devices.size());
    }
  }

  private final List<Series> all;
  private final Period period;
  private final long lookback;
  private final Function<Labels, List<String>> groupOf;

  /**
   * @param groupOf the group of the labels of a series and its device
   */
  PlainLedger(
      List<Series> all, Period period, long lookback, Function<Labels, List<String>> groupOf) {
    this.all = all;
    this.period = period;
    this.lookback = lookback;
    this.groupOf = groupOf;
  }

  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (long start = period.from(); start < period.to(); start += period.step()) {
      long end = Math.min(period.to(), start + period.step());
      Map<List<String>, Line[]> lines = new HashMap<>();
      for (int book = 0; book < BOOKS.size(); book++) {
        for (long time = start; time <= end; time++) {
          write(lines, book, time, end);
        }
      }
      long from = start;
      lines.entrySet().stream()
          .sorted(Comparator.comparing(entry -> String.join("\u0000", entry.getKey())))
          .forEach(entry -> rows.add(row(entry.getKey(), from, end, entry.getValue())));
    }
    return rows;
  }

  private void write(Map<List<String>, Line[]> lines, int book, long time, long end) {
    sums(BOOKS.get(book), time)
        .forEach(
            (group, sum) -> {
              Line[] ofGroup = lines.computeIfAbsent(group, none -> new Line[BOOKS.size()]);
              if (ofGroup[book] == null) {
                ofGroup[book] = new Line();
              }
              Line line = ofGroup[book];
              line.see(sum);
              if (time == end) {
                line.atEnd = OptionalLong.of(sum.value);
              } else {
                line.integral = line.integral.add(BigInteger.valueOf(sum.value));
                line.millis++;
                line.deviceMillis += sum.devices.size();
              }
            });
  }

  private static Row row(List<String> group, long from, long to, Line[] lines) {
    return new Row(
        group,
        from,
        to,
        Optional.ofNullable(lines[0])
            .map(
                line ->
                    new Row.Memory(
                        line.atEnd,
                        line.peak,
                        line.millis == 0
                            ? line.atEnd.orElseThrow()
                            : line.integral.doubleValue() / line.millis,
                        line.millis / 1e3)),
        Optional.ofNullable(lines[1])
            .map(
                line ->
                    new Row.Utilization(
                        line.deviceMillis == 0
                            ? line.peakOfDevice / 1_000_000
                            : line.integral.doubleValue() / line.deviceMillis / 1_000_000,
                        line.peakOfDevice / 1_000_000,
                        hours(line))),
        Optional.ofNullable(lines[2]).map(PlainLedger::hours));
  }

  private static double hours(Line line) {
    return line.integral.doubleValue() / 1_000_000 / 3_600_000;
  }

  // --- one time ---

  private Map<List<String>, Sum> sums(Book book, long time) {
    Map<List<String>, Sum> sums = new HashMap<>();
    Set<String> gpus =
        all.stream().map(each -> each.labels().value("UUID")).collect(Collectors.toSet());
    for (String gpu : gpus) {
      Set<String> instances = new TreeSet<>();
      for (Series each : all) {
        if (each.labels().value("UUID").equals(gpu)) {
          instances.add(each.labels().value("GPU_I_ID"));
        }
      }
      boolean isDivided =
          instances.stream()
              .anyMatch(each -> !each.isEmpty() && !first(book.whole, gpu, each, time).isEmpty());
      for (String instance : instances) {
        if (!isDivided || !instance.isEmpty()) {
          device(book, gpu, instance, time, sums);
        }
      }
    }
    return sums;
  }

  private void device(
      Book book, String gpu, String instance, long time, Map<List<String>, Sum> sums) {
    List<Held> owners = newest(first(book.whole, gpu, instance, time));
    Map<String, List<Held>> byPart =
        first(book.parts, gpu, instance, time).stream()
            .collect(
                Collectors.groupingBy(
                    held ->
                        held.labels.value("pid").isEmpty()
                            ? held.labels.value("container_id")
                            : held.labels.value("pid"),
                    TreeMap::new,
                    Collectors.toList()));
    Labels device = owners.isEmpty() ? Labels.EMPTY : owners.getFirst().labels;
    long rest = owners.stream().mapToLong(Held::value).max().orElse(0);
    for (List<Held> ofPart : byPart.values()) {
      Held part = newest(ofPart).getFirst();
      book(sums, part.labels, device, gpu + instance, part.value);
      rest -= part.value;
    }
    if (owners.isEmpty() || rest < 0 || rest == 0 && !byPart.isEmpty()) {
      return;
    }
    List<Held> sharers = newest(first(book.sharers, gpu, instance, time));
    List<Held> among = sharers.isEmpty() ? owners : sharers;
    for (int i = 0; i < among.size(); i++) {
      long share = rest / among.size() + (i < rest % among.size() ? 1 : 0);
      book(sums, among.get(i).labels, device, gpu + instance, share);
    }
  }

  private void book(
      Map<List<String>, Sum> sums, Labels labels, Labels device, String name, long value) {
    Labels full = labels;
    for (String label : List.of("Hostname", "rack", "UUID", "GPU_I_ID")) {
      if (full.value(label).isEmpty()) {
        full = full.with(label, device.value(label));
      }
    }
    Sum sum = sums.computeIfAbsent(groupOf.apply(full), none -> new Sum());
    sum.value += value;
    sum.devices.add(name);
  }

  /** What the first of the metrics that has any value of a device has. */
  private List<Held> first(List<String> metrics, String gpu, String instance, long time) {
    for (String metric : metrics) {
      List<Held> held = new ArrayList<>();
      for (Series each : all) {
        if (each.labels().metric().equals(metric)
            && each.labels().value("UUID").equals(gpu)
            && each.labels().value("GPU_I_ID").equals(instance)) {
          held(each, time).ifPresent(held::add);
        }
      }
      if (!held.isEmpty()) {
        return held;
      }
    }
    return List.of();
  }

  private static List<Held> newest(List<Held> held) {
    long newest = held.stream().mapToLong(Held::since).max().orElse(0);
    return held.stream()
        .filter(each -> each.since == newest)
        .sorted(Comparator.comparing(Held::labels))
        .toList();
  }

  private Optional<Held> held(Series series, long time) {
    for (int i = series.size() - 1; i >= 0; i--) {
      long since = series.times()[i];
      if (since <= time) {
        double value = series.values()[i];
        return value >= 0 && time < since + lookback
            ? Optional.of(
                new Held(
                    series.labels(),
                    since,
                    Math.round(value * UNITS.get(series.labels().metric()))))
            : Optional.empty();
      }
    }
    return Optional.empty();
  }
}
