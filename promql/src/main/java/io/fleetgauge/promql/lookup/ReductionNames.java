package io.fleetgauge.promql.lookup;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;

/**
 * The names that reductions of metrics have when they are federated, as recording rules are named:
 * {@code LABELS:METRIC:OPERATOR}, such as {@code rack:DCGM_FI_DEV_GPU_UTIL:avg} or {@code
 * rack_tenant:DCGM_FI_DEV_POWER_USAGE:sum}.
 */
public final class ReductionNames {
  /** Names under which each reduction is given. */
  public static final List<String> OPERATORS = List.of("avg", "count", "max", "min", "sum");

  private static final List<String> TOGETHER = List.of("rack", "tenant");

  private ReductionNames() {}

  public static String name(List<String> by, String metric, String operator) {
    return String.join("_", by) + ":" + metric + ":" + operator;
  }

  /**
   * Returns true if a selector is about reductions: it names one, and other metrics have no colons.
   */
  public static boolean isOfReductions(List<Matcher> selector) {
    return selector.stream()
        .anyMatch(
            matcher -> matcher.name().equals(Labels.NAME) && matcher.value().indexOf(':') >= 0);
  }

  /**
   * By which labels a metric is to be reduced.
   *
   * @param labels those that its rollups are kept by; each alone is offered, and rack and tenant
   *     together
   * @param selectors of reductions
   */
  public static List<List<String>> wanted(
      String metric, List<String> labels, List<List<Matcher>> selectors) {
    List<List<String>> offered = new ArrayList<>();
    labels.forEach(label -> offered.add(List.of(label)));
    if (labels.containsAll(TOGETHER)) {
      offered.add(TOGETHER);
    }
    offered.removeIf(
        by ->
            OPERATORS.stream()
                .noneMatch(operator -> isNamed(name(by, metric, operator), selectors)));
    return offered;
  }

  private static boolean isNamed(String name, List<List<Matcher>> selectors) {
    return selectors.stream()
        .anyMatch(
            selector ->
                selector.stream()
                    .filter(matcher -> matcher.name().equals(Labels.NAME))
                    .allMatch(matcher -> matcher.matches(name)));
  }
}
