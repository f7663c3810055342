package io.fleetgauge.promql.usage.series;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which series of usage a selector names.
 *
 * @param metrics at least one
 * @param classes matchers of the class
 * @param rows matchers of rows, and of the metrics that they are made of
 * @param isAlone whether it selects nothing that is stored
 */
public record UsageSelector(
    List<UsageMetric> metrics, List<Matcher> classes, List<Matcher> rows, boolean isAlone) {

  /** Empty if a selector names none. */
  public static Optional<UsageSelector> of(List<Matcher> matchers) {
    Set<String> names = new HashSet<>();
    for (Matcher matcher : matchers) {
      if (matcher.name().equals(Labels.NAME)) {
        names.addAll(matcher.namedValues());
      }
    }
    if (names.stream().noneMatch(UsageSelector::isOfUsage)) {
      return Optional.empty();
    }
    List<Matcher> classes = new ArrayList<>();
    List<Matcher> rows = new ArrayList<>();
    for (Matcher matcher : matchers) {
      switch (matcher.name()) {
        case Labels.NAME -> {
          names.removeIf(name -> !matcher.matches(name));
          if (matcher.namedValues().isEmpty()) {
            // A scope may have it, and then usage is counted from the metrics in the scope.
            rows.add(matcher);
          }
        }
        case UsageMetric.CLASS -> classes.add(matcher);
        default -> rows.add(matcher);
      }
    }
    List<UsageMetric> metrics =
        names.stream().sorted().flatMap(name -> UsageMetric.named(name).stream()).toList();
    return metrics.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new UsageSelector(
                metrics,
                List.copyOf(classes),
                List.copyOf(rows),
                names.stream().allMatch(UsageSelector::isOfUsage)));
  }

  private static boolean isOfUsage(String metric) {
    return UsageMetric.named(metric).isPresent();
  }

  /** Whether it selects the series of a class; the empty text is of a metric without classes. */
  public boolean isMeant(String ofClass) {
    return classes.stream().allMatch(matcher -> matcher.matches(ofClass));
  }
}
