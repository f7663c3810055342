package io.fleetgauge.promql.function;

import io.fleetgauge.promql.query.Annotations;
import io.fleetgauge.promql.usage.series.UsageMetric;
import java.util.Optional;

/** The annotation for a rate whose metric is not named like a counter. */
public final class CounterNames {
  private static final String REMARK =
      "metric might not be a counter, name does not end in _total/_sum/_count/_bucket: ";

  private CounterNames() {}

  /** The info, if the name is not that of a counter. */
  public static Optional<String> remark(String metric) {
    boolean isCounter =
        metric.isEmpty()
            || metric.endsWith("_total")
            || metric.endsWith("_sum")
            || metric.endsWith("_count")
            || metric.endsWith("_bucket")
            || UsageMetric.named(metric).isPresent();
    return isCounter ? Optional.empty() : Optional.of(REMARK + "\"" + metric + "\"");
  }

  /** Returns true if an info of an answer is such a remark. */
  public static boolean isRemark(String info) {
    return info.startsWith(Annotations.INFO + REMARK);
  }
}
