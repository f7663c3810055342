package io.fleetgauge.gateway.serve;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.gateway.ownership.HostLabels;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.store.CacheUse;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreChanges;
import io.fleetgauge.gateway.store.read.OwnedSeries;
import io.fleetgauge.gateway.store.read.SeriesSearch;
import io.fleetgauge.gateway.store.read.TooManySamples;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentRequest;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
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

  /** With a scope, only the hosts that have a series in it, and only how many those are. */
  private List<FragmentAnswer.Host> hosts(List<String> covered, List<Matcher> scope) {
    List<FragmentAnswer.Host> hosts = new ArrayList<>();
    for (String name : covered) {
      Optional<Lane> lane = store.find(name).filter(each -> each.newest() != Long.MIN_VALUE);
      if (lane.isPresent()) {
        long series = scope.isEmpty() ? lane.get().seriesCount() : store.seriesCount(name, scope);
        if (scope.isEmpty() || series > 0) {
          hosts.add(
              new FragmentAnswer.Host(name, lane.get().heard(), lane.get().tickMillis(), series));
        }
      }
    }
    return hosts;
  }

  private static SeriesSearch search(Fragment.Search search) {
    return new SeriesSearch(search.from(), search.to(), search.limit(), search.matchers());
  }

  private static FragmentAnswer.OwnedSeries owned(OwnedSeries series) {
    return new FragmentAnswer.OwnedSeries(
        series.identity(),
        series.intervals().stream()
            .map(each -> new FragmentAnswer.OwnerInterval(each.owner(), each.from(), each.to()))
            .toList());
  }

  private FragmentAnswer.Changes changes(long epoch, Fragment.Since since) {
    Set<String> mine = owned(view.get());
    StoreChanges changes = store.changes(since.incarnation(), since.cursor(), mine::contains);
    return new FragmentAnswer.Changes(
        epoch,
        List.of(),
        changes.incarnation(),
        changes.cursor(),
        changes.watermark(),
        changes.hosts().stream().map(FragmentRunner::changed).toList());
  }

  /** The buckets of time that the query API caches by, whatever ranges the store tracks. */
  private static FragmentAnswer.Changed changed(StoreChanges.OfHost host) {
    List<Long> buckets =
        host.ranges().stream()
            .flatMapToLong(
                range ->
                    LongStream.rangeClosed(
                        FragmentAnswer.bucket(range.after() + 1),
                        FragmentAnswer.bucket(range.to())))
            .boxed()
            .distinct()
            .toList();
    return new FragmentAnswer.Changed(host.host(), host.all(), buckets);
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
    if (!(fragment instanceof Fragment.Parts asked)) {
      return Optional.empty();
    }
    ClusterView now = view.get();
    long epoch = now.table().epoch();
    // Before anything is read: what is not reported here is read, or is reported the next time.
    Optional<FragmentAnswer.Changes> changes = asked.since().map(since -> changes(epoch, since));
    return parts
        .quickly(asked, new CoveredHosts(covered(fragment, now)), epoch)
        .map(answer -> answer.after(changes));
  }

  /** Whether the samples that a part of a query reads are in memory, so that no disk is read. */
  boolean isInMemory(Fragment fragment) {
    if (fragment instanceof Fragment.Several several) {
      return several.fragments().stream().allMatch(this::isInMemory);
    }
    return fragment instanceof Fragment.Parts asked
        && parts.isInMemory(asked.hosts(), parts.readsAfter(asked));
  }

  /**
   * The load of a fragment as it is here: its estimate counts on rollups, and there may be none for
   * what is asked.
   */
  Load load(FragmentRequest request) {
    return lacksRollups(request.fragment()) ? request.load().withoutRollups() : request.load();
  }

  private boolean lacksRollups(Fragment fragment) {
    if (fragment instanceof Fragment.Several several) {
      return several.fragments().stream().anyMatch(this::lacksRollups);
    }
    return fragment instanceof Fragment.Parts asked && parts.lacksRollups(asked);
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
    long epoch = now.table().epoch();
    return run(fragment, new CoveredHosts(covered(fragment, now)), epoch, stop);
  }

  /** The query API can evaluate a part of a query itself; without samples there is no answer. */
  private static FragmentAnswer failed(
      Fragment fragment, List<String> covered, long epoch, RuntimeException failure) {
    String reason = "a gateway could not execute it: " + failure;
    if (fragment instanceof Fragment.Parts parts) {
      LOG.error("a part of {} could not be executed", parts.query().text(), failure);
      return new FragmentAnswer.Unfit(epoch, covered, reason);
    }
    LOG.error("samples could not be read", failure);
    return new FragmentAnswer.Refused(epoch, covered, reason);
  }

  private FragmentAnswer run(Fragment fragment, CoveredHosts hosts, long epoch, StopCheck stop)
      throws TooManySamples, QueryFailure {
    List<String> covered = hosts.list();
    return switch (fragment) {
      case Fragment.Samples samples -> {
        List<List<Series>> all = new ArrayList<>(samples.selections().size());
        Set<String> whole = new LinkedHashSet<>(covered);
        long left = samples.budget();
        for (Selection selection : samples.selections()) {
          List<Series> found = store.select(covered, selection, left, whole::remove, stop);
          left -= found.stream().mapToLong(Series::size).sum();
          all.add(found);
        }
        // The samples of an incomplete host are in the answer, but the host is not covered.
        yield new FragmentAnswer.Samples(epoch, List.copyOf(whole), all);
      }
      case Fragment.Metadata asked ->
          new FragmentAnswer.Metadata(epoch, covered, metadata.apply(asked.tenants()));
      case Fragment.Newest asked -> newestLines.run(asked, covered, epoch);
      case Fragment.Reduced asked -> newestReductions.run(asked, covered, epoch);
      case Fragment.Hosts asked ->
          new FragmentAnswer.Hosts(epoch, covered, hosts(covered, asked.scope()));
      case Fragment.Changes asked -> changes(epoch, asked.since());
      case Fragment.Owners owners -> {
        Set<String> whole = new LinkedHashSet<>(covered);
        OwnedSeries.Found found = store.owners(covered, search(owners.search()), whole::remove);
        yield new FragmentAnswer.Owners(
            epoch,
            List.copyOf(whole),
            found.omitted(),
            found.series().stream().map(FragmentRunner::owned).toList());
      }
      case Fragment.Parts asked -> {
        // Before anything is read, as above.
        Optional<FragmentAnswer.Changes> changes =
            asked.since().map(since -> changes(epoch, since));
        FragmentAnswer answer = parts.run(asked, hosts, epoch, stop);
        yield answer instanceof FragmentAnswer.Parts found ? found.after(changes) : answer;
      }
      case Fragment.Several several -> {
        List<FragmentAnswer> answers = new ArrayList<>(several.fragments().size());
        for (Fragment each : several.fragments()) {
          try {
            answers.add(run(each, hosts, epoch, stop));
          } catch (TooManySamples e) {
            answers.add(new FragmentAnswer.Refused(epoch, covered, e.getMessage()));
          } catch (RuntimeException e) {
            // The others are of other queries, which have nothing to do with it.
            answers.add(failed(each, covered, epoch, e));
          }
        }
        yield new FragmentAnswer.Several(epoch, covered, answers);
      }
      case Fragment.Extent extent -> {
        List<Long> series = new ArrayList<>();
        List<Long> samples = new ArrayList<>();
        for (Selection selection : extent.selections()) {
          Store.Extent found = store.extent(covered, selection);
          series.add(found.series());
          samples.add(found.samples());
        }
        yield new FragmentAnswer.Extent(epoch, covered, series, samples);
      }
      case Fragment.LabelNames names -> {
        Set<String> whole = new LinkedHashSet<>(covered);
        List<String> found = store.labelNames(covered, search(names.search()), whole::remove);
        yield new FragmentAnswer.Strings(epoch, List.copyOf(whole), found);
      }
      case Fragment.LabelValues values -> {
        Set<String> whole = new LinkedHashSet<>(covered);
        List<String> found =
            store.labelValues(covered, values.label(), search(values.search()), whole::remove);
        yield new FragmentAnswer.Strings(epoch, List.copyOf(whole), found);
      }
      case Fragment.LabelSets sets -> {
        Set<String> whole = new LinkedHashSet<>(covered);
        List<Labels> found = store.labelSets(covered, search(sets.search()), whole::remove);
        yield new FragmentAnswer.LabelSets(epoch, List.copyOf(whole), found);
      }
    };
  }
}
