package io.fleetgauge.query.fanout;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentRequest;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.shards.Changes;
import io.fleetgauge.query.shards.ClusterState;
import io.fleetgauge.query.shards.EvaluatedParts;
import io.fleetgauge.query.shards.Extent;
import io.fleetgauge.query.shards.Gathered;
import io.fleetgauge.query.shards.NewestRead;
import io.fleetgauge.query.shards.Owners;
import io.fleetgauge.query.shards.ReadOptions;
import io.fleetgauge.query.shards.ReductionRead;
import io.fleetgauge.query.shards.Shards;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.frame.PseudoHosts;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The gateways as {@link Shards}: what is read becomes fragments, their answers are merged. */
public final class GatewayShards implements Shards {
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
   * @param http how gateways are reached
   * @param light where large answers of light queries are decoded and merged
   * @param heavy where those of heavy queries are
   */
  public GatewayShards(
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
   * @param queries how many are executed at once
   */
  public static OutgoingHttp.Limits connections(int queries) {
    return new OutgoingHttp.Limits(2_000, 300, CONNECTIONS + OF_QUERY * queries, 1_000);
  }

  @Override
  public Future<Gathered<List<List<Series>>>> samples(
      List<Selection> selections, long budget, ReadOptions options) {
    return gatherTogether(
        new Fragment.Samples(0, List.of(), budget, selections),
        options,
        answers -> Merge.samples(answers, selections.size()));
  }

  @Override
  public Future<Gathered<EvaluatedParts>> parts(
      Planned planned, List<Matcher> scope, ReadOptions options) {
    List<Fragment.Part> parts = new ArrayList<>();
    for (Planned.Cut cut : planned.cuts()) {
      parts.add(new Fragment.Part(cut.number(), cut.grid(), cut.partial(), cut.rollups()));
    }
    return gatherTogether(
        new Fragment.Parts(
            0,
            List.of(),
            planned.query().unparsed(),
            scope,
            planned.aliases(),
            options.timeoutMillis(),
            parts,
            Optional.empty()),
        options,
        answers -> Merge.parts(answers, planned));
  }

  @Override
  public Future<Gathered<List<Extent>>> extents(List<Selection> selections, ReadOptions options) {
    return gather(
        new Fragment.Extent(0, List.of(), selections),
        options,
        answers -> Merge.extents(answers, selections.size()));
  }

  @Override
  public Future<Gathered<List<String>>> labelNames(Fragment.Search search, ReadOptions options) {
    return gather(new Fragment.LabelNames(0, List.of(), search), options, Merge::strings);
  }

  @Override
  public Future<Gathered<List<String>>> labelValues(
      String label, Fragment.Search search, ReadOptions options) {
    return gather(new Fragment.LabelValues(0, List.of(), label, search), options, Merge::strings);
  }

  @Override
  public Future<Gathered<List<Labels>>> labelSets(Fragment.Search search, ReadOptions options) {
    return gather(new Fragment.LabelSets(0, List.of(), search), options, Merge::labelSets);
  }

  @Override
  public Future<Gathered<Map<String, MetricMetadata>>> metadata(
      List<String> tenants, ReadOptions options) {
    return gather(new Fragment.Metadata(0, List.of(), tenants), options, Merge::metadata);
  }

  @Override
  public Future<Gathered<SortedMap<String, List<FragmentAnswer.Family>>>> newest(
      NewestRead read, Predicate<String> hosts, ReadOptions options) {
    return rounds.read(read.fragment(), hosts, options, Merge::families);
  }

  @Override
  public Future<Gathered<List<FragmentAnswer.Reductions>>> reductions(
      ReductionRead read, ReadOptions options) {
    return gather(
        new Fragment.Reduced(0, List.of(), read.names(), read.scope(), read.after(), read.to()),
        options,
        Merge::reductions);
  }

  @Override
  public Future<Gathered<List<FragmentAnswer.Host>>> hosts(
      List<Matcher> scope, ReadOptions options) {
    return gather(new Fragment.Hosts(0, List.of(), scope), options, Merge::hosts);
  }

  @Override
  public Future<Gathered<Owners>> owners(Fragment.Search search, ReadOptions options) {
    return gather(new Fragment.Owners(0, List.of(), search), options, Merge::owners);
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
    ClusterView now = view.get();
    Map<String, Long> owned = new HashMap<>();
    now.table()
        .holders()
        .forEach(
            (host, each) ->
                owned.merge(each.owner(), PseudoHosts.isOne(host) ? 0L : 1L, Long::sum));
    List<ClusterState.Gateway> gateways = new ArrayList<>();
    new TreeMap<>(now.gateways())
        .forEach(
            (name, address) ->
                gateways.add(
                    new ClusterState.Gateway(
                        name, address.toString(), owned.getOrDefault(name, 0L))));
    return new ClusterState(now.table().epoch(), now.isMinority(), gateways);
  }

  private Future<FragmentAnswer.Changes> askChanges(URI gateway, Fragment.Since since) {
    return http.ask(
            gateway,
            new FragmentRequest(Load.OWN, new Fragment.Changes(0, List.of(), since)),
            Span.NONE,
            CHANGES_MILLIS)
        .answer()
        .map(answer -> (FragmentAnswer.Changes) answer.answer());
  }

  /** In a request with others, if that is allowed. */
  private <T> Future<Gathered<T>> gatherTogether(
      Fragment fragment, ReadOptions options, Function<List<FragmentAnswer>, T> merge) {
    return options.together() && options.since().isEmpty() && !options.load().isHeavy()
        ? shared.read(fragment, options, merge)
        : gather(fragment, options, merge);
  }

  private <T> Future<Gathered<T>> gather(
      Fragment fragment, ReadOptions options, Function<List<FragmentAnswer>, T> merge) {
    return rounds.read(fragment, host -> true, options, merge);
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
