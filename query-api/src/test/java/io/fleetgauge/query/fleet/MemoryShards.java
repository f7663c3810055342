package io.fleetgauge.query.fleet;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.ExtentsQuestion;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.fragment.UsageExtentQuestion;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.UsageExtent;
import io.fleetgauge.query.fanout.GatewayFleet;
import io.fleetgauge.query.fanout.GatewayReads;
import io.fleetgauge.query.fanout.Gateways;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.query.source.ShardTime;
import io.fleetgauge.sample.frame.PseudoHosts;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A {@link MemoryFleet} without HTTP and threads: it reads at once, and delivers what it has read
 * at once or, while it is held, when it is released.
 */
public final class MemoryShards extends GatewayFleet {
  private final Reads reads;

  /**
   * @param vertx counts the time of reads that a frozen gateway never answers
   */
  public MemoryShards(Vertx vertx, MemoryFleet fleet) {
    this(new Reads(vertx, fleet));
  }

  private MemoryShards(Reads reads) {
    super(reads);
    this.reads = reads;
  }

  /** The same for a querier. */
  public Stores stores() {
    return new Stores(this, this);
  }

  /** What it asks. */
  public GatewayReads gateways() {
    return reads;
  }

  // --- what a test controls ---

  /** The reads so far, by their kind. */
  public List<String> reads() {
    return List.copyOf(reads.kinds);
  }

  /** How many reads of one kind there were. */
  public long count(String read) {
    return reads.kinds.stream().filter(read::equals).count();
  }

  /** The reads that were cancelled, answered or not. */
  public List<String> cancelled() {
    return List.copyOf(reads.cancelled);
  }

  /** From now on, what reads of these kinds have read is delivered only when it is released. */
  public void hold(String... kinds) {
    synchronized (reads) {
      reads.held = List.of(kinds)::contains;
    }
  }

  /** How many reads wait to be delivered. */
  public int waiting() {
    synchronized (reads) {
      return reads.waiting.size();
    }
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
    synchronized (reads) {
      reads.held = read -> false;
      all = new ArrayList<>(reads.waiting);
      reads.waiting.clear();
    }
    order.accept(all);
    all.forEach(Runnable::run);
  }

  /** Answers come from replicas from now on, or not. */
  public void hedge(boolean byReplicas) {
    reads.hedged = byReplicas;
  }

  /** From now on, every selection is said to read so much. */
  public void pretend(Extent extent) {
    reads.pretended = extent;
  }

  /** Pretends that questions about the extent of usage have this answer. */
  public void pretend(UsageExtent extent) {
    reads.pretendedUsage = extent;
  }

  private static final class Reads implements GatewayReads {
    private final Vertx vertx;
    private final MemoryFleet fleet;
    private final List<String> kinds = new CopyOnWriteArrayList<>();
    private final List<String> cancelled = new CopyOnWriteArrayList<>();
    private final List<Runnable> waiting = new ArrayList<>();
    private Predicate<String> held = read -> false;
    private boolean hedged;
    private Extent pretended;
    private UsageExtent pretendedUsage;

    Reads(Vertx vertx, MemoryFleet fleet) {
      this.vertx = vertx;
      this.fleet = fleet;
    }

    private static String name(Question<?> question) {
      return switch (question.kind()) {
        case LABEL_NAMES -> "labelNames";
        case LABEL_VALUES -> "labelValues";
        case LABEL_SETS -> "labelSets";
        case SAMPLES -> "samples";
        case PARTS -> "parts";
        case EXTENTS -> "extents";
        case CHANGES -> "changes";
        case METADATA -> "metadata";
        case HOSTS -> "hosts";
        case NEWEST -> "newest";
        case REDUCTIONS -> "reductions";
        case OWNERS -> "owners";
        case SEVERAL -> "several";
        case USAGE -> "usage";
        case USAGE_EXTENT -> "usageExtent";
        case RETENTION -> "retentions";
      };
    }

    @Override
    public <A extends Result, T> Future<Gathered<T>> read(
        Question<A> question,
        Predicate<String> meant,
        ReadOptions options,
        Function<List<A>, T> merge) {
      String kind = name(question);
      kinds.add(options.load().isHeavy() ? "heavy " + kind : kind);
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
      Runnable delivery = gather(question, meant, options, pretending(question, merge), promise);
      synchronized (this) {
        if (held.test(kind)) {
          waiting.add(delivery);
          return promise.future();
        }
      }
      delivery.run();
      return promise.future();
    }

    @SuppressWarnings("unchecked") // the only answer to a question for extents
    private <A extends Result, T> Function<List<A>, T> pretending(
        Question<A> question, Function<List<A>, T> merge) {
      if (pretendedUsage != null && question instanceof UsageExtentQuestion) {
        A answer = (A) new UsageExtentQuestion.Answer(pretendedUsage);
        return answers -> merge.apply(List.of(answer));
      }
      if (pretended == null || !(question instanceof ExtentsQuestion asked)) {
        return merge;
      }
      A answer =
          (A) new ExtentsQuestion.Answer(Collections.nCopies(asked.selections().size(), pretended));
      return answers -> merge.apply(List.of(answer));
    }

    @Override
    public <T> Future<Gathered<WithChanges<T>>> parts(
        PartsQuestion question,
        Predicate<String> meant,
        Optional<Changes> since,
        ReadOptions options,
        Function<List<PartsQuestion.Answer>, T> merge) {
      // What had changed before anything is read.
      Optional<Changes> changes = since.map(each -> report(Optional.of(each)));
      return read(question, meant, options, merge)
          .map(
              found -> {
                boolean byOwners = !found.coverage().hedged() && found.coverage().isWhole();
                Optional<Changes> of = byOwners ? changes : Optional.empty();
                return new Gathered<>(new WithChanges<>(found.value(), of), found.coverage());
              });
    }

    @Override
    public int hostCount() {
      return (int) fleet.hosts().stream().filter(each -> !PseudoHosts.isOne(each)).count();
    }

    @Override
    public long epoch() {
      return fleet.epoch();
    }

    @Override
    public ClusterState cluster() {
      return Gateways.state(view());
    }

    private ClusterView view() {
      Map<String, URI> addresses =
          fleet.gateways().stream()
              .collect(Collectors.toMap(each -> each, each -> URI.create("memory:" + each)));
      return fleet.view(addresses);
    }

    /** Reads now; what is returned delivers what was read. */
    @SuppressWarnings("unchecked") // it answers the question
    private <A extends Result, T> Runnable gather(
        Question<A> question,
        Predicate<String> meant,
        ReadOptions options,
        Function<List<A>, T> merge,
        Promise<Gathered<T>> promise) {
      List<String> hosts = fleet.hosts().stream().filter(meant).sorted().toList();
      Map<String, List<String>> byGateway = new TreeMap<>();
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
      List<A> answers = new ArrayList<>();
      List<ShardTime> times = new ArrayList<>();
      try {
        for (Map.Entry<String, List<String>> each : byGateway.entrySet()) {
          FragmentAnswer answer = fleet.answer(each.getKey(), each.getValue(), question);
          missing.removeAll(answer.covered());
          answers.add((A) answer.result());
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
                  fleet.isMinority() ? "the cluster is split" : ""));
      return late
          ? () -> vertx.setTimer(options.timeoutMillis(), timer -> promise.tryComplete(gathered))
          : () -> promise.tryComplete(gathered);
    }

    // --- changes ---

    /** What each gateway reported last, and who read each host then. */
    private record Position(
        Map<String, ChangesQuestion.Answer> reports, Map<String, String> readers) {}

    @Override
    public Future<Changes> changes(Optional<Changes> last) {
      kinds.add("changes");
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
      Map<String, ChangesQuestion.Answer> reports = new HashMap<>();
      List<Long> buckets = new ArrayList<>();
      boolean all = !readers.equals(before.readers);
      for (String gateway : fleet.present()) {
        ChangesQuestion.Answer known = before.reports.get(gateway);
        if (fleet.isDown(gateway) || fleet.isFrozen(gateway)) {
          all = true;
          continue;
        }
        ChangesQuestion.Answer now = changesAt(gateway, known);
        reports.put(gateway, now);
        all |= known == null || known.incarnation() != now.incarnation();
        for (ChangesQuestion.OfHost each : now.hosts()) {
          if (gateway.equals(readers.get(each.host()))) {
            buckets.addAll(each.buckets());
          }
        }
      }
      return new Changes(
          fleet.epoch(), fleet.watermark(), all, buckets, new Position(reports, readers));
    }

    private ChangesQuestion.Answer changesAt(String gateway, ChangesQuestion.Answer known) {
      ChangesQuestion.Since since =
          known == null
              ? ChangesQuestion.Since.START
              : new ChangesQuestion.Since(known.incarnation(), known.cursor());
      try {
        return (ChangesQuestion.Answer)
            fleet.answer(gateway, List.of(), new ChangesQuestion(since)).result();
      } catch (QueryFailure e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
