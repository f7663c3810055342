package io.fleetgauge.query.fanout;

import io.fleetgauge.cluster.process.Meters;
import io.fleetgauge.cluster.process.OutgoingHttp;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentProtocol;
import io.fleetgauge.promql.fragment.form.FragmentCodec;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.shards.Cancellation;
import io.fleetgauge.query.shards.Changes;
import io.fleetgauge.query.shards.ClusterState;
import io.fleetgauge.query.shards.Coverage;
import io.fleetgauge.query.shards.EvaluatedParts;
import io.fleetgauge.query.shards.Extent;
import io.fleetgauge.query.shards.Gathered;
import io.fleetgauge.query.shards.NewestRead;
import io.fleetgauge.query.shards.Owners;
import io.fleetgauge.query.shards.ReadOptions;
import io.fleetgauge.query.shards.ReductionRead;
import io.fleetgauge.query.shards.ShardTime;
import io.fleetgauge.query.shards.Shards;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends fragments to the owners of hosts and gathers what they answer. Safe for all threads. One
 * file for the first asking, the second reader and the second round, because each is what is done
 * when the one before was not enough.
 */
public final class Fanout implements Shards {
  private static final Logger LOG = LoggerFactory.getLogger(Fanout.class);

  /** For connections to gateways. */
  public static final OutgoingHttp.Limits HTTP_LIMITS =
      new OutgoingHttp.Limits(2_000, 300, 16, 1_000);

  /** Time for a new table to get round before hosts are asked for again. */
  private static final long RETRY_MILLIS = 100;

  private static final long CHANGES_MILLIS = 2_000;
  private static final long WATCH_MILLIS = 250;
  private static final long FEW_BYTES = 256 << 10;

  private final Vertx vertx;
  private final Supplier<ClusterView> view;
  private final WorkerExecutor workers;
  private final Map<URI, Delays> delays = new ConcurrentHashMap<>();
  private final LongAdder hedges = new LongAdder();
  private volatile FirstReaders firstReaders;
  private final OutgoingHttp http;
  private final ChangeRound changeRound = new ChangeRound(this::changes);

  /**
   * @param http how gateways are reached
   * @param workers where answers are decoded
   */
  public Fanout(
      Vertx vertx, OutgoingHttp http, Supplier<ClusterView> view, WorkerExecutor workers) {
    this.vertx = vertx;
    this.view = view;
    this.workers = workers;
    this.http = http;
  }

  @Override
  public Future<Gathered<List<List<Series>>>> samples(
      List<Selection> selections, long budget, ReadOptions options) {
    return gather(
        new Fragment.Samples(0, List.of(), budget, options.heavy(), selections),
        options,
        answers -> Merge.samples(answers, selections.size()));
  }

  @Override
  public Future<Gathered<EvaluatedParts>> parts(
      Planned planned, List<Matcher> scope, ReadOptions options) {
    List<Fragment.Part> parts = new ArrayList<>();
    for (Planned.Cut cut : planned.cuts()) {
      parts.add(
          new Fragment.Part(
              cut.number(),
              cut.grid().start(),
              cut.grid().step(),
              cut.grid().end(),
              cut.partial(),
              cut.rollups()));
    }
    return gather(
        new Fragment.Parts(
            0,
            List.of(),
            planned.query().unparsed(),
            scope,
            options.timeoutMillis(),
            options.heavy(),
            parts),
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
    return gather(
        new Fragment.Newest(
            0,
            List.of(),
            read.selectors(),
            read.after(),
            read.to(),
            read.utf8(),
            read.gzip(),
            read.maxSeries(),
            read.maxBytes()),
        hosts,
        options,
        Merge::families);
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
  public Future<Gathered<List<FragmentAnswer.Host>>> hosts(ReadOptions options) {
    return gather(new Fragment.Hosts(0, List.of()), options, Merge::hosts);
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
    return view.get().table().hosts().size();
  }

  @Override
  public long epoch() {
    return view.get().table().epoch();
  }

  @Override
  public ClusterState cluster() {
    ClusterView now = view.get();
    Map<String, Long> owned = new HashMap<>();
    now.table().holders().values().forEach(each -> owned.merge(each.owner(), 1L, Long::sum));
    List<ClusterState.Gateway> gateways = new ArrayList<>();
    new TreeMap<>(now.gateways())
        .forEach(
            (name, address) ->
                gateways.add(
                    new ClusterState.Gateway(
                        name, address.toString(), owned.getOrDefault(name, 0L))));
    return new ClusterState(now.table().epoch(), now.isMinority(), gateways);
  }

  /** What has changed at a gateway since an earlier look. */
  private Future<FragmentAnswer.Changes> changes(URI gateway, long incarnation, long since) {
    Fragment question = new Fragment.Changes(0, List.of(), incarnation, since);
    return send(gateway, question, CHANGES_MILLIS, request -> {})
        .compose(
            body -> {
              try {
                return FragmentCodec.decodeAnswer(body.getBytes())
                        instanceof FragmentAnswer.Changes changes
                    ? Future.succeededFuture(changes)
                    : Future.failedFuture("the answer is not about changes");
              } catch (WireException e) {
                return Future.failedFuture(e);
              }
            });
  }

  private <T> Future<Gathered<T>> gather(
      Fragment question, ReadOptions options, Function<List<FragmentAnswer>, T> merge) {
    return gather(question, host -> true, options, merge);
  }

  private <T> Future<Gathered<T>> gather(
      Fragment question,
      Predicate<String> meant,
      ReadOptions options,
      Function<List<FragmentAnswer>, T> merge) {
    ClusterView first = view.get();
    if (first.gateways().isEmpty()) {
      return Future.failedFuture(
          new QueryFailure(QueryFailure.Kind.UNAVAILABLE, "no gateway is in the cluster"));
    }
    Collection<String> all = first.table().hosts();
    List<String> some = all.stream().filter(meant).toList();
    Collection<String> hosts = some.size() == all.size() ? all : some;
    Round round = new Round(question, deadline(options.timeoutMillis()), options.cancellation());
    return round
        .ask(first, hosts)
        .compose(
            answers -> {
              TreeSet<String> missing = left(hosts, answers, FragmentAnswer::read);
              if (missing.isEmpty()) {
                return Future.succeededFuture(answers);
              }
              return pause()
                  .compose(none -> round.ask(view.get(), missing))
                  .map(
                      more -> {
                        List<FragmentAnswer> both = new ArrayList<>(answers);
                        both.addAll(more);
                        return both;
                      });
            })
        .compose(
            answers -> {
              Callable<Gathered<T>> merged =
                  () ->
                      new Gathered<>(
                          merge.apply(answers),
                          new Coverage(
                              hosts.size(),
                              List.copyOf(missing(hosts, answers)),
                              first.table().epoch(),
                              List.copyOf(round.times),
                              round.hedged.get(),
                              split(first)));
              return soon(round.bytes.get(), merged);
            });
  }

  /** Does little work at once, because another thread would take longer to wake up. */
  private <T> Future<T> soon(long bytes, Callable<T> work) {
    if (bytes > FEW_BYTES) {
      return workers.executeBlocking(work, false);
    }
    try {
      return Future.succeededFuture(work.call());
    } catch (Exception e) {
      return Future.failedFuture(e);
    }
  }

  private static long deadline(long timeoutMillis) {
    return System.nanoTime() + timeoutMillis * 1_000_000;
  }

  private static TreeSet<String> missing(Collection<String> hosts, List<FragmentAnswer> answers) {
    return left(hosts, answers, FragmentAnswer::covered);
  }

  /** The hosts that no answer has; each is asked of one gateway, so counting mostly does. */
  private static TreeSet<String> left(
      Collection<String> hosts,
      List<FragmentAnswer> answers,
      Function<FragmentAnswer, List<String>> had) {
    int count = 0;
    for (FragmentAnswer answer : answers) {
      count += had.apply(answer).size();
    }
    if (count == hosts.size()) {
      return new TreeSet<>();
    }
    TreeSet<String> left = new TreeSet<>(hosts);
    answers.forEach(answer -> left.removeAll(had.apply(answer)));
    return left;
  }

  private Future<Void> pause() {
    Promise<Void> over = Promise.promise();
    later(RETRY_MILLIS, over::complete);
    return over.future();
  }

  /** Runs something on an event loop after some time. */
  void later(long millis, Runnable task) {
    vertx.setTimer(millis, id -> task.run());
  }

  private static String split(ClusterView view) {
    return view.isMinority()
        ? "the cluster is split: "
            + view.gateways().size()
            + " of "
            + view.table().members().size()
            + " gateways are seen from here, and what the others take in is not"
        : "";
  }

  /** One question to the fleet, and what is noted while it is answered. */
  private final class Round {
    private final Fragment question;
    private final long deadline;
    private final Cancellation cancellation;
    private final Queue<ShardTime> times = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean hedged = new AtomicBoolean();
    private final AtomicLong bytes = new AtomicLong();

    Round(Fragment question, long deadline, Cancellation cancellation) {
      this.question = question;
      this.deadline = deadline;
      this.cancellation = cancellation;
    }

    /**
     * Asks for each host whoever reads it first. A gateway that fails is left out, unless all would
     * fail alike.
     */
    Future<List<FragmentAnswer>> ask(ClusterView now, Collection<String> hosts) {
      List<Future<List<FragmentAnswer>>> asked = new ArrayList<>();
      firstReaders(now, hosts)
          .forEach((gateway, read) -> asked.add(new HedgedAsk(this, now, gateway, read).begin()));
      return Future.all(asked)
          .map(all -> asked.stream().flatMap(one -> one.result().stream()).toList());
    }
  }

  /** Who reads which of all hosts first, by the view that was looked at last. */
  private record FirstReaders(ClusterView view, Map<URI, List<String>> hosts) {}

  private Map<URI, List<String>> firstReaders(ClusterView now, Collection<String> hosts) {
    if (hosts.size() < now.table().hosts().size()) {
      return byReader(now, hosts, 0);
    }
    FirstReaders known = firstReaders;
    if (known == null || known.view != now) {
      known = new FirstReaders(now, byReader(now, hosts, 0));
      firstReaders = known;
    }
    return known.hosts;
  }

  /** Whose hosts are whose, by the gateway that reads them first, second and so on. */
  private static Map<URI, List<String>> byReader(
      ClusterView now, Collection<String> hosts, int turn) {
    Map<URI, List<String>> hostsByGateway = new TreeMap<>();
    for (String host : hosts) {
      List<URI> readers = now.readers(host);
      if (turn < readers.size()) {
        hostsByGateway.computeIfAbsent(readers.get(turn), none -> new ArrayList<>()).add(host);
      }
    }
    return hostsByGateway;
  }

  /**
   * Some hosts, asked of the gateway that reads them first and, when it takes longer than it mostly
   * does, of those that read them second. Either the first answers or the others do: no host is
   * read twice. All of it on one event loop.
   */
  private final class HedgedAsk {
    private final Round round;
    private final ClusterView now;
    private final URI first;
    private final List<String> hosts;
    private final Context loop = vertx.getOrCreateContext();
    private final Promise<List<FragmentAnswer>> done = Promise.promise();
    private final Set<HttpClientRequest> underWay = ConcurrentHashMap.newKeySet();
    private final List<FragmentAnswer> others = new ArrayList<>();
    private boolean firstFailed;
    private boolean hedged;
    private int othersLeft;

    HedgedAsk(Round round, ClusterView now, URI first, List<String> hosts) {
      this.round = round;
      this.now = now;
      this.first = first;
      this.hosts = hosts;
    }

    Future<List<FragmentAnswer>> begin() {
      round.cancellation.onCancel(() -> loop.runOnContext(none -> cancel()));
      loop.runOnContext(none -> ask());
      return done.future();
    }

    private void cancel() {
      done.tryFail(
          new QueryFailure(
              QueryFailure.Kind.CANCELED, "query was canceled in expression evaluation"));
      underWay.forEach(HttpClientRequest::reset);
    }

    private void ask() {
      if (done.future().isComplete()) {
        return;
      }
      long began = System.nanoTime();
      post(first, hosts)
          .onComplete(
              answer ->
                  loop.runOnContext(
                      none -> {
                        if (answer.succeeded()) {
                          long took = System.nanoTime() - began;
                          if (!round.question.isHeavy()) {
                            delays(first).took(took);
                          }
                          round.times.add(
                              new ShardTime(
                                  first.toString(), took, answer.result().covered().size()));
                          finish(List.of(answer.result()));
                        } else if (answer.cause() instanceof QueryFailure) {
                          done.tryFail(answer.cause());
                        } else {
                          if (!done.future().isComplete()) {
                            LOG.warn("gateway {} did not answer: {}", first, text(answer.cause()));
                          }
                          firstFailed = true;
                          hedge();
                          settle();
                        }
                      }));
      long patience =
          vertx.setTimer(
              delays(first).p95Millis(),
              id -> {
                if (!done.future().isComplete() && !hedged) {
                  if (!round.question.isHeavy()) {
                    hedge(); // what takes long because it is much would do so elsewhere as well
                  }
                  watch();
                }
              });
      done.future().onComplete(over -> vertx.cancelTimer(patience));
    }

    /** A gateway that the cluster has given up is waited for no longer. */
    private void watch() {
      vertx.setTimer(
          WATCH_MILLIS,
          id -> {
            if (!done.future().isComplete() && !firstFailed) {
              if (view.get().gateways().containsValue(first)) {
                watch();
              } else {
                firstFailed = true;
                hedge();
                settle();
              }
            }
          });
    }

    private void hedge() {
      if (hedged) {
        return;
      }
      hedged = true;
      Map<URI, List<String>> second = byReader(now, hosts, 1);
      hedges.add(second.size());
      othersLeft = second.size();
      second.forEach(
          (gateway, read) ->
              post(gateway, read)
                  .onComplete(
                      answer ->
                          loop.runOnContext(
                              none -> {
                                othersLeft--;
                                if (answer.succeeded()) {
                                  round.hedged.set(true);
                                  others.add(answer.result());
                                }
                                settle();
                              })));
    }

    /** Takes what the others answered, when that is all there is or is enough. */
    private void settle() {
      boolean enough = othersLeft == 0 && hedged && missing(hosts, others).isEmpty();
      if (enough || firstFailed && hedged && othersLeft == 0) {
        finish(others);
      }
    }

    private void finish(List<FragmentAnswer> answers) {
      if (done.tryComplete(List.copyOf(answers))) {
        // Whoever has not answered yet need not any more.
        underWay.forEach(HttpClientRequest::reset);
      }
    }

    private Future<FragmentAnswer> post(URI gateway, List<String> asked) {
      AtomicReference<HttpClientRequest> request = new AtomicReference<>();
      return Fanout.this
          .post(
              gateway,
              round.question.at(now.table().epoch(), asked),
              round.deadline,
              begun -> {
                request.set(begun);
                underWay.add(begun);
              },
              round.bytes::addAndGet)
          // The connection of one that has ended is another's by now.
          .onComplete(
              ended -> {
                if (request.get() != null) {
                  underWay.remove(request.get());
                }
              });
    }
  }

  private static String text(Throwable failure) {
    return String.valueOf(failure.getMessage());
  }

  private Delays delays(URI gateway) {
    return delays.computeIfAbsent(gateway, none -> new Delays());
  }

  /** Declares what is counted here. */
  public void declare(Meters meters) {
    meters.counter(
        "hedges",
        "Requests that went to a replica because the owner took long or failed.",
        hedges::sum);
  }

  private Future<FragmentAnswer> post(
      URI gateway,
      Fragment fragment,
      long deadline,
      Consumer<HttpClientRequest> underWay,
      LongConsumer read) {
    long left = (deadline - System.nanoTime()) / 1_000_000;
    if (left <= 0) {
      return Future.failedFuture(
          new QueryFailure(
              QueryFailure.Kind.TIMEOUT, "query timed out while waiting for the gateways"));
    }
    return send(gateway, fragment, left, underWay)
        .compose(
            body -> {
              read.accept(body.length());
              return soon(body.length(), () -> FragmentCodec.decodeAnswer(body.getBytes()));
            });
  }

  /** The body of the answer to a fragment. */
  private Future<Buffer> send(
      URI gateway, Fragment fragment, long timeoutMillis, Consumer<HttpClientRequest> underWay) {
    RequestOptions options =
        http.to(gateway, HttpMethod.POST, FragmentProtocol.PATH, timeoutMillis);
    return http.client()
        .request(options)
        .compose(
            request -> {
              underWay.accept(request);
              return request.send(Buffer.buffer(FragmentCodec.encode(fragment)));
            })
        .compose(
            response ->
                response
                    .body()
                    .compose(
                        body ->
                            switch (response.statusCode()) {
                              case 200 -> Future.succeededFuture(body);
                              case 422 ->
                                  Future.failedFuture(
                                      new QueryFailure(
                                          QueryFailure.Kind.EXECUTION, body.toString()));
                              default ->
                                  Future.failedFuture(
                                      "status " + response.statusCode() + ": " + body);
                            }));
  }
}
