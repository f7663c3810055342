package io.fleetgauge.query.fanout;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.fragment.SeveralQuestion;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.fleet.Changes;
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
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Asks the gateways for hosts: by the table that is known, and, for hosts that no gateway answered
 * for, once more by the newest table. As long as the cluster changes, as it does while gateways are
 * replaced one by one, a few more rounds follow, each after twice the pause. Thread-safe.
 */
final class Rounds {
  /** Time for a new table to reach the members before the second round. */
  private static final long FIRST_PAUSE_MILLIS = 100;

  /** Together they take a second and a half. */
  private static final int MOST_ROUNDS = 5;

  private final Vertx vertx;
  private final GatewayHttp http;
  private final Supplier<ClusterView> view;
  private final long firstPauseMillis;
  private final Map<URI, Delays> delays = new ConcurrentHashMap<>();

  /** Delays of several reads in one request, which take longer. */
  private final Map<URI, Delays> delaysOfSeveral = new ConcurrentHashMap<>();

  private final LongAdder hedges = new LongAdder();
  private volatile FirstReaders firstReaders = new FirstReaders(ClusterView.EMPTY, Map.of());

  /** Which gateway reads which hosts first, by one view of the cluster. */
  private record FirstReaders(ClusterView view, Map<URI, List<String>> hosts) {}

  Rounds(Vertx vertx, GatewayHttp http, Supplier<ClusterView> view) {
    this(vertx, http, view, FIRST_PAUSE_MILLIS);
  }

  /** As above, with another pause before the second round. */
  Rounds(Vertx vertx, GatewayHttp http, Supplier<ClusterView> view, long firstPauseMillis) {
    this.vertx = vertx;
    this.http = http;
    this.view = view;
    this.firstPauseMillis = firstPauseMillis;
  }

  /** Number of requests that went to replicas. */
  long hedges() {
    return hedges.sum();
  }

  /** One read of the fleet: what to ask, and until when. */
  private record Read(
      Question<?> question, Optional<Changes> since, long deadline, ReadOptions options) {}

  /** Answers, and changes at the owners if they were asked for. */
  private record Outcome<T>(Gathered<T> gathered, Optional<Changes> changes) {}

  /**
   * Reads hosts.
   *
   * @param meant hosts that are read
   * @param merge the answers of all gateways
   */
  @SuppressWarnings("unchecked") // an answer was decoded as one to the question
  <A extends Result, T> Future<Gathered<T>> read(
      Question<A> question,
      Predicate<String> meant,
      ReadOptions options,
      Function<List<A>, T> merge) {
    return answers(
        question,
        meant,
        options,
        answers -> merge.apply(answers.stream().map(each -> (A) each.result()).toList()));
  }

  /** As above, for parts of a query and the changes since an earlier look. */
  <T> Future<Gathered<GatewayReads.WithChanges<T>>> parts(
      PartsQuestion question,
      Predicate<String> meant,
      Optional<Changes> since,
      ReadOptions options,
      Function<List<PartsQuestion.Answer>, T> merge) {
    return outcome(
            question,
            since,
            meant,
            options,
            answers ->
                merge.apply(
                    answers.stream().map(each -> (PartsQuestion.Answer) each.result()).toList()))
        .map(
            outcome ->
                new Gathered<>(
                    new GatewayReads.WithChanges<>(outcome.gathered.value(), outcome.changes),
                    outcome.gathered.coverage()));
  }

  /** As above, for answers with the hosts that each of them covers. */
  <T> Future<Gathered<T>> answers(
      Question<?> question,
      Predicate<String> meant,
      ReadOptions options,
      Function<List<FragmentAnswer>, T> merge) {
    return outcome(question, Optional.empty(), meant, options, merge).map(Outcome::gathered);
  }

  private <T> Future<Outcome<T>> outcome(
      Question<?> question,
      Optional<Changes> since,
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
    Read read =
        new Read(question, since, System.nanoTime() + options.timeoutMillis() * 1_000_000, options);
    return round(read, first, hosts)
        .compose(results -> further(read, first, hosts, results, firstPauseMillis, 2))
        .compose(
            results -> {
              long bytes = results.stream().mapToLong(HedgedRead.Result::bytes).sum();
              return http.soon(
                  options.load(),
                  bytes,
                  () ->
                      new Outcome<>(
                          gathered(first, hosts, results, merge), changes(first, results, since)));
            });
  }

  /**
   * Asks again for the hosts that are left.
   *
   * @param last the cluster as it was at the round before
   * @param results of all rounds before
   * @param number of this round
   */
  private Future<List<HedgedRead.Result>> further(
      Read read,
      ClusterView last,
      Collection<String> hosts,
      List<HedgedRead.Result> results,
      long pauseMillis,
      int number) {
    TreeSet<String> left = left(hosts, answers(results), FragmentAnswer::read);
    boolean hasTime = read.deadline - System.nanoTime() > pauseMillis * 1_000_000;
    if (left.isEmpty() || number > MOST_ROUNDS || !hasTime) {
      return Future.succeededFuture(results);
    }
    Promise<Void> pause = Promise.promise();
    vertx.setTimer(pauseMillis, id -> pause.complete());
    return pause
        .future()
        .compose(
            none -> {
              ClusterView now = view.get();
              // The second round is also for gateways that learned the table late.
              return number > 2 && now == last
                  ? Future.succeededFuture(results)
                  : round(read, now, left)
                      .compose(
                          more -> {
                            List<HedgedRead.Result> all = new ArrayList<>(results);
                            all.addAll(more);
                            return further(read, now, hosts, all, 2 * pauseMillis, number + 1);
                          });
            });
  }

  /** Asks each host's owner; a gateway that does not answer is left out. */
  private Future<List<HedgedRead.Result>> round(
      Read read, ClusterView now, Collection<String> hosts) {
    List<Future<HedgedRead.Result>> asked = new ArrayList<>();
    firstReaders(now, hosts)
        .forEach((gateway, theirs) -> asked.add(hedged(read, now, gateway, theirs)));
    return Future.all(asked).map(all -> asked.stream().map(Future::result).toList());
  }

  private Future<HedgedRead.Result> hedged(
      Read read, ClusterView now, URI owner, List<String> hosts) {
    Delays ofOwner =
        (read.question instanceof SeveralQuestion ? delaysOfSeveral : delays)
            .computeIfAbsent(owner, none -> new Delays());
    HedgedRead hedged =
        new HedgedRead(
            vertx,
            http,
            new HedgeMachine(
                owner,
                hosts,
                () -> byReader(now, hosts, 1),
                ofOwner.p95Millis(),
                read.options.load().isHeavy()),
            new HedgedRead.Asked(
                read.question,
                read.options.load(),
                read.options.span(),
                now.table().epoch(),
                owner,
                read.deadline,
                ofOwner,
                () -> view.get().gateways().containsValue(owner),
                hedges,
                read.since.isPresent()
                    ? Optional.of(ChangeRound.since(read.since, owner))
                    : Optional.empty()));
    read.options.cancellation().onCancel(hedged::cancel);
    return hedged.begin();
  }

  private Map<URI, List<String>> firstReaders(ClusterView now, Collection<String> hosts) {
    if (hosts.size() < now.table().hosts().size()) {
      return byReader(now, hosts, 0);
    }
    FirstReaders known = firstReaders;
    if (known.view != now) {
      known = new FirstReaders(now, byReader(now, hosts, 0));
      firstReaders = known;
    }
    return known.hosts;
  }

  /**
   * Hosts by the gateway that reads them.
   *
   * @param turn 0 for the gateway that reads a host first, 1 for the second
   */
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

  /** Number of nodes among some hosts. */
  static int nodes(Collection<String> hosts) {
    int nodes = 0;
    for (String host : hosts) {
      nodes += PseudoHosts.isOne(host) ? 0 : 1;
    }
    return nodes;
  }

  private static List<FragmentAnswer> answers(List<HedgedRead.Result> results) {
    return results.stream().flatMap(result -> result.answers().stream()).toList();
  }

  private static <T> Gathered<T> gathered(
      ClusterView first,
      Collection<String> hosts,
      List<HedgedRead.Result> results,
      Function<List<FragmentAnswer>, T> merge) {
    List<FragmentAnswer> answers = answers(results);
    List<ShardTime> times = new ArrayList<>();
    results.forEach(result -> times.addAll(result.times()));
    Coverage coverage =
        new Coverage(
            nodes(hosts),
            List.copyOf(left(hosts, answers, FragmentAnswer::covered)),
            first.table().epoch(),
            times,
            results.stream().anyMatch(HedgedRead.Result::byReplicas),
            split(first));
    return new Gathered<>(merge.apply(answers), coverage);
  }

  /** Changes at the owners, if they were asked for and each of them alone answered. */
  private static Optional<Changes> changes(
      ClusterView first, List<HedgedRead.Result> results, Optional<Changes> since) {
    if (since.isEmpty()) {
      return Optional.empty();
    }
    Map<URI, ChangesQuestion.Answer> answers = new HashMap<>();
    for (HedgedRead.Result result : results) {
      Optional<ChangesQuestion.Answer> changes = result.changes();
      if (changes.isEmpty() || answers.put(result.owner(), changes.get()) != null) {
        return Optional.empty();
      }
    }
    return Optional.of(ChangeRound.report(first, answers, List.of(), since));
  }

  /** The hosts that no answer has; each is asked of one gateway, so counting mostly suffices. */
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

  private static String split(ClusterView view) {
    return view.isMinority()
        ? "the cluster is split: "
            + view.gateways().size()
            + " of "
            + view.table().members().size()
            + " gateways can be reached, and samples that the others accept are missing"
        : "";
  }
}
