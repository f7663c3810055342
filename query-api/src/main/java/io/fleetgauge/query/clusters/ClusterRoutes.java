package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.fanout.GatewayReads;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Optional;

/**
 * Answers reads of other clusters from the gateways of this one: within the scope and the limits of
 * the token, and never from the clusters that this query API asks itself.
 */
public final class ClusterRoutes {
  static final String PATH = "/v1/clusters/read";

  private static final String UNSEEN = "hosts that may have data of this scope are missing";

  private final Querier querier;
  private final GatewayReads gateways;
  private final long timeoutMillis;
  private final Looks looks = new Looks();

  private ClusterRoutes(QueryConfig config, Querier querier, GatewayReads gateways) {
    this.querier = querier;
    this.gateways = gateways;
    this.timeoutMillis = config.timeout().toMillis();
  }

  /**
   * @param querier answers from the cluster that this process has joined, and from no other
   * @param gateways of that cluster
   */
  public static void mount(
      ApiRoutes routes, QueryConfig config, Querier querier, GatewayReads gateways) {
    ClusterRoutes all = new ClusterRoutes(config, querier, gateways);
    routes.postText(PATH, all::answer);
  }

  private Future<Body> answer(ApiRequest http) throws QueryFailure {
    ClusterQuestion asked;
    try {
      asked = ClusterQuestion.decode(http.body());
    } catch (WireException e) {
      throw new QueryFailure(QueryFailure.Kind.BAD_DATA, e.getMessage());
    }
    http.respondWith("Content-Type", "application/octet-stream");
    return asked.question() instanceof ChangesQuestion changes
        ? changes(asked, changes)
        : answer(http, asked, asked.question());
  }

  private Future<Body> changes(ClusterQuestion asked, ChangesQuestion question) {
    return gateways
        .changes(looks.find(asked.since()))
        .map(
            changes ->
                Body.large(
                    () ->
                        Buffer.buffer(
                            new ClusterAnswer<>(
                                    List.of(),
                                    Coverage.whole(gateways.hostCount(), changes.epoch()),
                                    Optional.of(looks.numbered(changes)))
                                .encode(question))));
  }

  private <A extends Result> Future<Body> answer(
      ApiRequest http, ClusterQuestion asked, Question<A> question) throws QueryFailure {
    GatewayRead<A> read =
        new GatewayRead<>(
            gateways, question, answer -> answer, asked.without(), looks.find(asked.since()));
    boolean seesAll = http.caller().seesAllHosts();
    long millis = Math.clamp(asked.timeoutMillis(), 1, timeoutMillis);
    return http.ask(querier, new Request.OfCluster<>(read), millis)
        .map(reply -> Body.large(() -> Buffer.buffer(told(reply, seesAll).encode(question))));
  }

  /** Names of hosts are told as they are in other answers. */
  private <A extends Result> ClusterAnswer<A> told(Reply<ClusterAnswer<A>> reply, boolean seesAll) {
    ClusterAnswer<A> answer = reply.value();
    Coverage coverage = answer.coverage();
    if (!seesAll) {
      Completeness seen = reply.completeness();
      coverage =
          new Coverage(
              Math.max(0, seen.expected()),
              seen.missing(),
              coverage.epoch(),
              List.of(),
              coverage.hedged(),
              coverage.split().isEmpty() && seen.unseen() ? UNSEEN : coverage.split());
    }
    return new ClusterAnswer<>(answer.answers(), coverage, answer.changes().map(looks::numbered));
  }
}
