package io.fleetgauge.query.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.LabelNamesQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.source.ShardTime;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.runtime.trust.RequestSigner;
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
  private static final long MILLIS = 120_000;

  private final Delays delays = new Delays();
  private final LongAdder hedges = new LongAdder();
  private Vertx vertx;
  private LoopbackGateways gateways;
  private GatewayHttp http;
  private URI owner;
  private URI replica;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    this.vertx = vertx;
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
    HedgeMachine machine =
        new HedgeMachine(owner, HOSTS, () -> Map.of(replica, HOSTS), 10_000, load.isHeavy());
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    HedgedRead.Asked asked =
        new HedgedRead.Asked(
            NAMES,
            load,
            Span.NONE,
            3,
            owner,
            deadline,
            delays,
            () -> true,
            hedges,
            Optional.empty());
    return new HedgedRead(vertx, http, machine, asked).begin().await(120, TimeUnit.SECONDS);
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
}
