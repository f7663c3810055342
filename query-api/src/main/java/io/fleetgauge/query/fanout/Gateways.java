package io.fleetgauge.query.fanout;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.fragment.SamplesQuestion;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.fleet.ClusterState;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.sample.frame.PseudoHosts;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The gateways over HTTP: which is asked, when another one is too, and how reads share requests.
 */
public final class Gateways implements GatewayReads {
  /** Connections to a gateway for what does not read samples. */
  private static final int CONNECTIONS = 16;

  /** Requests of one query to one gateway at once: two gaps, each parts and samples, hedged. */
  private static final int OF_QUERY = 8;

  private static final long CHANGES_MILLIS = 2_000;

  private final Supplier<ClusterView> view;
  private final GatewayHttp http;
  private final Rounds rounds;
  private final SharedReads shared;
  private final ChangeRound changeRound = new ChangeRound(this::askChanges);

  /**
   * @param http client that reaches gateways
   * @param light where large answers of light queries are decoded and merged
   * @param heavy where those of heavy queries are
   */
  public Gateways(
      Vertx vertx,
      OutgoingHttp http,
      Supplier<ClusterView> view,
      WorkerExecutor light,
      WorkerExecutor heavy) {
    this.view = view;
    this.http = new GatewayHttp(http, light, heavy);
    this.rounds = new Rounds(vertx, this.http, view);
    this.shared = new SharedReads(vertx, rounds);
  }

  /**
   * For connections to gateways: enough that no request waits for the connection of a query.
   *
   * @param queries number of queries that are executed at once
   */
  public static HttpClients.Limits connections(int queries) {
    return new HttpClients.Limits(2_000, 300, CONNECTIONS + OF_QUERY * queries, 1_000);
  }

  @Override
  public <A extends Result, T> Future<Gathered<T>> read(
      Question<A> question,
      Predicate<String> hosts,
      ReadOptions options,
      Function<List<A>, T> merge) {
    return question instanceof SamplesQuestion && mayShare(hosts, options)
        ? shared.read(question, options, merge)
        : rounds.read(question, hosts, options, merge);
  }

  @Override
  public <T> Future<Gathered<WithChanges<T>>> parts(
      PartsQuestion question,
      Predicate<String> hosts,
      Optional<Changes> since,
      ReadOptions options,
      Function<List<PartsQuestion.Answer>, T> merge) {
    return since.isEmpty() && mayShare(hosts, options)
        ? shared.read(
            question, options, answers -> new WithChanges<>(merge.apply(answers), Optional.empty()))
        : rounds.parts(question, hosts, since, options, merge);
  }

  private static boolean mayShare(Predicate<String> hosts, ReadOptions options) {
    return hosts == ALL && options.together() && !options.load().isHeavy();
  }

  @Override
  public Future<Changes> changes(Optional<Changes> last) {
    return changeRound.look(view.get(), last);
  }

  @Override
  public int hostCount() {
    return Rounds.nodes(view.get().table().hosts());
  }

  @Override
  public long epoch() {
    return view.get().table().epoch();
  }

  @Override
  public ClusterState cluster() {
    return state(view.get());
  }

  /** A cluster as it is seen by a view of it. */
  public static ClusterState state(ClusterView now) {
    Map<String, Long> owned = new HashMap<>();
    now.table()
        .holders()
        .forEach(
            (host, each) ->
                owned.merge(each.owner(), PseudoHosts.isOne(host) ? 0L : 1L, Long::sum));
    List<ClusterState.Gateway> states = new ArrayList<>();
    new TreeMap<>(now.gateways())
        .forEach(
            (name, address) ->
                states.add(
                    new ClusterState.Gateway(
                        name, address.toString(), owned.getOrDefault(name, 0L))));
    return new ClusterState(now.table().epoch(), now.isMinority(), states);
  }

  private Future<ChangesQuestion.Answer> askChanges(URI gateway, ChangesQuestion.Since since) {
    return http.ask(
            gateway,
            new Fragment(Load.OWN, 0, List.of(), new ChangesQuestion(since)),
            Span.NONE,
            CHANGES_MILLIS)
        .answer()
        .map(answer -> (ChangesQuestion.Answer) answer.answer().result());
  }

  /** Declares what is counted here. */
  public void declare(Meters meters) {
    meters.counter(
        "hedges",
        "Requests that went to a replica because the owner took long or failed.",
        rounds::hedges);
    meters.counter(
        "shared_reads",
        "Reads of rules that shared a request to each gateway with others.",
        shared::shared);
  }
}
