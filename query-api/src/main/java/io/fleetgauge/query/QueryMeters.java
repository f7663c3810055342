package io.fleetgauge.query;

import io.fleetgauge.cluster.member.ClusterView;
import io.fleetgauge.cluster.process.Meters;
import io.fleetgauge.query.answer.Admission;
import io.fleetgauge.query.http.QueryCounts;
import java.util.function.Supplier;

/** What a query API counts. */
final class QueryMeters {
  private QueryMeters() {}

  static Meters of(QueryCounts counts, Admission admission, Supplier<ClusterView> view) {
    Meters meters = new Meters("fleetgauge_query");
    meters.counter("queries", "Queries that ended.", counts::queries);
    meters.counter("query_seconds", "Time of all queries, with waiting.", counts::seconds);
    meters.counter("queries_refused", "Queries that found no place.", admission::refused);
    meters.counters(
        "failures",
        "Requests that failed, by Prometheus's error type.",
        "error_type",
        counts::failures);
    meters.gauge("queries_running", "Queries that run now.", admission::running);
    meters.gauge("queries_waiting", "Queries that wait for a place.", admission::waiting);
    meters.gauge("table_epoch", "Version of the table.", () -> view.get().table().epoch());
    meters.gauge("gateways", "Gateways in the cluster.", () -> view.get().gateways().size());
    return meters;
  }
}
