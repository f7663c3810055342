package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.query.fanout.GatewayReads;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.source.ReadOptions;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.Set;

/** The cluster that this query API has joined. */
record OwnCluster(String name, GatewayReads gateways) implements Place {
  @Override
  public Optional<String> refusal(String tenant) {
    return Optional.empty();
  }

  @Override
  public <A extends Result> Future<ClusterAnswer<A>> read(
      Question<A> question, Set<String> without, Optional<Changes> since, ReadOptions options) {
    return ClusterReads.read(gateways, question, without, since, options);
  }

  @Override
  public Future<Changes> changes(Optional<Changes> last) {
    return gateways.changes(last);
  }

  @Override
  public long epoch() {
    return gateways.epoch();
  }
}
