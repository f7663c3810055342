package io.fleetgauge.query.shards;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.Provided;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A {@link MemoryFleet} as {@link Shards}, without HTTP and threads: it reads at once, and delivers
 * what it has read at once or, while it is held, when it is released.
 */
public final class MemoryShards implements Shards {
  private final Vertx vertx;
  private final MemoryFleet fleet;
  private final List<String> reads = new CopyOnWriteArrayList<>();
  private final List<String> cancelled = new CopyOnWriteArrayList<>();
  private final List<Runnable> waiting = new ArrayList<>();
  private Predicate<String> held = read -> false;
  private boolean hedged;
  private Extent pretended;

  /**
   * @param vertx counts the time of reads that a frozen gateway never answers
   */
  public MemoryShards(Vertx vertx, MemoryFleet fleet) {
    this.vertx = vertx;
    this.fleet = fleet;
  }

  // --- what a test controls ---

  /** The reads so far, by the name of the method. */
  public List<String> reads() {
    return List.copyOf(reads);
  }

  /** How many reads of one kind there were. */
  public long count(String read) {
    return reads.stream().filter(read::equals).count();
  }

  /** The reads that were cancelled, answered or not. */
  public List<String> cancelled() {
    return List.copyOf(cancelled);
  }

  /** From now on, what reads of these kinds have read is delivered only when it is released. */
  public synchronized void hold(String... kinds) {
    held = List.of(kinds)::contains;
  }

  /** How many reads wait to be delivered. */
  public synchronized int waiting() {
    return waiting.size();
  }

  /** Delivers what waits, and holds nothing any more. */
  public void release() {
    releaseInOrder(all -> {});
  }

  /**
   * Delivers what waits in another order, and holds nothing any more.
   *
   * @param order reorders the deliveries, which are in the order of the reads
   */
  public void releaseInOrder(Consumer<List<Runnable>> order) {
    List<Runnable> all;
    synchronized (this) {
      held = read -> false;
      all = new ArrayList<>(waiting);
      waiting.clear();
    }
    order.accept(all);
    all.forEach(Runnable::run);
  }

  /** Answers come from replicas from now on, or not. */
  public void hedge(boolean byReplicas) {
    hedged = byReplicas;
  }

  /** From now on, every selection is said to read so much. */
  public void pretend(Extent extent) {
    pretended = extent;
  }

  // --- reading ---

  private <T> Future<Gathered<T>> read(
      String kind,
      Fragment fragment,
      Predicate<String> meant,
      ReadOptions options,
      Function<List<FragmentAnswer>, T> merge) {
    reads.add(options.load().isHeavy() ? "heavy " + kind : kind);
    if (fleet.present().isEmpty()) {
      return Future.failedFuture(
          new QueryFailure(QueryFailure.Kind.UNAVAILABLE, "no gateway is in the cluster"));
    }
    Promise<Gathered<T>> promise = Promise.promise();
    options
        .cancellation()
        .onCancel(
            () ->
                promise.tryFail(
                    new QueryFailure(
                        QueryFailure.Kind.CANCELED,
                        "query was canceled in expression evaluation")));
    options.cancellation().onCancel(() -> cancelled.add(kind));
    Runnable delivery = gather(fragment, meant, options, merge, promise);
    synchronized (this) {
      if (held.test(kind)) {
        waiting.add(delivery);
        return promise.future();
      }
    }
    delivery.run();
    return promise.future();
  }

  /** Reads now; what is returned delivers what was read. */
  private <T> Runnable gather(
      Fragment fragment,
      Predicate<String> meant,
      ReadOptions options,
      Function<List<FragmentAnswer>, T> merge,
      Promise<Gathered<T>> promise) {
    List<String> hosts = fleet.hosts().stream().filter(meant).sorted().toList();
    Map<String, List<String>> byGateway = new TreeMap<>();
    Optional<Changes> changes = options.since().map(since -> report(Optional.of(since)));
    boolean byReplicas = hedged;
    boolean late = false;
    for (String host : hosts) {
      List<String> readers = fleet.readers(host);
      Optional<String> reader =
          readers.stream()
              .limit(2)
              .filter(each -> !fleet.isDown(each) && !fleet.isFrozen(each))
              .findFirst();
      if (reader.isPresent()) {
        byReplicas |= !reader.get().equals(readers.getFirst());
        byGateway.computeIfAbsent(reader.get(), none -> new ArrayList<>()).add(host);
      } else {
        late |= readers.stream().anyMatch(fleet::isFrozen);
      }
    }
    TreeSet<String> missing = new TreeSet<>(hosts);
    List<FragmentAnswer> answers = new ArrayList<>();
    List<ShardTime> times = new ArrayList<>();
    try {
      for (Map.Entry<String, List<String>> each : byGateway.entrySet()) {
        FragmentAnswer answer =
            fleet.answer(each.getKey(), fragment.at(fleet.epoch(), each.getValue()));
        missing.removeAll(answer.covered());
        answers.add(answer);
        times.add(new ShardTime(each.getKey(), 1, answer.covered().size()));
      }
    } catch (QueryFailure e) {
      return () -> promise.tryFail(e);
    }
    Gathered<T> gathered =
        new Gathered<>(
            merge.apply(answers),
            new Coverage(
                hosts.size(),
                List.copyOf(missing),
                fleet.epoch(),
                times,
                byReplicas,
                fleet.isMinority() ? "the cluster is split" : ""),
            byReplicas || late || !(fragment instanceof Fragment.Parts)
                ? Optional.empty()
                : changes);
    return late
        ? () -> vertx.setTimer(options.timeoutMillis(), timer -> promise.tryComplete(gathered))
        : () -> promise.tryComplete(gathered);
  }

  private <T> Future<Gathered<T>> read(
      String kind,
      Fragment fragment,
      ReadOptions options,
      Function<List<FragmentAnswer>, T> merge) {
    return read(kind, fragment, host -> true, options, merge);
  }

  @Override
  public Future<Gathered<List<List<Series>>>> samples(
      List<Selection> selections, long budget, ReadOptions options) {
    return read(
        "samples",
        new Fragment.Samples(0, List.of(), budget, selections),
        options,
        answers -> {
          List<List<Series>> merged = new ArrayList<>();
          for (int i = 0; i < selections.size(); i++) {
            int at = i;
            merged.add(
                answers.stream()
                    .flatMap(each -> ((FragmentAnswer.Samples) each).series().get(at).stream())
                    .sorted(Comparator.comparing(Series::labels))
                    .toList());
          }
          return merged;
        });
  }

  @Override
  public Future<Gathered<EvaluatedParts>> parts(
      Planned planned, List<Matcher> scope, ReadOptions options) {
    List<Fragment.Part> parts =
        planned.cuts().stream()
            .map(cut -> new Fragment.Part(cut.number(), cut.grid(), cut.partial(), cut.rollups()))
            .toList();
    return read(
        "parts",
        new Fragment.Parts(
            0,
            List.of(),
            planned.query().unparsed(),
            scope,
            planned.aliases(),
            1_000,
            parts,
            Optional.empty()),
        options,
        answers -> merged(planned, answers));
  }

  private static EvaluatedParts merged(Planned planned, List<FragmentAnswer> answers) {
    long samples = 0;
    long cells = 0;
    Map<String, String> notes = new HashMap<>();
    List<Provided> merged = new ArrayList<>();
    for (FragmentAnswer answer : answers) {
      if (answer instanceof FragmentAnswer.Unfit unfit) {
        return EvaluatedParts.unfit(unfit.reason());
      }
      cells += ((FragmentAnswer.Parts) answer).rollupCells();
    }
    for (int i = 0; i < planned.cuts().size(); i++) {
      Planned.Cut cut = planned.cuts().get(i);
      List<Column> columns = new ArrayList<>();
      List<Partial> partials = new ArrayList<>();
      for (FragmentAnswer answer : answers) {
        PartResult part = ((FragmentAnswer.Parts) answer).parts().get(i);
        columns.addAll(part.columns());
        partials.addAll(part.partials());
        samples += part.samples();
        String note = ((FragmentAnswer.Parts) answer).notes().get(i);
        if (!note.isEmpty()) {
          notes.put(cut.expr().toString(), note);
        }
      }
      columns.sort(Comparator.comparing(Column::labels));
      try {
        merged.add(
            new Provided(
                cut.partial()
                    ? Engine.merged(
                        planned.query(), (Expr.Aggregate) cut.expr(), cut.grid(), partials)
                    : columns,
                ((FragmentAnswer.Parts) answers.getFirst()).parts().get(i).annotations()));
      } catch (QueryFailure e) {
        return EvaluatedParts.unfit(e.getMessage());
      }
    }
    return new EvaluatedParts(merged, "", samples, cells, notes);
  }

  @Override
  public Future<Gathered<List<Extent>>> extents(List<Selection> selections, ReadOptions options) {
    return read(
        "extents",
        new Fragment.Extent(0, List.of(), selections),
        options,
        answers -> {
          List<Extent> all = new ArrayList<>();
          for (int i = 0; i < selections.size(); i++) {
            int at = i;
            all.add(
                pretended != null
                    ? pretended
                    : new Extent(
                        answers.stream()
                            .mapToLong(each -> ((FragmentAnswer.Extent) each).series().get(at))
                            .sum(),
                        answers.stream()
                            .mapToLong(each -> ((FragmentAnswer.Extent) each).samples().get(at))
                            .sum()));
          }
          return all;
        });
  }

  private static List<String> strings(List<FragmentAnswer> answers) {
    TreeSet<String> all = new TreeSet<>();
    answers.forEach(each -> all.addAll(((FragmentAnswer.Strings) each).strings()));
    return List.copyOf(all);
  }

  @Override
  public Future<Gathered<List<String>>> labelNames(Fragment.Search search, ReadOptions options) {
    return read(
        "labelNames",
        new Fragment.LabelNames(0, List.of(), search),
        options,
        MemoryShards::strings);
  }

  @Override
  public Future<Gathered<List<String>>> labelValues(
      String label, Fragment.Search search, ReadOptions options) {
    return read(
        "labelValues",
        new Fragment.LabelValues(0, List.of(), label, search),
        options,
        MemoryShards::strings);
  }

  @Override
  public Future<Gathered<List<Labels>>> labelSets(Fragment.Search search, ReadOptions options) {
    return read(
        "labelSets",
        new Fragment.LabelSets(0, List.of(), search),
        options,
        answers ->
            answers.stream()
                .flatMap(each -> ((FragmentAnswer.LabelSets) each).labelSets().stream())
                .sorted()
                .toList());
  }

  @Override
  public Future<Gathered<SortedMap<String, List<FragmentAnswer.Family>>>> newest(
      NewestRead read, Predicate<String> hosts, ReadOptions options) {
    return read(
        "newest",
        read.fragment(),
        hosts,
        options,
        answers -> {
          SortedMap<String, List<FragmentAnswer.Family>> all = new TreeMap<>();
          for (FragmentAnswer answer : answers) {
            for (FragmentAnswer.Family each : ((FragmentAnswer.Newest) answer).families()) {
              all.computeIfAbsent(each.name(), none -> new ArrayList<>()).add(each);
            }
          }
          return all;
        });
  }

  @Override
  public Future<Gathered<List<FragmentAnswer.Reductions>>> reductions(
      ReductionRead read, ReadOptions options) {
    return read(
        "reductions",
        new Fragment.Reduced(0, List.of(), read.names(), read.scope(), read.after(), read.to()),
        options,
        MemoryShards::reduced);
  }

  private static List<FragmentAnswer.Reductions> reduced(List<FragmentAnswer> answers) {
    TreeSet<Labels> groups = new TreeSet<>();
    Map<String, FragmentAnswer.Reduction> metrics = new TreeMap<>();
    List<FragmentAnswer.Reductions> pieces =
        answers.stream()
            .flatMap(each -> ((FragmentAnswer.Reduced) each).reductions().stream())
            .toList();
    pieces.forEach(each -> groups.addAll(each.groups()));
    List<Labels> order = List.copyOf(groups);
    for (FragmentAnswer.Reductions piece : pieces) {
      for (FragmentAnswer.Reduction each : piece.metrics()) {
        FragmentAnswer.Reduction sum =
            metrics.computeIfAbsent(
                each.metric(), name -> FragmentAnswer.Reduction.empty(name, order.size()));
        for (int i = 0; i < piece.groups().size(); i++) {
          int at = order.indexOf(piece.groups().get(i));
          sum.counts()[at] += each.counts()[i];
          sum.sums()[at] += each.sums()[i];
        }
      }
    }
    return pieces.isEmpty()
        ? List.of()
        : List.of(
            new FragmentAnswer.Reductions(List.of("rack"), order, List.copyOf(metrics.values())));
  }

  @Override
  public Future<Gathered<Map<String, MetricMetadata>>> metadata(
      List<String> tenants, ReadOptions options) {
    return read(
        "metadata",
        new Fragment.Metadata(0, List.of(), tenants),
        options,
        answers -> {
          Map<String, MetricMetadata> all = new TreeMap<>();
          answers.forEach(each -> all.putAll(((FragmentAnswer.Metadata) each).metrics()));
          return all;
        });
  }

  @Override
  public Future<Gathered<List<FragmentAnswer.Host>>> hosts(
      List<Matcher> scope, ReadOptions options) {
    return read(
        "hosts",
        new Fragment.Hosts(0, List.of(), scope),
        options,
        answers ->
            answers.stream()
                .flatMap(each -> ((FragmentAnswer.Hosts) each).hosts().stream())
                .sorted(Comparator.comparing(FragmentAnswer.Host::name))
                .toList());
  }

  @Override
  public Future<Gathered<Owners>> owners(Fragment.Search search, ReadOptions options) {
    return read(
        "owners",
        new Fragment.Owners(0, List.of(), search),
        options,
        answers ->
            new Owners(
                0,
                answers.stream()
                    .flatMap(each -> ((FragmentAnswer.Owners) each).series().stream())
                    .sorted(Comparator.comparing(FragmentAnswer.OwnedSeries::identity))
                    .toList()));
  }

  // --- changes ---

  /** What each gateway reported last, and who read each host then. */
  private record Position(
      Map<String, FragmentAnswer.Changes> reports, Map<String, String> readers) {}

  @Override
  public Future<Changes> changes(Optional<Changes> last) {
    reads.add("changes");
    Promise<Changes> promise = Promise.promise();
    Changes report = report(last);
    synchronized (this) {
      if (held.test("changes")) {
        waiting.add(() -> promise.complete(report));
        return promise.future();
      }
    }
    return Future.succeededFuture(report);
  }

  private Changes report(Optional<Changes> last) {
    Position before =
        last.map(each -> (Position) each.position()).orElse(new Position(Map.of(), Map.of()));
    Map<String, String> readers = new HashMap<>();
    for (String host : fleet.hosts()) {
      fleet.readers(host).stream().findFirst().ifPresent(reader -> readers.put(host, reader));
    }
    Map<String, FragmentAnswer.Changes> reports = new HashMap<>();
    List<Long> buckets = new ArrayList<>();
    boolean all = !readers.equals(before.readers);
    for (String gateway : fleet.present()) {
      FragmentAnswer.Changes known = before.reports.get(gateway);
      if (fleet.isDown(gateway) || fleet.isFrozen(gateway)) {
        all = true;
        continue;
      }
      FragmentAnswer.Changes now = changesAt(gateway, known);
      reports.put(gateway, now);
      all |= known == null || known.incarnation() != now.incarnation();
      for (FragmentAnswer.Changed each : now.hosts()) {
        if (gateway.equals(readers.get(each.host()))) {
          buckets.addAll(each.buckets());
        }
      }
    }
    return new Changes(
        fleet.epoch(), fleet.watermark(), all, buckets, new Position(reports, readers));
  }

  private FragmentAnswer.Changes changesAt(String gateway, FragmentAnswer.Changes known) {
    Fragment.Changes since =
        known == null
            ? new Fragment.Changes(0, List.of(), Fragment.Since.START)
            : new Fragment.Changes(
                0, List.of(), new Fragment.Since(known.incarnation(), known.cursor()));
    try {
      return (FragmentAnswer.Changes) fleet.answer(gateway, since);
    } catch (QueryFailure e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public int hostCount() {
    return fleet.hosts().size();
  }

  @Override
  public long epoch() {
    return fleet.epoch();
  }

  @Override
  public ClusterState cluster() {
    return new ClusterState(
        fleet.epoch(),
        fleet.isMinority(),
        fleet.present().stream()
            .sorted()
            .map(
                gateway ->
                    new ClusterState.Gateway(
                        gateway,
                        "memory:" + gateway,
                        fleet.hosts().stream()
                            .filter(host -> fleet.owner(host).equals(gateway))
                            .count()))
            .toList());
  }
}
