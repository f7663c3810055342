package io.fleetgauge.query;

import io.fleetgauge.cluster.process.Guard;
import io.fleetgauge.cluster.process.Meters;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.query.answer.Admission;
import io.fleetgauge.query.answer.Answering;
import io.fleetgauge.query.cache.Extents;
import io.fleetgauge.query.fanout.ChangeFeed;
import io.fleetgauge.query.http.QueryCounts;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/** What a query API counts. */
final class QueryMeters {
  private QueryMeters() {}

  static Meters of(
      QueryCounts counts,
      Admission admission,
      Answering answering,
      Extents extents,
      ChangeFeed feed,
      DoubleSupplier hedges,
      Supplier<ClusterView> view,
      Guard guard) {
    Meters meters = new Meters("fleetgauge_query");
    meters.counter("queries", "Queries that ended.", counts::queries);
    meters.counter("query_seconds", "Time of all queries, with waiting.", counts::seconds);
    meters.counter("queries_refused", "Queries that found no place.", admission::refused);
    meters.gauge("queries_running", "Queries that run now.", admission::running);
    meters.gauge("queries_waiting", "Queries that wait for a place.", admission::waiting);
    meters.counter("rewritten", "Queries of which gateways evaluated parts.", answering::rewritten);
    meters.counter(
        "fallbacks",
        "Queries evaluated from samples because a gateway could not prove its part.",
        answering::fallbacks);
    meters.counter("rollup_cells", "Kept folds that answers were made of.", answering::rollupCells);
    meters.counter("extent_hits", "Extents of answers that were known.", extents::hits);
    meters.counter("extent_misses", "Extents of answers that were not.", extents::misses);
    meters.gauge("extent_bytes", "Bytes of extents of answers.", extents::bytes);
    meters.counter(
        "recent_hits", "Answers that were given again as a whole.", answering::recentHits);
    meters.gauge(
        "recent_bytes", "Bytes of answers that may be given again.", answering::recentBytes);
    meters.counter("queries_joined", "Queries that waited for an equal one.", answering::joined);
    meters.counter(
        "change_rounds", "How often the gateways were asked what changed.", feed::rounds);
    meters.gauge("table_epoch", "Version of the table.", () -> view.get().table().epoch());
    meters.gauge("gateways", "Gateways in the cluster.", () -> view.get().gateways().size());
    meters.gauge("hosts", "Hosts in the table.", () -> view.get().table().hosts().size());
    meters.gauge(
        "hosts_on_two",
        "Hosts of which a gateway besides the owner has all that the owner has.",
        () ->
            view.get().table().holders().values().stream()
                .filter(each -> each.copies().stream().anyMatch(Holders.Copy::synced))
                .count());
    meters.gauge(
        "hosts_moving",
        "Hosts that are on the way to another owner.",
        () ->
            view.get().table().holders().values().stream()
                .filter(each -> each.next().isPresent())
                .count());
    meters.gauge(
        "hosts_not_whole",
        "Hosts whose owner may lack what another one acknowledged.",
        () -> view.get().table().holders().values().stream().filter(each -> !each.whole()).count());
    meters.counter("hedges", "Fragments asked of a second reader.", hedges);
    meters.counter(
        "requests_refused", "Requests without a token that allows them.", guard::refused);
    meters.counter(
        "tenants_failures", "How often the file of tenants was wrong.", guard::fileFailures);
    return meters;
  }
}
