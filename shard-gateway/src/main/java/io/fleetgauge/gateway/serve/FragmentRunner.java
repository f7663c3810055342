package io.fleetgauge.gateway.serve;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.store.CacheUse;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreChanges;
import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.usage.KeptUsage;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.Holdings;
import io.fleetgauge.promql.fragment.NewestQuestion;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.ReductionsQuestion;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.fragment.SeveralQuestion;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.HostRetention;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.lookup.TimeBucket;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.usage.KeptMonth;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.frame.HostLabels;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes fragments against a store. Safe for all threads. */
public final class FragmentRunner {
  private static final Logger LOG = LoggerFactory.getLogger(FragmentRunner.class);
  private final Store store;
  private final Ownership ownership;
  private final Supplier<ClusterView> view;
  private final WholeCopies wholeCopies;
  private final BooleanSupplier whole;
  private final Function<Collection<String>, Map<String, MetricMetadata>> metadata;
  private final PartsRunner parts;
  private final NewestLines newestLines;
  private final NewestReductions newestReductions;
  private volatile Owned owned = new Owned(ClusterView.EMPTY, Set.of());

  /** Which replicas here have all samples of their owners. */
  @FunctionalInterface
  public interface WholeCopies {
    /**
     * @param ownerSince the epoch from which on the owner has owned the host
     */
    boolean has(String host, long ownerSince);
  }

  /** The hosts that this gateway owns by one view of the cluster. */
  private record Owned(ClusterView view, Set<String> hosts) {}

  /**
   * @param hostLabels name the host of a series
   * @param metadata the metadata that tenants gave; of all tenants if none is named
   * @param whole whether all samples from before the start are back
   */
  public FragmentRunner(
      Store store,
      HostLabels hostLabels,
      Ownership ownership,
      Supplier<ClusterView> view,
      WholeCopies wholeCopies,
      BooleanSupplier whole,
      Function<Collection<String>, Map<String, MetricMetadata>> metadata) {
    this.metadata = metadata;
    this.newestLines = new NewestLines(store);
    this.newestReductions = new NewestReductions(store);
    this.parts = new PartsRunner(store, hostLabels);
    this.wholeCopies = wholeCopies;
    this.whole = whole;
    this.store = store;
    this.ownership = ownership;
    this.view = view;
  }

  /** The caches that fragments use, by name. */
  public Map<String, CacheUse> caches() {
    return Map.of(
        "block_pages", store.sealedRollupUse(),
        "combined_pages", parts.combinedUse(),
        "computed_pages", store.computedRollupUse(),
        "expressions", parts.expressionUse(),
        "newest_lines", newestLines.use(),
        "newest_reductions", newestReductions.use());
  }

  /**
   * A copy answers only by a table that is as new as the asker's: its owner may have gone on
   * without it, which the copy learns from the table only.
   */
  private boolean isHere(String host, Set<String> mine, ClusterView now, long askerEpoch) {
    if (mine.contains(host)) {
      return true;
    }
    if (askerEpoch > now.table().epoch()) {
      return false;
    }
    OptionalLong ownerSince = ownership.ownerOfCopySince(host, now);
    return ownerSince.isPresent() && wholeCopies.has(host, ownerSince.getAsLong());
  }

  /** The answer, if the event loop can compute it. */
  Optional<FragmentAnswer> quickly(Fragment fragment) {
    if (!(fragment.question() instanceof PartsQuestion asked)) {
      return Optional.empty();
    }
    ClusterView now = view.get();
    // Before anything is read: what is not reported here is read, or is reported the next time.
    Optional<ChangesQuestion.Answer> changes = asked.since().map(since -> changes(since));
    List<String> covered = covered(fragment, now);
    return parts
        .quickly(asked, new CoveredHosts(covered))
        .map(results -> new FragmentAnswer(now.table().epoch(), covered, results.after(changes)));
  }

  /** Returns true if the samples that a part of a query reads are in memory. */
  boolean isInMemory(Fragment fragment) {
    return isInMemory(fragment.hosts(), fragment.question());
  }

  private boolean isInMemory(List<String> hosts, Question<?> question) {
    if (question instanceof SeveralQuestion several) {
      return several.questions().stream().allMatch(each -> isInMemory(hosts, each));
    }
    return question instanceof PartsQuestion asked
        && parts.isInMemory(hosts, parts.readsAfter(asked));
  }

  /**
   * The load of a fragment as it is here: its estimate counts on rollups, and there may be none for
   * what is asked.
   */
  Load load(Fragment fragment) {
    return lacksRollups(fragment.question()) ? fragment.load().withoutRollups() : fragment.load();
  }

  private boolean lacksRollups(Question<?> question) {
    if (question instanceof SeveralQuestion several) {
      return several.questions().stream().anyMatch(this::lacksRollups);
    }
    return question instanceof PartsQuestion asked && parts.lacksRollups(asked);
  }

  /** No host is covered while samples from before the start are being read. */
  private List<String> covered(Fragment fragment, ClusterView now) {
    if (!whole.getAsBoolean() || fragment.hosts().isEmpty()) {
      return List.of();
    }
    Set<String> mine = owned(now);
    List<String> covered = new ArrayList<>(fragment.hosts().size());
    for (String host : fragment.hosts()) {
      if (isHere(host, mine, now, fragment.epoch())) {
        covered.add(host);
      }
    }
    return Collections.unmodifiableList(covered);
  }

  private Set<String> owned(ClusterView now) {
    Owned known = owned;
    if (known.view != now) {
      known = new Owned(now, ownership.hosts(now));
      owned = known;
    }
    return known.hosts;
  }

  /**
   * @param stop checked while a part of a query is evaluated
   * @throws TooManySamples if there are more samples than the budget of the fragment
   * @throws QueryFailure if {@code stop} gives a reason
   */
  public FragmentAnswer run(Fragment fragment, StopCheck stop) throws TooManySamples, QueryFailure {
    ClusterView now = view.get();
    Held held = new Held(new CoveredHosts(covered(fragment, now)), stop);
    Result result = fragment.question().answer(held);
    return new FragmentAnswer(now.table().epoch(), held.covered(), result);
  }

  private ChangesQuestion.Answer changes(ChangesQuestion.Since since) {
    Set<String> mine = owned(view.get());
    StoreChanges changes = store.changes(since.incarnation(), since.cursor(), mine::contains);
    return new ChangesQuestion.Answer(
        changes.incarnation(),
        changes.cursor(),
        changes.watermark(),
        changes.hosts().stream().map(FragmentRunner::changed).toList());
  }

  /** The buckets of time that the query API caches by, whatever ranges the store tracks. */
  private static ChangesQuestion.OfHost changed(StoreChanges.OfHost host) {
    List<Long> buckets =
        host.ranges().stream()
            .flatMapToLong(
                range ->
                    LongStream.rangeClosed(
                        TimeBucket.of(range.after() + 1), TimeBucket.of(range.to())))
            .boxed()
            .distinct()
            .toList();
    return new ChangesQuestion.OfHost(host.host(), host.all(), buckets);
  }

  /** The data of the hosts of one fragment. */
  private final class Held implements Holdings {
    private final CoveredHosts hosts;
    private final StopCheck stop;
    private final Set<String> incomplete;

    Held(CoveredHosts hosts, StopCheck stop) {
      this(hosts, stop, new HashSet<>());
    }

    private Held(CoveredHosts hosts, StopCheck stop, Set<String> incomplete) {
      this.hosts = hosts;
      this.stop = stop;
      this.incomplete = incomplete;
    }

    @Override
    public List<String> hosts() {
      return hosts.list();
    }

    @Override
    public List<String> covered() {
      return incomplete.isEmpty()
          ? hosts.list()
          : hosts.list().stream().filter(host -> !incomplete.contains(host)).toList();
    }

    @Override
    public Holdings of(String host) {
      return new Held(new CoveredHosts(List.of(host)), stop, incomplete);
    }

    @Override
    public Holdings again() {
      return new Held(hosts, stop);
    }

    @Override
    public String failed(Question<?> question, RuntimeException failure) {
      LOG.error("a fragment of the kind {} could not be executed", question.kind(), failure);
      return "a gateway could not execute it: " + failure;
    }

    @Override
    public List<Series> samples(Selection selection, long budget)
        throws TooManySamples, QueryFailure {
      return store.select(hosts(), selection, budget, incomplete::add, stop);
    }

    @Override
    public Extent extent(Selection selection) {
      return store.extent(hosts(), selection);
    }

    @Override
    public List<String> labelNames(SeriesSearch search) {
      return store.labelNames(hosts(), search, incomplete::add);
    }

    @Override
    public List<String> labelValues(String label, SeriesSearch search) {
      return store.labelValues(hosts(), label, search, incomplete::add);
    }

    @Override
    public List<Labels> labelSets(SeriesSearch search) {
      return store.labelSets(hosts(), search, incomplete::add);
    }

    @Override
    public OwnerIntervals owners(SeriesSearch search) {
      return store.owners(hosts(), search, incomplete::add);
    }

    @Override
    public NewestQuestion.Answer newest(NewestQuestion question) throws TooManySamples {
      return newestLines.run(question, hosts());
    }

    @Override
    public List<MetricReductions> reductions(ReductionsQuestion question) {
      return newestReductions.run(question, hosts());
    }

    @Override
    public List<KeptMonth> keptUsage(String host, long from, long to) throws QueryFailure {
      Optional<QueryFailure> over = stop.reason();
      if (over.isPresent()) {
        throw over.get();
      }
      List<Block> blocks = store.find(host).map(Lane::blocks).orElse(List.of());
      return KeptUsage.months(store.usage(), host, blocks, from, to, incomplete::add);
    }

    @Override
    public List<HostState> states(List<Matcher> scope) {
      List<HostState> states = new ArrayList<>();
      for (String name : hosts()) {
        Optional<Lane> lane = store.find(name).filter(each -> each.newest() != Long.MIN_VALUE);
        if (lane.isPresent()) {
          long series = scope.isEmpty() ? lane.get().seriesCount() : store.seriesCount(name, scope);
          if (scope.isEmpty() || series > 0) {
            states.add(new HostState(name, lane.get().heard(), lane.get().tickMillis(), series));
          }
        }
      }
      return states;
    }

    @Override
    public List<HostRetention> retentions() {
      long retention = store.limits().retention().toMillis();
      List<HostRetention> all = new ArrayList<>();
      for (String name : hosts()) {
        store
            .find(name)
            .filter(each -> each.newest() != Long.MIN_VALUE)
            .ifPresent(lane -> all.add(new HostRetention(name, lane.view().oldest(), retention)));
      }
      return all;
    }

    @Override
    public Map<String, MetricMetadata> metadata(Collection<String> tenants) {
      return metadata.apply(tenants);
    }

    @Override
    public ChangesQuestion.Answer changes(ChangesQuestion.Since since) {
      return FragmentRunner.this.changes(since);
    }

    @Override
    public PartsQuestion.Answer parts(PartsQuestion question) throws TooManySamples, QueryFailure {
      return parts.run(question, hosts, incomplete::add, stop);
    }
  }
}
