package io.fleetgauge.query.seam;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.fleet.Fleet;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.OtherStores;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.query.source.Source;
import io.fleetgauge.query.store.ForeignStore;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Utf8Order;
import io.fleetgauge.sample.frame.HostLabels;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Samples and labels of the gateways and of other stores. Thread-safe. */
public final class SeamedSource implements Source, OtherStores {
  /** A longer time than this is no better to learn a density from, ms. */
  private static final long DENSITY_MILLIS = 3_600_000;

  private final Source gateways;
  private final List<ForeignStore> stores;
  private final Seams seams;
  private final WorkerExecutor worker;
  private final LongSupplier clock;

  /**
   * @param stores in the order in which they count
   * @param worker merges samples
   * @param clock ms since the epoch
   * @param nanoTime ns of a clock that is never set
   */
  public SeamedSource(
      Source gateways,
      Fleet fleet,
      List<ForeignStore> stores,
      WorkerExecutor worker,
      LongSupplier clock,
      LongSupplier nanoTime) {
    this.worker = worker;
    this.gateways = gateways;
    this.clock = clock;
    this.stores =
        stores.stream()
            .sorted(Comparator.comparing(each -> each.settings().holds())) // a stable order
            .toList();
    this.seams = new Seams(fleet, stores, clock, nanoTime);
  }

  private List<StorePart> parts(Seams.Known known) {
    return stores.stream().map(store -> new StorePart(store, known)).toList();
  }

  // --- the place of samples ---

  @Override
  public Future<View> view() {
    return seams
        .known()
        .map(known -> (View) new KnownView(known))
        // The read itself will fail, and tell why.
        .otherwise((View) reads -> new Placed(Place.BOTH, List.of()));
  }

  /** What is known of the stores at one time. */
  private final class KnownView implements View {
    private final Seams.Known known;

    private KnownView(Seams.Known known) {
      this.known = known;
    }

    @Override
    public Placed place(List<SamplesRead> reads) {
      Place place = SeamedSource.this.place(reads, known);
      // Hosts that nobody knows of do not make every answer short.
      return new Placed(place, place == Place.GATEWAYS ? List.of() : known.lacks());
    }

    @Override
    public Optional<PushDown> pushDown(Query query, List<SamplesRead> reads) {
      List<StorePart> asked =
          parts(known).stream()
              .filter(part -> reads.stream().anyMatch(each -> !part.of(each.selection()).isEmpty()))
              .toList();
      if (asked.size() != 1 || place(reads).place() != Place.STORES) {
        return Optional.empty();
      }
      StorePart only = asked.getFirst();
      return only.isOlder() && isAskable(only, reads)
          ? only.store().evaluation(query).map(each -> new Pushed(only.store().name(), each))
          : Optional.empty();
    }
  }

  private static boolean isAskable(StorePart part, List<SamplesRead> reads) {
    return reads.stream()
        .allMatch(each -> part.missingOwnerLabel(each.selection().matchers()).isEmpty());
  }

  /** A query that a store evaluates. */
  private record Pushed(String source, ForeignStore.Evaluation evaluation) implements PushDown {
    @Override
    public Future<Optional<Gathered<Answer.Result>>> run(ReadOptions options) {
      return evaluation
          .run(options)
          .map(
              done ->
                  done.map(
                      found ->
                          new Gathered<>(
                              found.value(),
                              found.problem().isEmpty()
                                  ? Coverage.NONE
                                  : Coverage.NONE.lacking(
                                      List.of(new Coverage.Lack(source, found.problem()))))));
    }
  }

  private Place place(List<SamplesRead> reads, Seams.Known known) {
    boolean isThere = false;
    boolean isHere = reads.isEmpty();
    for (SamplesRead read : reads) {
      List<StorePart> asked =
          read.isOfUsage()
              ? List.of()
              : parts(known).stream().filter(each -> !each.of(read.selection()).isEmpty()).toList();
      isThere |= !asked.isEmpty();
      isHere |=
          asked.isEmpty()
              || asked.stream().anyMatch(each -> !each.isOlder())
              || read.selection().to() >= known.seams().earliest();
    }
    return isThere ? isHere ? Place.BOTH : Place.STORES : Place.GATEWAYS;
  }

  // --- samples ---

  /**
   * What one store was asked for, and what it answered.
   *
   * @param places the selections that it was asked for parts of, in the order of the answer
   */
  private record Answered(
      StorePart part, List<Integer> places, Future<ForeignStore.Found<List<List<Series>>>> answer) {
    List<Coverage.Lack> lacks() {
      if (answer.failed()) {
        return List.of(new Coverage.Lack(part.store().name(), answer.cause().getMessage()));
      }
      String problem = answer.result().problem();
      return problem.isEmpty()
          ? List.of()
          : List.of(new Coverage.Lack(part.store().name(), problem));
    }

    /** What it has of a selection; empty if it was not asked or did not answer. */
    Optional<List<Series>> of(int place) {
      if (answer.failed() || !places.contains(place)) {
        return Optional.empty();
      }
      List<Series> all = new ArrayList<>();
      for (int i = 0; i < places.size(); i++) {
        if (places.get(i) == place) {
          all.addAll(answer.result().value().get(i));
        }
      }
      return Optional.of(all);
    }

    /** The failure of the query, if a failure is no lack of the store. */
    Optional<Throwable> failure() {
      return answer.failed() && !isLack(answer.cause())
          ? Optional.of(answer.cause())
          : Optional.empty();
    }
  }

  private static boolean isLack(Throwable failure) {
    return failure instanceof QueryFailure known && known.kind() == QueryFailure.Kind.UNAVAILABLE;
  }

  @Override
  public Future<Gathered<List<List<Series>>>> samples(
      List<Selection> selections, long budget, ReadOptions options) {
    return seams.known().compose(known -> samples(selections, known, budget, options));
  }

  private Future<Gathered<List<List<Series>>>> samples(
      List<Selection> selections, Seams.Known known, long budget, ReadOptions options) {
    List<Coverage.Lack> lacks = new ArrayList<>();
    List<Answered> asked = new ArrayList<>();
    for (StorePart part : parts(known)) {
      List<Integer> places = new ArrayList<>();
      List<Selection> theirs = new ArrayList<>();
      for (int i = 0; i < selections.size(); i++) {
        for (Selection of : part.of(selections.get(i))) {
          if (isAskable(part, of.matchers(), lacks)) {
            places.add(i);
            theirs.add(of);
          }
        }
      }
      if (!places.isEmpty()) {
        asked.add(new Answered(part, places, part.store().samples(theirs, budget, options)));
      }
    }
    if (!asked.isEmpty()) {
      lacks.addAll(known.lacks());
    }
    Future<Gathered<List<List<Series>>>> here = gateways.samples(selections, budget, options);
    if (asked.isEmpty()) {
      return here.map(each -> new Gathered<>(each.value(), each.coverage().lacking(lacks)));
    }
    return Future.join(
            Stream.concat(Stream.of(here), asked.stream().map(Answered::answer)).toList())
        .transform(
            done -> {
              if (here.failed()) {
                return Future.failedFuture(here.cause());
              }
              for (Answered each : asked) {
                if (each.failure().isPresent()) {
                  return Future.failedFuture(each.failure().get());
                }
                lacks.addAll(each.lacks());
              }
              return worker
                  .executeBlocking(() -> merged(here.result().value(), asked, known.seams()), false)
                  .map(all -> new Gathered<>(all, here.result().coverage().lacking(lacks)));
            });
  }

  /** Returns true if a store may be asked; notes otherwise what it lacks. */
  private static boolean isAskable(
      StorePart part, List<Matcher> matchers, List<Coverage.Lack> lacks) {
    Optional<String> label = part.missingOwnerLabel(matchers);
    label.ifPresent(
        name ->
            lacks.add(
                new Coverage.Lack(
                    part.store().name(),
                    "has no labels of owners, so its samples cannot be selected by "
                        + name
                        + " and are missing")));
    return label.isEmpty();
  }

  private static List<List<Series>> merged(
      List<List<Series>> here, List<Answered> asked, HostSeams seams) {
    List<List<Series>> all = new ArrayList<>();
    for (int i = 0; i < here.size(); i++) {
      int place = i;
      if (asked.stream().noneMatch(each -> each.of(place).isPresent())) {
        all.add(here.get(i));
        continue;
      }
      MergedSeries merged = new MergedSeries(seams);
      HostLabels labels = labels(asked.getFirst().part);
      boolean cut =
          asked.stream().anyMatch(each -> each.part.isOlder() && each.of(place).isPresent());
      merged.addGateways(here.get(i), labels, cut);
      for (Answered each : asked) {
        each.of(i)
            .ifPresent(
                series -> {
                  if (each.part.isOlder()) {
                    merged.addOlder(series, each.part.store().settings());
                  } else {
                    merged.addOther(series);
                  }
                });
      }
      all.add(merged.series());
    }
    return all;
  }

  private static HostLabels labels(StorePart part) {
    return new HostLabels(part.store().settings().hostLabels());
  }

  // --- extents ---

  /**
   * Samples in stores are not counted: they are supposed to be as dense as those that gateways have
   * of the same series after the seam.
   */
  @Override
  public Future<Gathered<List<Extent>>> extents(List<Selection> selections, ReadOptions options) {
    return seams
        .known()
        .compose(
            known -> {
              List<Selection> looked =
                  selections.stream().map(each -> looked(each, known)).toList();
              return gateways
                  .extents(looked, options)
                  .map(
                      found -> {
                        List<Extent> all = new ArrayList<>();
                        for (int i = 0; i < looked.size(); i++) {
                          all.add(
                              scaled(
                                  found.value().get(i),
                                  length(looked.get(i)),
                                  length(selections.get(i))));
                        }
                        return new Gathered<>(all, found.coverage());
                      });
            });
  }

  private Selection looked(Selection selection, Seams.Known known) {
    long before =
        parts(known).stream().mapToLong(part -> part.before(selection)).max().orElseThrow();
    if (before == Long.MIN_VALUE || before == HostSeams.NEVER) {
      return selection;
    }
    long from = Math.max(selection.from(), before - 1);
    long length = Math.min(DENSITY_MILLIS, selection.to() - selection.from());
    long to = Math.max(selection.to(), Math.min(from + length, clock.getAsLong()));
    return from < to ? new Selection(selection.matchers(), from, to) : selection;
  }

  private static double length(Selection selection) {
    return Math.max(1, (double) selection.to() - selection.from());
  }

  private static Extent scaled(Extent found, double looked, double length) {
    return looked == length
        ? found
        : new Extent(found.series(), (long) Math.ceil(found.samples() * length / looked));
  }

  // --- labels ---

  /** Asks one store. */
  @FunctionalInterface
  private interface Lookup<T> {
    Future<ForeignStore.Found<List<T>>> of(ForeignStore store, SeriesSearch search);
  }

  @Override
  public Future<Gathered<List<String>>> labelNames(SeriesSearch search, ReadOptions options) {
    return looked(
        search,
        gateways.labelNames(search, options),
        (store, part) -> store.labelNames(part, options),
        Utf8Order::compare);
  }

  @Override
  public Future<Gathered<List<String>>> labelValues(
      String label, SeriesSearch search, ReadOptions options) {
    return looked(
        search,
        gateways.labelValues(label, search, options),
        (store, part) -> store.labelValues(label, part, options),
        Utf8Order::compare);
  }

  @Override
  public Future<Gathered<List<Labels>>> labelSets(SeriesSearch search, ReadOptions options) {
    return looked(
        search,
        gateways.labelSets(search, options),
        (store, part) -> store.labelSets(part, options),
        Comparator.naturalOrder());
  }

  private <T> Future<Gathered<List<T>>> looked(
      SeriesSearch search, Future<Gathered<List<T>>> here, Lookup<T> lookup, Comparator<T> order) {
    return seams
        .known()
        .compose(
            known -> {
              List<Coverage.Lack> lacks = new ArrayList<>();
              Map<String, Future<ForeignStore.Found<List<T>>>> there = new LinkedHashMap<>();
              for (StorePart part : parts(known)) {
                search(part, search, lacks)
                    .ifPresent(of -> there.put(part.store().name(), lookup.of(part.store(), of)));
              }
              if (!there.isEmpty()) {
                lacks.addAll(known.lacks());
              }
              return joined(
                  here,
                  there,
                  lacks,
                  (mine, theirs) -> {
                    TreeSet<T> all = new TreeSet<>(order);
                    all.addAll(mine);
                    theirs.forEach(all::addAll);
                    return List.copyOf(all);
                  });
            });
  }

  /** What is looked up in a store; empty if nothing is. */
  private static Optional<SeriesSearch> search(
      StorePart part, SeriesSearch search, List<Coverage.Lack> lacks) {
    List<List<Matcher>> matchers = new ArrayList<>();
    long from = Long.MAX_VALUE;
    long to = Long.MIN_VALUE;
    List<List<Matcher>> alternatives =
        search.matchers().isEmpty() ? List.of(List.of()) : search.matchers();
    for (List<Matcher> each : alternatives) {
      for (Selection of : part.of(new Selection(each, search.from() - 1, search.to()))) {
        if (isAskable(part, each, lacks)) {
          matchers.add(of.matchers());
          from = Math.min(from, of.from() + 1);
          to = Math.max(to, of.to());
        }
      }
    }
    return matchers.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new SeriesSearch(
                from,
                to,
                search.limit(),
                matchers.stream().anyMatch(List::isEmpty) ? List.of() : matchers));
  }

  /** Merges what the gateways and stores have; a store that does not answer is lacking. */
  private static <T> Future<Gathered<T>> joined(
      Future<Gathered<T>> here,
      Map<String, Future<ForeignStore.Found<T>>> there,
      List<Coverage.Lack> lacks,
      BiFunction<T, List<T>, T> merge) {
    if (there.isEmpty()) {
      return here.map(each -> new Gathered<>(each.value(), each.coverage().lacking(lacks)));
    }
    return Future.join(Stream.concat(Stream.of(here), there.values().stream()).toList())
        .transform(
            done -> {
              if (here.failed()) {
                return Future.failedFuture(here.cause());
              }
              List<T> theirs = new ArrayList<>();
              for (Map.Entry<String, Future<ForeignStore.Found<T>>> each : there.entrySet()) {
                Future<ForeignStore.Found<T>> answer = each.getValue();
                if (answer.succeeded()) {
                  theirs.add(answer.result().value());
                  if (!answer.result().problem().isEmpty()) {
                    lacks.add(new Coverage.Lack(each.getKey(), answer.result().problem()));
                  }
                } else if (isLack(answer.cause())) {
                  lacks.add(new Coverage.Lack(each.getKey(), answer.cause().getMessage()));
                } else {
                  return Future.failedFuture(answer.cause());
                }
              }
              return Future.succeededFuture(
                  new Gathered<>(
                      merge.apply(here.result().value(), theirs),
                      here.result().coverage().lacking(lacks)));
            });
  }

  @Override
  public Future<Gathered<Map<String, MetricMetadata>>> metadata(ReadOptions options) {
    Map<String, Future<ForeignStore.Found<Map<String, MetricMetadata>>>> there =
        new LinkedHashMap<>();
    stores.forEach(store -> there.put(store.name(), store.metadata(options)));
    return joined(
        Future.succeededFuture(new Gathered<>(Map.of(), Coverage.NONE)),
        there,
        new ArrayList<>(),
        (mine, theirs) -> {
          Map<String, MetricMetadata> all = new HashMap<>();
          theirs.forEach(each -> each.forEach(all::putIfAbsent));
          return all;
        });
  }
}
