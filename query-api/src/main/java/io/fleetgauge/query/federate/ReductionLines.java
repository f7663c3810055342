package io.fleetgauge.query.federate;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.lookup.ReductionNames;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.ExpositionLine;
import io.fleetgauge.sample.prometheus.ExpositionLines;
import io.fleetgauge.sample.prometheus.NameEscaping;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Writes reductions as lines of text. A scrape repeats the same selectors, so the names that they
 * select are computed once. Safe for all threads.
 */
final class ReductionLines {
  private static final int MAX_SCRAPES = 100;
  private static final Duration MAX_IDLE = Duration.ofMinutes(10);

  private final Cache<Scrape, Map<RollupOf, List<Selected>>> selected =
      Caffeine.newBuilder().maximumSize(MAX_SCRAPES).expireAfterAccess(MAX_IDLE).build();

  private record Scrape(List<List<Matcher>> selectors, NameEscaping escaping) {}

  /** There are as many as metrics with rollups and their groupings. */
  private record RollupOf(String metric, List<String> by) {}

  /**
   * A name that the selectors of a scrape select.
   *
   * @param begin the begin of its lines; empty if the name is written among the labels
   * @param groups a group is selected if it matches one of these lists
   */
  private record Selected(String name, String operator, byte[] begin, List<List<Matcher>> groups) {
    static List<Selected> of(RollupOf rollup, Scrape scrape) {
      List<Selected> all = new ArrayList<>();
      for (String operator : ReductionNames.OPERATORS) {
        String name = ReductionNames.name(rollup.by, rollup.metric, operator);
        List<List<Matcher>> groups = groups(name, scrape.selectors);
        if (!groups.isEmpty()) {
          boolean inBraces = ExpositionLine.hasNameInBraces(name, scrape.escaping);
          String begin = inBraces ? "" : ExpositionLine.name(name, scrape.escaping);
          all.add(new Selected(name, operator, bytes(begin), groups));
        }
      }
      return all;
    }

    private static List<List<Matcher>> groups(String name, List<List<Matcher>> selectors) {
      List<List<Matcher>> groups = new ArrayList<>();
      for (List<Matcher> selector : selectors) {
        List<Matcher> others = new ArrayList<>(selector);
        others.removeIf(matcher -> matcher.name().equals(Labels.NAME));
        if (selector.stream()
            .allMatch(each -> !each.name().equals(Labels.NAME) || each.matches(name))) {
          groups.add(others);
        }
      }
      return groups;
    }

    boolean has(Labels group) {
      for (List<Matcher> matchers : groups) {
        boolean all = true;
        for (Matcher matcher : matchers) {
          all &= matcher.matches(group);
        }
        if (all) {
          return true;
        }
      }
      return false;
    }
  }

  /** Labels of groups with their text in braces. */
  private record Groups(List<Labels> labels, byte[][] braces) {
    static Groups of(List<Labels> labels, NameEscaping escaping) {
      byte[][] braces = new byte[labels.size()][];
      for (int i = 0; i < braces.length; i++) {
        braces[i] = bytes(ExpositionLine.braces("", labels.get(i), escaping));
      }
      return new Groups(labels, braces);
    }
  }

  /**
   * The lines of each name.
   *
   * @param selectors of reductions
   * @param names true if a name is in the requested part
   * @param escaping of names
   */
  SortedMap<String, ExpositionLines> of(
      List<MetricReductions> reductions,
      List<List<Matcher>> selectors,
      Predicate<String> names,
      NameEscaping escaping) {
    Scrape scrape = new Scrape(selectors, escaping);
    Map<RollupOf, List<Selected>> of = selected.get(scrape, none -> new ConcurrentHashMap<>());
    SortedMap<String, ExpositionLines> all = new TreeMap<>();
    for (MetricReductions by : reductions) {
      Groups groups = Groups.of(by.groups(), escaping);
      for (MetricReductions.OfMetric metric : by.metrics()) {
        RollupOf rollup = new RollupOf(metric.metric(), by.by());
        for (Selected name : of.computeIfAbsent(rollup, each -> Selected.of(each, scrape))) {
          if (names.test(name.name)) {
            ExpositionLines lines = lines(metric, name, groups, escaping);
            if (lines.count() > 0) {
              all.put(name.name, lines);
            }
          }
        }
      }
    }
    return all;
  }

  private static ExpositionLines lines(
      MetricReductions.OfMetric metric, Selected name, Groups groups, NameEscaping escaping) {
    int size = groups.labels.size();
    ExpositionLines lines = new ExpositionLines(128 * size);
    for (int i = 0; i < size; i++) {
      Labels group = groups.labels.get(i);
      if (metric.counts()[i] > 0 && name.has(group)) {
        byte[] rest =
            name.begin.length == 0
                ? bytes(ExpositionLine.braces(name.name, group, escaping))
                : groups.braces[i];
        lines.add(name.begin, rest, value(metric, i, name.operator), metric.newest()[i]);
      }
    }
    return lines;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static double value(MetricReductions.OfMetric of, int i, String operator) {
    double sum = of.sums()[i];
    // The compensation of rounding is meaningless when the sum is not finite.
    double whole = Double.isInfinite(sum) || Double.isNaN(sum) ? sum : sum + of.carries()[i];
    return switch (operator) {
      case "avg" -> whole / of.counts()[i];
      case "count" -> of.counts()[i];
      case "max" -> of.maxs()[i];
      case "min" -> of.mins()[i];
      default -> whole;
    };
  }
}
