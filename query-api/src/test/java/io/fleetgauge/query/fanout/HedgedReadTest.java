package io.fleetgauge.query.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.LabelNamesQuestion;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.source.ShardTime;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is measured and counted while hosts are read from real sockets. */
@ExtendWith(VertxExtension.class)
class HedgedReadTest {
  private static final List<String> HOSTS = List.of("n1", "n2");
  private static final SeriesSearch EVERYTHING = new SeriesSearch(0, 1, 0, List.of());
  private static final Question<?> NAMES = new LabelNamesQuestion(EVERYTHING);
  private static final Load LIGHT = Load.OWN;
  private static final Load HEAVY = new Load("a", 1, 4_000_000);

  private final MemoryFleet fleet = new MemoryFleet().host("n1", "g1", "g2").host("n2", "g1", "g2");

  /** More than a read takes on any machine. */
  private static final long MILLIS = 600_000;

  /** Time that the owner has, ms. */
  private static final long PATIENCE = 10_000;

  private static final Duration SOON = Duration.ofMinutes(10);

  private final Delays delays = new Delays();
  private final LongAdder hedges = new LongAdder();
  private Vertx vertx;
  private TurnedTimers timers;
  private LoopbackGateways gateways;
  private GatewayHttp http;
  private URI owner;
  private URI replica;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    this.vertx = vertx;
    timers = new TurnedTimers(vertx);
    gateways = new LoopbackGateways(vertx, fleet);
    owner = gateways.address("g1");
    replica = gateways.address("g2");
    http =
        new GatewayHttp(
            new OutgoingHttp(
                vertx, TrustSettings.NONE, RequestSigner.NONE, Gateways.connections(1)),
            vertx.createSharedWorkerExecutor("light", 1),
            vertx.createSharedWorkerExecutor("heavy", 1));
  }

  /**
   * @param millis after which the read ends without an answer
   */
  private HedgedRead.Result read(Load load, long millis) throws TimeoutException {
    return result(prepared(vertx, load, millis, NAMES, Optional.empty()).begin());
  }

  private static HedgedRead.Result result(Future<HedgedRead.Result> read) throws TimeoutException {
    return read.await(10, TimeUnit.MINUTES);
  }

  /**
   * @param timers counts the time of the read
   * @param since the owner is to say what has changed since then
   */
  private HedgedRead prepared(
      Vertx timers,
      Load load,
      long millis,
      Question<?> question,
      Optional<ChangesQuestion.Since> since) {
    HedgeMachine machine =
        new HedgeMachine(owner, HOSTS, () -> Map.of(replica, HOSTS), PATIENCE, load.isHeavy());
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    HedgedRead.Asked asked =
        new HedgedRead.Asked(
            question,
            load,
            Span.NONE,
            3,
            owner,
            deadline,
            delays,
            () -> !fleet.isDown("g1"),
            hedges,
            since);
    return new HedgedRead(timers, http, machine, asked);
  }

  private HedgedRead turned(Load load) {
    return prepared(timers.vertx(), load, MILLIS, NAMES, Optional.empty());
  }

  private void awaitAsked(String... gateways) {
    await()
        .atMost(SOON)
        .until(
            () ->
                this.gateways.asked().stream()
                    .map(LoopbackGateways.Asked::gateway)
                    .toList()
                    .equals(List.of(gateways)));
  }

  /** The first timer that is set fires. */
  private void turn(long millis) {
    await().atMost(SOON).until(() -> timers.waiting().equals(List.of(millis)));
    timers.turn();
  }

  /** The question that a gateway was asked. */
  private PartsQuestion partsAskedOf(String gateway) {
    return gateways.asked().stream()
        .filter(each -> each.gateway().equals(gateway))
        .map(each -> (PartsQuestion) each.fragment().question())
        .findFirst()
        .orElseThrow();
  }

  private static PartsQuestion parts() throws Exception {
    Expr sum = Parser.parse("sum(up)", ParseOptions.STOCK);
    Query query = new Query("sum(up)", sum, 0, 0, 0, Query.Settings.STOCK);
    return PartsQuestion.of(Planner.plan(query, List.of(), Planner.Mode.AUTO), MILLIS);
  }

  @Test
  void aResultSaysWhoAnsweredInWhatTimeAndHowMuch() throws Exception {
    long began = System.nanoTime();
    HedgedRead.Result result = read(LIGHT, MILLIS);
    long took = System.nanoTime() - began;
    FragmentAnswer answer = fleet.answer("g1", HOSTS, NAMES);
    assertThat(result.answers()).containsExactly(answer);
    assertThat(result.byReplicas()).isFalse();
    assertThat(result.bytes()).isEqualTo(FragmentCodec.encode(answer, NAMES).length);
    ShardTime time = result.times().getFirst();
    assertThat(time.shard()).isEqualTo(owner.toString());
    assertThat(time.hosts()).isEqualTo(2);
    assertThat(time.nanos()).isBetween(1L, took);
    assertThat(hedges.sum()).isZero();
  }

  @Test
  void requestsToReplicasAreCounted() throws Exception {
    fleet.stop("g1");
    HedgedRead.Result result = read(LIGHT, MILLIS);
    assertThat(result.byReplicas()).isTrue();
    assertThat(result.times()).extracting(ShardTime::shard).containsExactly(replica.toString());
    assertThat(hedges.sum()).isEqualTo(1);
  }

  @Test
  void onlyLightAnswersOfTheOwnerTellHowLongItTakes() throws Exception {
    long atFirst = delays.p95Millis();
    for (int i = 0; i < 16; i++) {
      read(HEAVY, MILLIS);
    }
    assertThat(delays.p95Millis()).as("heavy reads").isEqualTo(atFirst);
    fleet.stop("g1");
    for (int i = 0; i < 16; i++) {
      read(LIGHT, MILLIS);
    }
    assertThat(delays.p95Millis()).as("answers of the replica").isEqualTo(atFirst);
  }

  @Test
  void sixteenLightAnswersOfTheOwnerSetItsDelay() throws Exception {
    Delays slow = new Delays();
    for (int i = 0; i < 16; i++) {
      slow.took(TimeUnit.SECONDS.toNanos(1));
      delays.took(TimeUnit.SECONDS.toNanos(1));
    }
    // When so many were read that the slow ones are out of the last ones.
    await()
        .pollDelay(Duration.ZERO)
        .until(
            () -> {
              read(LIGHT, MILLIS);
              return delays.p95Millis() < slow.p95Millis();
            });
  }

  @Test
  void aReadWhoseTimeIsOverAsksNobody() {
    assertThatThrownBy(() -> read(LIGHT, 0))
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.TIMEOUT))
        .hasMessage("query timed out while waiting for the gateways");
    assertThat(gateways.asked()).isEmpty();
  }

  @Test
  void whenTheTimeIsOverNoReplicaIsAskedAnyMore() throws Exception {
    fleet.freeze("g1");
    HedgedRead.Result result = read(HEAVY, 1_000);
    assertThat(result.answers()).isEmpty();
    assertThat(gateways.asked())
        .extracting(LoopbackGateways.Asked::gateway)
        .doesNotContain("g2")
        .hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void whenAReadEndsItsTimersDo() throws Exception {
    result(turned(LIGHT).begin());
    assertThat(timers.waiting()).as("the owner has answered").isEmpty();

    fleet.stop("g1");
    result(turned(LIGHT).begin());
    assertThat(timers.waiting()).as("the replica has").isEmpty();

    fleet.freeze("g2");
    HedgedRead cancelled = turned(LIGHT);
    Future<HedgedRead.Result> nothing = cancelled.begin();
    awaitAsked("g1", "g2", "g2");
    cancelled.cancel();
    assertThatThrownBy(() -> result(nothing)).isInstanceOf(QueryFailure.class);
    assertThat(timers.waiting()).as("it was cancelled").isEmpty();

    HedgedRead late = prepared(timers.vertx(), LIGHT, 0, NAMES, Optional.empty());
    assertThatThrownBy(() -> result(late.begin())).isInstanceOf(QueryFailure.class);
    assertThat(timers.waiting()).as("there was no time").isEmpty();
  }

  @Test
  void theReplicaIsAskedWhenTheOwnerHasHadItsTime() throws Exception {
    fleet.freeze("g1");
    Future<HedgedRead.Result> read = turned(LIGHT).begin();
    awaitAsked("g1");
    turn(PATIENCE);
    assertThat(result(read).byReplicas()).isTrue();
    awaitAsked("g1", "g2");
    await().atMost(SOON).until(() -> gateways.resets().equals(List.of("g1")));
  }

  @Test
  void theOwnerOfAHeavyReadIsLookedForUntilItLeavesTheCluster() throws Exception {
    fleet.freeze("g1");
    Future<HedgedRead.Result> read = turned(HEAVY).begin();
    turn(PATIENCE);
    for (int i = 0; i < 5; i++) {
      turn(HedgeMachine.WATCH_MILLIS);
    }
    awaitAsked("g1");
    fleet.stop("g1");
    turn(HedgeMachine.WATCH_MILLIS);
    assertThat(result(read).byReplicas()).isTrue();
    awaitAsked("g1", "g2");
    assertThat(timers.waiting()).isEmpty();
  }

  @Test
  void theOwnerAloneIsAskedWhatHasChanged() throws Exception {
    Optional<ChangesQuestion.Since> since = Optional.of(new ChangesQuestion.Since(7, 8));
    HedgedRead.Result ofOwner =
        result(prepared(timers.vertx(), LIGHT, MILLIS, parts(), since).begin());
    assertThat(partsAskedOf("g1").since()).isEqualTo(since);
    assertThat(ofOwner.changes()).isPresent();

    fleet.freeze("g1");
    Future<HedgedRead.Result> read =
        prepared(timers.vertx(), LIGHT, MILLIS, parts(), since).begin();
    turn(PATIENCE);
    HedgedRead.Result ofReplica = result(read);
    assertThat(partsAskedOf("g2").since()).isEmpty();
    assertThat(ofReplica.byReplicas()).isTrue();
    assertThat(ofReplica.changes()).as("changes at a replica are those of others").isEmpty();
  }
}
