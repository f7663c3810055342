package io.fleetgauge.query;

import io.fleetgauge.cluster.member.ClusterView;
import io.fleetgauge.promql.exec.QueryFailure;
import io.fleetgauge.query.answer.Admission;
import io.fleetgauge.query.http.QueryCounts;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/** What a query API counts. */
final class QueryMeters {
  private QueryMeters() {}

  static void register(
      PrometheusRegistry registry,
      QueryCounts counts,
      Admission admission,
      Supplier<ClusterView> view) {
    counter(registry, "queries", "Queries that ended.", counts::queries);
    counter(registry, "query_seconds", "Time of all queries, with waiting.", counts::seconds);
    counter(registry, "queries_refused", "Queries that found no place.", admission::refused);
    CounterWithCallback.builder()
        .name("fleetgauge_query_failures_total")
        .help("Requests that failed, by Prometheus's error type.")
        .labelNames("error_type")
        .callback(
            out -> {
              for (QueryFailure.Kind kind : QueryFailure.Kind.values()) {
                out.call(counts.failures(kind), kind.text);
              }
            })
        .register(registry);
    gauge(registry, "queries_running", "Queries that run now.", admission::running);
    gauge(registry, "queries_waiting", "Queries that wait for a place.", admission::waiting);
    gauge(registry, "table_epoch", "Version of the table.", () -> view.get().table().epoch());
    gauge(registry, "gateways", "Gateways in the cluster.", () -> view.get().gateways().size());
  }

  private static void counter(
      PrometheusRegistry registry, String name, String help, DoubleSupplier value) {
    CounterWithCallback.builder()
        .name("fleetgauge_query_" + name + "_total")
        .help(help)
        .callback(out -> out.call(value.getAsDouble()))
        .register(registry);
  }

  private static void gauge(
      PrometheusRegistry registry, String name, String help, DoubleSupplier value) {
    GaugeWithCallback.builder()
        .name("fleetgauge_query_" + name)
        .help(help)
        .callback(out -> out.call(value.getAsDouble()))
        .register(registry);
  }
}
