package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.expr.Reading;
import io.fleetgauge.sample.vocabulary.Factor;
import io.fleetgauge.sample.vocabulary.MetricAlias;
import io.fleetgauge.sample.vocabulary.SeriesAliases;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The series that selectors with aliases read. */
public final class ReadingForm {
  private ReadingForm() {}

  /** The readings of each selector of an expression. */
  public static void write(WireWriter out, List<List<Reading>> selectors) {
    out.list(selectors, readings -> out.list(readings, reading -> write(out, reading)));
  }

  private static void write(WireWriter out, Reading reading) {
    SelectorForm.matchers(out, reading.matchers());
    SeriesAliases seen = reading.seen();
    out.u8(seen.metric().isPresent() ? 1 : 0);
    seen.metric().ifPresent(metric -> write(out, metric));
    out.uvar(seen.labels().size());
    new TreeMap<>(seen.labels()).forEach((name, stored) -> out.string(name).string(stored));
  }

  /** Units and help are not sent: evaluation does not need them. */
  private static void write(WireWriter out, MetricAlias metric) {
    out.string(metric.name()).string(metric.stored());
    out.f64(metric.factor().multiply()).f64(metric.factor().divide());
  }

  public static List<List<Reading>> read(WireReader in) throws WireException {
    return in.list(
        1,
        "selectors",
        selector ->
            selector.list(
                3,
                "readings",
                reading -> new Reading(SelectorForm.matchers(reading), seen(reading))));
  }

  private static SeriesAliases seen(WireReader in) throws WireException {
    Optional<MetricAlias> metric =
        in.uint(1, "whether a metric has an alias") == 1
            ? Optional.of(metric(in))
            : Optional.empty();
    Map<String, String> labels = new HashMap<>();
    int size = in.count(2, "aliases of labels");
    for (int i = 0; i < size; i++) {
      labels.put(in.string("an alias"), in.string("the label that an alias stands for"));
    }
    return new SeriesAliases(metric, Map.copyOf(labels));
  }

  private static MetricAlias metric(WireReader in) throws WireException {
    String name = in.string("an alias");
    String stored = in.string("the metric that an alias stands for");
    double multiply = in.f64("the factor of an alias");
    double divide = in.f64("the divisor of an alias");
    try {
      return new MetricAlias(name, stored, new Factor(multiply, divide), "", "");
    } catch (IllegalArgumentException e) {
      throw new WireException("the alias " + name + ": " + e.getMessage());
    }
  }
}
