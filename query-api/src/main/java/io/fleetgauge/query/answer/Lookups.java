package io.fleetgauge.query.answer;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.usage.HostUsage;
import io.fleetgauge.promql.usage.UsageRows;
import io.fleetgauge.promql.usage.series.UsageSelection;
import io.fleetgauge.promql.usage.series.UsageSelector;
import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.admission.CostEstimates;
import io.fleetgauge.query.admission.Lanes;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.fleet.ClusterRead;
import io.fleetgauge.query.fleet.NewestRead;
import io.fleetgauge.query.fleet.ReductionRead;
import io.fleetgauge.query.fleet.Stores;
import io.fleetgauge.query.fleet.UsageRead;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.frame.PseudoHosts;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Answers requests for anything but PromQL: labels, series, samples, newest samples, metadata,
 * hosts. They take their turn with the queries; most cost so little that there is a place at once.
 * Thread-safe.
 */
final class Lookups {
  private final QueryConfig config;
  private final Lanes lanes;
  private final Stores stores;
  private final SampleReads reads;
  private final CostEstimates costs;
  private final VisibleHosts visible;
  private final LongSupplier watermark;
  private final AliasedLookups aliased;
  private final UsageLookups labels;

  /** A value with a warning that it was cut, if it was. */
  private record Cut<T>(T value, List<String> warnings) {}

  Lookups(
      QueryConfig config,
      Lanes lanes,
      Stores stores,
      SampleReads reads,
      CostEstimates costs,
      VisibleHosts visible,
      LongSupplier watermark,
      AliasTable aliases) {
    this.config = config;
    this.lanes = lanes;
    this.stores = stores;
    this.reads = reads;
    this.costs = costs;
    this.visible = visible;
    this.watermark = watermark;
    this.aliased = new AliasedLookups(stores, aliases);
    this.labels = new UsageLookups(aliased);
  }

  <T> Future<Reply<T>> execute(RunningQuery running, Request<T> request) {
    Future<VisibleHosts.Sight> sight = visible.sight(running.caller(), running.load());
    return running
        .place(
            lanes.of(running.ask().options().lane()), () -> attempt(() -> cost(request, running)))
        .compose(slot -> slot.during(() -> attempt(() -> read(running, request))))
        .compose(
            found ->
                sight.compose(
                    hosts ->
                        attempt(
                            () ->
                                Future.succeededFuture(
                                    reply(
                                        running.caller(),
                                        request,
                                        found.value(),
                                        meant(hosts, request)
                                            .completeness(
                                                found.coverage(), watermark.getAsLong()))))));
  }

  /** A scrape of some hosts covers these only. */
  private static VisibleHosts.Sight meant(VisibleHosts.Sight all, Request<?> request) {
    return request instanceof Request.Newest newest ? all.among(newest.hosts()) : all;
  }

  /** A step that may fail at once. */
  @FunctionalInterface
  private interface Step<T> {
    Future<T> begin() throws QueryFailure;
  }

  private static <T> Future<T> attempt(Step<T> step) {
    try {
      return step.begin();
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
  }

  // --- cost ---

  private Future<Cost> cost(Request<?> request, RunningQuery running) throws QueryFailure {
    Caller caller = running.caller();
    return switch (request) {
      case Request.LabelNames names -> indexCost(names.filter(), caller);
      case Request.LabelValues values -> indexCost(values.filter(), caller);
      case Request.SeriesLabels series ->
          Future.succeededFuture(costs.ofLines(aliased.selectors(series.filter(), caller)));
      case Request.OwnerIntervals owners ->
          Future.succeededFuture(costs.ofLines(aliased.selectors(owners.filter(), caller)));
      case Request.Newest newest ->
          isReadAsSamples(newest)
              ? samplesCost(stored(selections(newest), caller), running)
              : Future.succeededFuture(costs.ofLines(scoped(newest.selectors(), caller)));
      case Request.Samples samples -> samplesCost(stored(samples.selections(), caller), running);
      case Request.Usage usage -> {
        caller.checkRange(usage.period().to() - usage.period().from());
        UsageRead read = read(usage, caller);
        yield within(
            caller,
            costs.ofUsage(
                options -> stores.fleet().usageExtent(read, options),
                selections(usage, caller),
                running.load()));
      }
      case Request.Metadata metadata -> Future.succeededFuture(costs.ofHosts());
      case Request.HostStates states -> Future.succeededFuture(costs.ofHosts());
      case Request.OfCluster<?> of -> cost(within(caller, of.read()), running);
      case Request.Promql promql -> throw notLookup();
    };
  }

  private static <T> ClusterRead<T> within(Caller caller, ClusterRead<T> read) throws QueryFailure {
    return read.within(
        caller.scope(),
        caller.seesAllHosts() ? List.of() : caller.tenants(),
        caller.limits().samples());
  }

  private Future<Cost> cost(ClusterRead<?> read, RunningQuery running) throws QueryFailure {
    Caller caller = running.caller();
    caller.checkRange(read.millis());
    if (read.reads().isEmpty()) {
      return Future.succeededFuture(costs.ofIndex(read.selectors()));
    }
    Future<Cost> known =
        costs.of(List.of(new CostEstimates.Part(read.reads(), read.rollups())), running.load());
    return read.rollups()
        ? known.compose(
            cost ->
                attempt(
                    () -> {
                      caller.checkSeries(cost.series());
                      return Future.succeededFuture(cost);
                    }))
        : within(caller, known);
  }

  private static IllegalStateException notLookup() {
    return new IllegalStateException("PromQL is evaluated, not looked up");
  }

  private Future<Cost> indexCost(SeriesFilter filter, Caller caller) throws QueryFailure {
    return Future.succeededFuture(costs.ofIndex(aliased.selectors(filter, caller)));
  }

  /** Gateways have neither aliases nor series of usage, nor the name of their cluster. */
  private boolean isReadAsSamples(Request.Newest newest) {
    return !stores.fleet().hasLines()
        || aliased.isUsedIn(newest.selectors())
        || newest.selectors().stream().anyMatch(each -> UsageSelector.of(each).isPresent());
  }

  /** The stored series that selections are read from. */
  private List<Selection> stored(List<Selection> selections, Caller caller) throws QueryFailure {
    List<Selection> all = aliased.samples(selections, caller).stored();
    for (Selection each : all) {
      Optional<UsageSelection> usage = UsageSelection.of(each);
      if (usage.isPresent()) {
        caller.checkRange(usage.get().times().to() - usage.get().times().begin());
      }
    }
    return SampleReads.stored(all);
  }

  private Future<Cost> samplesCost(List<Selection> selections, RunningQuery running) {
    return within(running.caller(), costs.ofSamples(selections, running.load()));
  }

  private static Future<Cost> within(Caller caller, Future<Cost> known) {
    return known.compose(
        cost ->
            attempt(
                () -> {
                  caller.checkSeries(cost.series());
                  caller.checkSamples(cost.samples());
                  return Future.succeededFuture(cost);
                }));
  }

  // --- the scope ---

  private static List<List<Matcher>> scoped(List<List<Matcher>> selectors, Caller caller) {
    return caller.scope().isEmpty() ? selectors : selectors.stream().map(caller::scoped).toList();
  }

  private static List<Selection> selections(Request.Newest newest) {
    return newest.selectors().stream()
        .map(each -> new Selection(each, newest.after(), newest.to()))
        .toList();
  }

  /**
   * The series that a caller's usage is made of; those that it shares with others are not known.
   */
  private static List<Selection> selections(Request.Usage usage, Caller caller) {
    List<Selection> all = new ArrayList<>();
    for (List<Matcher> selector : HostUsage.selectors()) {
      List<Matcher> matchers = new ArrayList<>(caller.scoped(usage.matchers()));
      matchers.addAll(selector);
      all.add(
          new Selection(
              matchers,
              HostUsage.after(usage.period(), usage.terms()),
              HostUsage.to(usage.period(), usage.terms())));
    }
    return all;
  }

  /** One item more than wanted tells whether anything was cut off. */
  private static int limit(SeriesFilter filter, Caller caller) {
    long most = caller.limits().series();
    long wanted = filter.limit() == 0 ? most : Math.min(filter.limit(), most);
    return (int) Math.min(Integer.MAX_VALUE, wanted + 1);
  }

  // --- reading ---

  @SuppressWarnings("unchecked") // each request is a Request of the value that its branch reads
  private <T> Future<Gathered<T>> read(RunningQuery running, Request<T> request)
      throws QueryFailure {
    Caller caller = running.caller();
    ReadOptions options = running.readOptions();
    return (Future<Gathered<T>>)
        (Future<?>)
            switch (request) {
              case Request.LabelNames names ->
                  labels.labelNames(names.filter(), caller, limit(names.filter(), caller), options);
              case Request.LabelValues values ->
                  labels.labelValues(
                      values.label(),
                      values.filter(),
                      caller,
                      limit(values.filter(), caller),
                      options);
              case Request.SeriesLabels series ->
                  labels.labelSets(
                      series.filter(), caller, limit(series.filter(), caller), options);
              case Request.Samples samples -> samples(samples.selections(), caller, options);
              case Request.Newest newest -> newest(newest, caller, options);
              case Request.Usage usage -> usage(usage, caller, options);
              case Request.Metadata metadata -> metadata(caller, options);
              case Request.HostStates states -> nodes(caller, options);
              case Request.OwnerIntervals owners ->
                  aliased.owners(owners.filter(), caller, limit(owners.filter(), caller), options);
              case Request.OfCluster<?> of -> within(caller, of.read()).read(options);
              case Request.Promql promql -> throw notLookup();
            };
  }

  /** The hosts of the fleet: those of series without a host are none. */
  private Future<Gathered<List<HostState>>> nodes(Caller caller, ReadOptions options) {
    return stores
        .fleet()
        .hosts(caller.scope(), options)
        .map(
            found ->
                new Gathered<>(
                    found.value().stream().filter(host -> !PseudoHosts.isOne(host.name())).toList(),
                    found.coverage()));
  }

  private Future<Gathered<List<List<Series>>>> samples(
      List<Selection> selections, Caller caller, ReadOptions options) throws QueryFailure {
    AliasedLookups.SamplesPlan plan = aliased.samples(selections, caller);
    return reads
        .samples(plan.stored(), caller.limits().samples(), options)
        .compose(
            found ->
                attempt(
                    () ->
                        Future.succeededFuture(
                            new Gathered<>(plan.seen(found.value().series()), found.coverage()))));
  }

  /** The newest samples of series, as lines of text by metric. */
  private Future<Gathered<SortedMap<String, List<MetricLines>>>> families(
      Request.Newest newest, Caller caller, ReadOptions options) throws QueryFailure {
    if (isReadAsSamples(newest)) {
      return samples(selections(newest), caller, options)
          .map(
              found -> {
                AliasedNewest lines =
                    new AliasedNewest(newest.hosts(), newest.escaping(), newest.gzip());
                found.value().forEach(lines::add);
                return new Gathered<>(lines.families(), found.coverage());
              });
    }
    NewestRead read =
        new NewestRead(
            scoped(newest.selectors(), caller),
            newest.after(),
            newest.to(),
            newest.escaping(),
            newest.gzip(),
            config.federateSeries(),
            (int) Math.min(Integer.MAX_VALUE, config.federateBytes()));
    return stores.fleet().newest(read, newest.hosts(), options);
  }

  private Future<Gathered<UsageRows>> usage(
      Request.Usage usage, Caller caller, ReadOptions options) {
    return stores.fleet().usage(read(usage, caller), options);
  }

  private static UsageRead read(Request.Usage usage, Caller caller) {
    return new UsageRead(
        caller.scoped(usage.matchers()), usage.kept(), usage.period(), usage.terms());
  }

  private Future<Gathered<Request.NewestSamples>> newest(
      Request.Newest newest, Caller caller, ReadOptions options) throws QueryFailure {
    var families = families(newest, caller, options);
    Future<Gathered<List<MetricReductions>>> reductions =
        newest.reductions().isEmpty()
            ? Future.succeededFuture(new Gathered<>(List.of(), Coverage.NONE))
            : stores
                .fleet()
                .reductions(
                    new ReductionRead(
                        newest.reductions(), caller.scope(), newest.after(), newest.to()),
                    options);
    return Future.all(families, reductions)
        .map(
            both ->
                new Gathered<>(
                    new Request.NewestSamples(
                        families.result().value(), reductions.result().value()),
                    families.result().coverage().and(reductions.result().coverage())));
  }

  private Future<Gathered<Map<String, List<MetricMetadata>>>> metadata(
      Caller caller, ReadOptions options) {
    var reported =
        stores.fleet().metadata(caller.seesAllHosts() ? List.of() : caller.tenants(), options);
    var names = stores.source().labelValues(Labels.NAME, everything(caller), options);
    var others = stores.others().metadata(options);
    return Future.all(reported, names, others)
        .map(
            all -> {
              Map<String, MetricMetadata> known = new HashMap<>(others.result().value());
              known.putAll(reported.result().value());
              return new Gathered<>(
                  visible(known, names.result().value()),
                  reported
                      .result()
                      .coverage()
                      .and(names.result().coverage())
                      .and(others.result().coverage()));
            });
  }

  /** Everything that the caller sees. */
  private static SeriesSearch everything(Caller caller) {
    return new SeriesSearch(
        SeriesFilter.EARLIEST,
        SeriesFilter.LATEST,
        0,
        caller.scope().isEmpty() ? List.of() : List.of(caller.scope()));
  }

  /** Merges metadata: reports of senders go before what is known of the metric's name. */
  private Map<String, List<MetricMetadata>> visible(
      Map<String, MetricMetadata> reported, List<String> metrics) {
    Map<String, List<MetricMetadata>> all = new TreeMap<>();
    Set<String> names = new HashSet<>(metrics);
    reported.forEach(
        (metric, metadata) -> {
          if (isVisible(metric, names)) {
            all.put(metric, List.of(metadata));
          }
        });
    for (String metric : names) {
      Optional<MetricMetadata> known = KnownMetrics.of(metric);
      if (known.isPresent()) {
        all.putIfAbsent(metric, List.of(known.get()));
      }
    }
    aliased.describe(all);
    UsageLookups.describe(all);
    return all;
  }

  /** A histogram or a summary is one metric to its sender and several series here. */
  private static boolean isVisible(String metric, Set<String> names) {
    return names.contains(metric)
        || names.contains(metric + "_bucket")
        || names.contains(metric + "_count")
        || names.contains(metric + "_total");
  }

  // --- the reply ---

  private <T> Reply<T> reply(Caller caller, Request<T> request, T found, Completeness completeness)
      throws QueryFailure {
    Cut<T> cut = cut(caller, request, found);
    List<String> warnings = new ArrayList<>(completeness.warnings());
    warnings.addAll(completeness.notes());
    warnings.addAll(cut.warnings);
    return new Reply<>(cut.value, warnings, completeness);
  }

  /** Cuts a list at the request's limit, and checks what was read against the tenant's limits. */
  @SuppressWarnings("unchecked") // a list of the same items stands for the list that was read
  private <T> Cut<T> cut(Caller caller, Request<T> request, T value) throws QueryFailure {
    return switch (request) {
      case Request.LabelNames names -> (Cut<T>) cut(caller, names.filter(), (List<?>) value);
      case Request.LabelValues values -> (Cut<T>) cut(caller, values.filter(), (List<?>) value);
      case Request.SeriesLabels series -> {
        costs.found(aliased.selectors(series.filter(), caller), ((List<?>) value).size());
        yield (Cut<T>) cut(caller, series.filter(), (List<?>) value);
      }
      case Request.OwnerIntervals owners -> (Cut<T>) cut(caller, owners.filter(), (List<?>) value);
      case Request.Samples samples -> {
        checkSamples(caller, (List<List<Series>>) value);
        yield new Cut<>(value, List.of());
      }
      case Request.Newest newest -> {
        if (!isReadAsSamples(newest)) {
          costs.found(scoped(newest.selectors(), caller), series((Request.NewestSamples) value));
        }
        yield new Cut<>(value, List.of());
      }
      case Request.Usage usage -> new Cut<>(value, ((UsageRows) value).notes());
      case Request.Metadata metadata -> new Cut<>(value, List.of());
      case Request.HostStates states -> new Cut<>(value, List.of());
      case Request.OfCluster<?> of -> new Cut<>(value, List.of());
      case Request.Promql promql -> throw notLookup();
    };
  }

  private static <E> Cut<List<E>> cut(Caller caller, SeriesFilter filter, List<E> items)
      throws QueryFailure {
    long most = caller.limits().series();
    int limit = filter.limit();
    if (limit > 0 && limit <= most) {
      return items.size() <= limit
          ? new Cut<>(items, List.of())
          : new Cut<>(items.subList(0, limit), List.of(Reply.TRUNCATED));
    }
    if (items.size() > most) {
      throw caller.over("series", "more than " + most, most);
    }
    return new Cut<>(items, List.of());
  }

  private static void checkSamples(Caller caller, List<List<Series>> found) throws QueryFailure {
    long samples = 0;
    for (List<Series> selection : found) {
      for (Series series : selection) {
        samples += series.size();
      }
    }
    caller.checkSamples(samples);
  }

  private static long series(Request.NewestSamples newest) {
    long series = 0;
    for (List<MetricLines> pieces : newest.families().values()) {
      for (MetricLines piece : pieces) {
        series += piece.series();
      }
    }
    return series;
  }
}
