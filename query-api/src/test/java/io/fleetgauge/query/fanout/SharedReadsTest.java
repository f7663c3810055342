package io.fleetgauge.query.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.SeveralQuestion;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.fleet.PartsRead;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** On a busy machine replicas are asked too, so that there may be more requests. */
@ExtendWith(VertxExtension.class)
class SharedReadsTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final Selection ALL =
      new Selection(List.of(Matcher.of(Matcher.Kind.EQUAL, Labels.NAME, "up")), 0, 10_000);

  private final MemoryFleet fleet = new MemoryFleet().host("n1", "g1", "g2").host("n2", "g2", "g1");
  private Vertx vertx;
  private LoopbackGateways gateways;
  private Gateways reads;
  private GatewayFleet shards;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    this.vertx = vertx;
    fleet.with(up("n1", 1), up("n2", 2));
    gateways = new LoopbackGateways(vertx, fleet);
    OutgoingHttp http =
        new OutgoingHttp(vertx, TrustSettings.NONE, RequestSigner.NONE, Gateways.connections(4));
    reads =
        new Gateways(
            vertx,
            http,
            gateways::view,
            vertx.createSharedWorkerExecutor("shared", 2),
            vertx.createSharedWorkerExecutor("heavy-shared", 1));
    shards = new GatewayFleet(reads);
  }

  private static Series up(String host, double value) {
    Labels labels = Labels.of(Labels.NAME, "up", "Hostname", host);
    return new Series(labels, new long[] {5_000}, new double[] {value});
  }

  private static ReadOptions options(String tenant, long work, Cancellation cancellation) {
    return new ReadOptions(new Load(tenant, 1, work), 10_000, cancellation).together(true);
  }

  private Future<Gathered<PartsRead>> sum(String tenant, long work) {
    return sum(tenant, work, new Cancellation());
  }

  private Future<Gathered<PartsRead>> sum(String tenant, long work, Cancellation cancellation) {
    return sum(options(tenant, work, cancellation));
  }

  private Future<Gathered<PartsRead>> sum(ReadOptions options) {
    try {
      Query query =
          new Query(
              "sum(up)",
              Parser.parse("sum(up)", ParseOptions.STOCK),
              10_000,
              10_000,
              0,
              Query.Settings.STOCK);
      Planned planned = Planner.plan(query, List.of(), Planner.Mode.AUTO);
      return shards.parts(planned, Optional.empty(), options);
    } catch (Exception e) {
      return Future.failedFuture(e);
    }
  }

  private Future<Gathered<List<List<Series>>>> samples(long budget) {
    return shards.samples(List.of(ALL), budget, options("red", 1, new Cancellation()));
  }

  /** Begins reads in one turn of an event loop. */
  @SafeVarargs
  private <T> List<Future<T>> inOneTurn(Supplier<Future<T>>... reads) throws Exception {
    List<Supplier<Future<T>>> all = new ArrayList<>();
    for (Supplier<Future<T>> read : reads) {
      all.add(read);
    }
    return inOneTurn(all);
  }

  private <T> List<Future<T>> inOneTurn(List<Supplier<Future<T>>> reads) throws Exception {
    Promise<List<Future<T>>> begun = Promise.promise();
    vertx.runOnContext(none -> begun.complete(reads.stream().map(Supplier::get).toList()));
    return begun.future().await(120, TimeUnit.SECONDS);
  }

  private static <T> T result(Future<T> future) throws Exception {
    return future.await(10, TimeUnit.MINUTES);
  }

  private static double value(Gathered<PartsRead> sum) {
    return sum.value().parts().parts().getFirst().columns().getFirst().values()[0];
  }

  private List<String> kinds() {
    return gateways.asked().stream()
        .map(each -> each.gateway() + " " + each.fragment().question().kind())
        .sorted()
        .toList();
  }

  @Test
  void readsOfOneTurnAreOneRequestToEachGatewayAndEachHasItsOwnAnswer() throws Exception {
    Promise<Future<Gathered<List<List<Series>>>>> second = Promise.promise();
    List<Future<Gathered<PartsRead>>> first =
        inOneTurn(
            () -> {
              second.complete(samples(10));
              return sum("red", 1);
            });
    Gathered<PartsRead> sum = result(first.getFirst());
    Gathered<List<List<Series>>> samples = result(result(second.future()));
    assertThat(value(sum)).isEqualTo(3);
    assertThat(samples.value().getFirst()).hasSize(2);
    assertThat(sum.coverage().isWhole()).isTrue();
    assertThat(kinds()).containsOnly("g1 SEVERAL", "g2 SEVERAL");
    assertThat(gateways.asked())
        .allSatisfy(each -> assertThat(each.fragment().load()).isEqualTo(new Load("red", 1, 2)));
  }

  @Test
  void aReadThatIsAloneInItsTurnIsSentAlone() throws Exception {
    for (Future<Gathered<PartsRead>> each : inOneTurn(() -> sum("red", 1))) {
      assertThat(value(result(each))).isEqualTo(3);
    }
    assertThat(kinds()).containsOnly("g1 PARTS", "g2 PARTS");
  }

  @Test
  void readsOfTwoTenantsShareNothingNorDoHeavyOnes() throws Exception {
    long heavy = 1L << 40;
    long half = 1;
    while (!Load.isHeavy(2 * half)) {
      half *= 2;
    }
    long much = half;
    for (Future<Gathered<PartsRead>> each :
        inOneTurn(
            () -> sum("red", 1),
            () -> sum("blue", 1),
            () -> sum("blue", heavy),
            () -> sum("red", much),
            () -> sum("red", much))) {
      assertThat(value(result(each))).isEqualTo(3);
    }
    // Two light ones that are heavy together are not together.
    assertThat(kinds()).hasSizeGreaterThanOrEqualTo(10).containsOnly("g1 PARTS", "g2 PARTS");
  }

  @Test
  void aReadThatMayNotReadSoMuchFailsAloneAsItWouldByItself() throws Exception {
    List<Future<Gathered<List<List<Series>>>>> reads =
        inOneTurn(() -> samples(0), () -> samples(9));
    assertThatThrownBy(() -> result(reads.get(0)))
        .isInstanceOf(QueryFailure.class)
        .extracting(failure -> ((QueryFailure) failure).kind())
        .isEqualTo(QueryFailure.Kind.EXECUTION);
    assertThat(result(reads.get(1)).value().getFirst()).hasSize(2);
  }

  @Test
  void aHostThatIsNotWholeIsMissingAndOneThatNobodyHasToo() throws Exception {
    fleet.damage("n2");
    fleet.host("n3", "nowhere");
    for (Future<Gathered<PartsRead>> each : inOneTurn(() -> sum("red", 1), () -> sum("red", 1))) {
      Gathered<PartsRead> sum = result(each);
      assertThat(sum.coverage().missing()).containsExactly("n2", "n3");
      assertThat(sum.coverage().hosts()).isEqualTo(3);
    }
  }

  @Test
  void aGatewayThatIsDownIsReplacedByReplicasForAllOfThem() throws Exception {
    fleet.stop("g2");
    for (Future<Gathered<PartsRead>> each : inOneTurn(() -> sum("red", 1), () -> sum("red", 1))) {
      assertThat(value(result(each))).isEqualTo(3);
      assertThat(result(each).coverage().hedged()).isTrue();
    }
  }

  /** Such as one that is too long for a gateway, or that it cannot execute. */
  @Test
  void aRequestThatFailsIsRepeatedForEachOfItsReadsAlone() throws Exception {
    gateways.refuse(question -> question instanceof SeveralQuestion);
    for (Future<Gathered<PartsRead>> each : inOneTurn(() -> sum("red", 1), () -> sum("red", 1))) {
      assertThat(value(result(each))).isEqualTo(3);
    }
    assertThat(kinds()).contains("g1 SEVERAL", "g1 PARTS", "g2 PARTS");
  }

  @Test
  void aRequestEndsWhenNobodyWaitsForAnyOfItsReads() throws Exception {
    fleet.freeze("g1");
    fleet.freeze("g2");
    Cancellation one = new Cancellation();
    Cancellation other = new Cancellation();
    List<Future<Gathered<PartsRead>>> reads =
        inOneTurn(() -> sum("red", 1, one), () -> sum("red", 1, other));
    Awaitility.await().until(() -> gateways.asked().size() >= 2);
    one.cancel();
    assertThat(gateways.resets()).isEmpty();
    other.cancel();
    for (Future<Gathered<PartsRead>> each : reads) {
      assertThatThrownBy(() -> result(each)).isInstanceOf(QueryFailure.class);
    }
    Awaitility.await().until(() -> gateways.resets().containsAll(List.of("g1", "g2")));
  }

  @Test
  void whoLeavesTakesNothingFromTheOtherReadsOfTheRequest() throws Exception {
    gateways.hold();
    Cancellation leaves = new Cancellation();
    List<Future<Gathered<PartsRead>>> all =
        inOneTurn(() -> sum("red", 1, leaves), () -> sum("red", 1), () -> sum("red", 1, leaves));
    Awaitility.await().atMost(SOON).until(() -> gateways.asked().size() >= 2);
    leaves.cancel();
    gateways.release();
    assertThat(value(result(all.get(1)))).isEqualTo(3);
    assertThat(kinds()).as("it is not asked for again").containsOnly("g1 SEVERAL", "g2 SEVERAL");
  }

  @Test
  void aRequestHasTheTimeOfItsMostPatientRead() throws Exception {
    gateways.hold();
    Load load = new Load("red", 1, 1);
    List<Future<Gathered<PartsRead>>> all =
        inOneTurn(
            () -> sum(new ReadOptions(load, 1, new Cancellation()).together(true)),
            () -> sum(new ReadOptions(load, 600_000, new Cancellation()).together(true)));
    Awaitility.await().atMost(SOON).until(() -> gateways.asked().size() >= 2);
    gateways.release();
    for (Future<Gathered<PartsRead>> each : all) {
      assertThat(value(result(each))).isEqualTo(3);
    }
    assertThat(kinds()).containsOnly("g1 SEVERAL", "g2 SEVERAL");
  }

  private double counted() {
    Meters meters = new Meters("query");
    reads.declare(meters);
    return new String(meters.exposition(), StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.startsWith("query_shared_reads_total "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .sum();
  }

  @Test
  void readsThatShareARequestAreCountedAndThoseThatAreAloneAreNot() throws Exception {
    result(inOneTurn(() -> sum("red", 1)).getFirst());
    assertThat(counted()).isZero();
    for (Future<?> each :
        inOneTurn(() -> sum("red", 1), () -> sum("red", 1), () -> sum("red", 1))) {
      result(each);
    }
    assertThat(counted()).isEqualTo(3);
    for (Future<?> each : inOneTurn(() -> sum("red", 1), () -> sum("blue", 1))) {
      result(each);
    }
    assertThat(counted()).isEqualTo(3);
  }

  @Test
  void manyReadsAreSeveralRequests() throws Exception {
    Supplier<Future<Gathered<PartsRead>>> one = () -> sum("red", 1);
    for (Future<Gathered<PartsRead>> each : inOneTurn(Collections.nCopies(100, one))) {
      assertThat(value(result(each))).isEqualTo(3);
    }
    assertThat(
            gateways.asked().stream()
                .map(each -> ((SeveralQuestion) each.fragment().question()).questions().size()))
        .containsOnly(64, 36);
  }
}
