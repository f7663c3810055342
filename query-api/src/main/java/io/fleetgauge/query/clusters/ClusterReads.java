package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.query.fanout.GatewayReads;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.source.ReadOptions;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Reads the gateways of this cluster, and leaves their answers as they are. */
final class ClusterReads {
  private ClusterReads() {}

  /**
   * @param without hosts that are not read
   */
  @SuppressWarnings("unchecked") // the answers of parts are those of a question for parts
  static <A extends Result> Future<ClusterAnswer<A>> read(
      GatewayReads gateways,
      Question<A> question,
      Set<String> without,
      Optional<Changes> since,
      ReadOptions options) {
    Predicate<String> hosts =
        without.isEmpty() ? GatewayReads.ALL : host -> !without.contains(host);
    if (question instanceof PartsQuestion parts) {
      return gateways
          .parts(parts, hosts, since, options, answers -> (List<A>) answers)
          .map(
              found ->
                  new ClusterAnswer<>(
                      found.value().value(), found.coverage(), found.value().changes()));
    }
    return gateways
        .read(question, hosts, options, answers -> answers)
        .map(found -> new ClusterAnswer<>(found.value(), found.coverage(), Optional.empty()));
  }
}
