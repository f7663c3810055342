package io.fleetgauge.query.federate;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.ReductionNames;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.ExpositionLine;
import io.fleetgauge.sample.prometheus.ExpositionLines;
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
 * Reductions as lines of text. Who asks does so again and again: which names are meant is found out
 * once. Safe for all threads.
 */
final class ReductionLines {
  private static final int MOST_QUESTIONS = 100;
  private static final Duration KEPT = Duration.ofMinutes(10);

  private final Cache<Question, Map<Reduced, List<Meant>>> known =
      Caffeine.newBuilder().maximumSize(MOST_QUESTIONS).expireAfterAccess(KEPT).build();

  private record Question(List<List<Matcher>> selectors, boolean utf8) {}

  /** There are as many as rollups are kept of. */
  private record Reduced(String metric, List<String> by) {}

  /**
   * A name that selectors mean.
   *
   * @param begin of its lines; empty if the name stands among the labels
   * @param groups matchers of which a group has to fulfil one list
   */
  private record Meant(String name, String operator, byte[] begin, List<List<Matcher>> groups) {
    static List<Meant> of(Reduced reduced, Question question) {
      List<Meant> all = new ArrayList<>();
      for (String operator : ReductionNames.OPERATORS) {
        String name = ReductionNames.name(reduced.by, reduced.metric, operator);
        List<List<Matcher>> groups = groups(name, question.selectors);
        if (!groups.isEmpty()) {
          boolean inBraces = ExpositionLine.hasNameInBraces(name, question.utf8);
          String begin = inBraces ? "" : ExpositionLine.name(name, question.utf8);
          all.add(new Meant(name, operator, bytes(begin), groups));
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

  /** The labels of groups as lines have them. */
  private record Groups(List<Labels> labels, byte[][] braces) {
    static Groups of(List<Labels> labels, boolean utf8) {
      byte[][] braces = new byte[labels.size()][];
      for (int i = 0; i < braces.length; i++) {
        braces[i] = bytes(ExpositionLine.braces("", labels.get(i), utf8));
      }
      return new Groups(labels, braces);
    }
  }

  /**
   * The lines of each name.
   *
   * @param selectors of reductions
   * @param names those that are wanted at all
   * @param utf8 whether names may have any characters
   */
  SortedMap<String, ExpositionLines> of(
      List<FragmentAnswer.Reductions> reductions,
      List<List<Matcher>> selectors,
      Predicate<String> names,
      boolean utf8) {
    Question question = new Question(selectors, utf8);
    Map<Reduced, List<Meant>> of = known.get(question, none -> new ConcurrentHashMap<>());
    SortedMap<String, ExpositionLines> all = new TreeMap<>();
    for (FragmentAnswer.Reductions by : reductions) {
      Groups groups = Groups.of(by.groups(), utf8);
      for (FragmentAnswer.Reduction metric : by.metrics()) {
        Reduced reduced = new Reduced(metric.metric(), by.by());
        for (Meant meant : of.computeIfAbsent(reduced, each -> Meant.of(each, question))) {
          if (names.test(meant.name)) {
            ExpositionLines lines = lines(metric, meant, groups, utf8);
            if (lines.count() > 0) {
              all.put(meant.name, lines);
            }
          }
        }
      }
    }
    return all;
  }

  private static ExpositionLines lines(
      FragmentAnswer.Reduction metric, Meant meant, Groups groups, boolean utf8) {
    int size = groups.labels.size();
    ExpositionLines lines = new ExpositionLines(128 * size);
    for (int i = 0; i < size; i++) {
      Labels group = groups.labels.get(i);
      if (metric.counts()[i] > 0 && meant.has(group)) {
        byte[] rest =
            meant.begin.length == 0
                ? bytes(ExpositionLine.braces(meant.name, group, utf8))
                : groups.braces[i];
        lines.add(meant.begin, rest, value(metric, i, meant.operator), metric.newest()[i]);
      }
    }
    return lines;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static double value(FragmentAnswer.Reduction of, int i, String operator) {
    double sum = of.sums()[i];
    // What was lost to rounding says nothing once the sum is infinite.
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
