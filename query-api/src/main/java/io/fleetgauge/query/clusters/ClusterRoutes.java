package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.query.AddedLabel;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.config.ClustersSettings;
import io.fleetgauge.query.fanout.GatewayReads;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Answers reads of other clusters from the gateways of this one: within the scope and the limits of
 * the token, and never from the clusters that this query API asks itself.
 */
public final class ClusterRoutes {
  static final String PATH = "/v1/clusters/read";

  private static final String UNSEEN = "hosts that may have data of this scope are missing";
  private static final String SPLIT =
      "it is split, and samples that its other side accepts are missing";

  private final Querier querier;
  private final GatewayReads gateways;
  private final long timeoutMillis;
  private final Looks looks = new Looks();
  private final long mask;

  private ClusterRoutes(Duration timeout, String cluster, Querier querier, GatewayReads gateways) {
    this.querier = querier;
    this.gateways = gateways;
    this.timeoutMillis = timeout.toMillis();
    this.mask = cluster.hashCode() & Integer.MAX_VALUE;
  }

  /**
   * @param timeout longest time of a read
   * @param cluster name of the cluster
   * @param querier answers from the cluster that this process has joined, and from no other
   * @param gateways of that cluster
   */
  public static void mount(
      ApiRoutes routes, Duration timeout, String cluster, Querier querier, GatewayReads gateways) {
    ClusterRoutes all = new ClusterRoutes(timeout, cluster, querier, gateways);
    routes.postText(PATH, all::answer);
  }

  private Future<Body> answer(ApiRequest http) throws QueryFailure {
    ClusterQuestion asked;
    try {
      asked = ClusterQuestion.decode(http.body());
    } catch (WireException e) {
      throw new QueryFailure(QueryFailure.Kind.BAD_DATA, e.getMessage());
    }
    if (asked.question() instanceof PartsQuestion parts) {
      checkLabel(parts);
    }
    http.respondWith("Content-Type", "application/octet-stream");
    boolean seesAll = http.caller().seesAllHosts();
    return asked.question() instanceof ChangesQuestion changes
        ? changes(asked, changes, seesAll)
        : answer(http, asked, asked.question(), seesAll);
  }

  /** Only this label is added, so that nobody hides another label of series. */
  private static void checkLabel(PartsQuestion parts) throws QueryFailure {
    Optional<String> other =
        parts.label().map(AddedLabel::name).filter(name -> !name.equals(ClustersSettings.LABEL));
    if (other.isPresent()) {
      throw new QueryFailure(
          QueryFailure.Kind.BAD_DATA,
          "the label " + other.get() + " cannot be added, only " + ClustersSettings.LABEL);
    }
  }

  private Future<Body> changes(ClusterQuestion asked, ChangesQuestion question, boolean seesAll) {
    return gateways
        .changes(looks.find(asked.since()))
        .map(
            changes ->
                Body.large(
                    () ->
                        Buffer.buffer(
                            new ClusterAnswer<>(
                                    List.of(),
                                    Coverage.whole(0, told(changes.epoch())),
                                    Optional.of(told(changes, seesAll)))
                                .encode(question))));
  }

  private <A extends Result> Future<Body> answer(
      ApiRequest http, ClusterQuestion asked, Question<A> question, boolean seesAll)
      throws QueryFailure {
    GatewayRead<A> read =
        new GatewayRead<>(
            gateways, question, answer -> answer, asked.without(), looks.find(asked.since()));
    long millis = Math.clamp(asked.timeoutMillis(), 1, timeoutMillis);
    return http.ask(querier, new Request.OfCluster<>(read), millis)
        .map(reply -> Body.large(() -> Buffer.buffer(told(reply, seesAll).encode(question))));
  }

  // --- what is told of hosts that a token does not see: nothing, as in other answers ---

  private <A extends Result> ClusterAnswer<A> told(Reply<ClusterAnswer<A>> reply, boolean seesAll) {
    ClusterAnswer<A> answer = reply.value();
    Coverage all = answer.coverage();
    Completeness seen = reply.completeness();
    Coverage coverage =
        new Coverage(
            seesAll ? all.hosts() : Math.max(0, seen.expected()),
            seesAll ? all.missing() : seen.missing(),
            told(all.epoch()),
            List.of(),
            all.hedged(),
            seesAll ? all.split() : split(all, seen));
    return new ClusterAnswer<>(
        answer.answers(), coverage, answer.changes().map(changes -> told(changes, seesAll)));
  }

  private static String split(Coverage all, Completeness seen) {
    return all.split().isEmpty() ? seen.unseen() ? UNSEEN : "" : SPLIT;
  }

  /** Another number for each epoch, the same for all query APIs of the cluster. */
  private long told(long epoch) {
    return epoch < 0 ? epoch : epoch ^ mask;
  }

  private Changes told(Changes changes, boolean seesAll) {
    Changes numbered = looks.numbered(changes);
    return new Changes(
        told(changes.epoch()),
        seesAll ? changes.watermark() : Long.MIN_VALUE,
        changes.all(),
        changes.buckets(),
        numbered.position());
  }
}
