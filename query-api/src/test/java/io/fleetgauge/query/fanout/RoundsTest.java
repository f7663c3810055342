package io.fleetgauge.query.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.LabelNamesQuestion;
import io.fleetgauge.promql.fragment.SamplesQuestion;
import io.fleetgauge.promql.fragment.Strings;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.fleet.NewestRead;
import io.fleetgauge.query.fleet.PartsRead;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.query.source.ShardTime;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.NameEscaping;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What gateways are asked on the wire, when, and by what table. */
@ExtendWith(VertxExtension.class)
class RoundsTest {
  /** Its replicas are not asked because its owner is slow, as it may be on a busy machine. */
  private static final Load HEAVY = new Load("red", 3, 1L << 40);

  /** More than a read takes on any machine. */
  private static final long MILLIS = 120_000;

  private static final Selection ALL =
      new Selection(List.of(Matcher.of(Matcher.Kind.EQUAL, Labels.NAME, "up")), 0, 10_000);

  private final MemoryFleet fleet =
      new MemoryFleet().host("n1", "g1", "g2").host("n2", "g2", "g1").host("n3", "g1");
  private Vertx vertx;
  private LoopbackGateways gateways;
  private GatewayFleet shards;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    this.vertx = vertx;
    fleet.with(up("n1"), up("n2"), up("n3"));
    gateways = new LoopbackGateways(vertx, fleet);
    shards = shards(gateways::view);
  }

  private static Series up(String host) {
    Labels labels = Labels.of(Labels.NAME, "up", "Hostname", host);
    return new Series(labels, new long[] {5_000}, new double[] {1});
  }

  private GatewayFleet shards(Supplier<ClusterView> view) {
    return new GatewayFleet(
        new Gateways(vertx, outgoing(), view, worker("rounds", 2), worker("heavy-rounds", 1)));
  }

  private OutgoingHttp outgoing() {
    return new OutgoingHttp(vertx, TrustSettings.NONE, RequestSigner.NONE, Gateways.connections(4));
  }

  private WorkerExecutor worker(String name, int threads) {
    return vertx.createSharedWorkerExecutor(name, threads);
  }

  private Future<Gathered<List<List<Series>>>> read(boolean heavy, long millis, Cancellation end) {
    return shards.samples(
        List.of(ALL), 1_000, new ReadOptions(heavy ? HEAVY : Load.OWN, millis, end));
  }

  private Gathered<List<List<Series>>> read(boolean heavy, long millis) throws TimeoutException {
    return read(heavy, millis, new Cancellation()).await(120, TimeUnit.SECONDS);
  }

  private List<String> asked() {
    return gateways.asked().stream()
        .map(each -> each.gateway() + each.fragment().hosts())
        .sorted()
        .toList();
  }

  /** The table that is looked at the second time gives the host to another gateway. */
  private void movesAtTheSecondLook(String host, String gateway) {
    AtomicInteger looks = new AtomicInteger();
    shards =
        shards(
            () -> {
              if (looks.incrementAndGet() == 2) {
                fleet.host(host, gateway);
              }
              return gateways.view();
            });
  }

  @Test
  void eachOwnerIsAskedOnceForItsHostsWithTheEpochOfTheTable() throws Exception {
    read(true, MILLIS);
    assertThat(asked()).containsExactly("g1[n1, n3]", "g2[n2]");
    assertThat(gateways.asked())
        .allSatisfy(each -> assertThat(each.fragment().epoch()).isEqualTo(fleet.epoch()));
  }

  @Test
  void aHostThatNoGatewayAnsweredForIsAskedForOnceMoreByTheNewestTable() throws Exception {
    fleet.host("n4", "g9");
    fleet.with(up("n4"));
    // The table names a gateway that is nowhere; when it is looked at again it names another.
    movesAtTheSecondLook("n4", "g2");
    Gathered<List<List<Series>>> found = read(true, MILLIS);
    assertThat(found.coverage().isWhole()).isTrue();
    assertThat(found.value().getFirst()).hasSize(4);
    assertThat(asked()).containsExactly("g1[n1, n3]", "g2[n2]", "g2[n4]");
  }

  @Test
  void whileTheClusterChangesAHostIsAskedForAgain() throws Exception {
    fleet.host("n4", "g9");
    fleet.with(up("n4"));
    AtomicInteger looks = new AtomicInteger();
    shards =
        shards(
            () -> {
              // First it moves to a gateway that is nowhere either, later to one that answers.
              switch (looks.incrementAndGet()) {
                case 2 -> fleet.host("n4", "g8");
                case 3 -> fleet.host("n4", "g7");
                case 4 -> fleet.host("n4", "g2");
                default -> {}
              }
              return gateways.view();
            });
    Gathered<List<List<Series>>> found = read(true, MILLIS);
    assertThat(found.coverage().isWhole()).isTrue();
    assertThat(looks.get()).isEqualTo(4);
    assertThat(asked()).containsExactly("g1[n1, n3]", "g2[n2]", "g2[n4]");
  }

  @Test
  void aHostThatIsLeftWhenTheClusterDoesNotChangeIsMissing() throws Exception {
    fleet.host("n4", "g9");
    AtomicInteger looks = new AtomicInteger();
    shards =
        shards(
            () -> {
              looks.incrementAndGet();
              return gateways.view();
            });
    Gathered<List<List<Series>>> found = read(true, MILLIS);
    assertThat(found.coverage().missing()).containsExactly("n4");
    // To ask, after the pause, and to see that nothing has changed since.
    assertThat(looks.get()).isEqualTo(3);
  }

  @Test
  void roundsEndHoweverOftenTheClusterChanges() throws Exception {
    fleet.host("n4", "g9");
    AtomicInteger looks = new AtomicInteger();
    shards =
        shards(
            () -> {
              fleet.host("n4", "away" + looks.incrementAndGet());
              return gateways.view();
            });
    assertThat(read(true, MILLIS).coverage().missing()).containsExactly("n4");
    assertThat(looks.get()).isEqualTo(5);
  }

  @Test
  void withoutTimeForASecondRoundTheHostsThatAreLeftAreMissing() throws Exception {
    fleet.host("n4", "g9");
    GatewayHttp http = new GatewayHttp(outgoing(), worker("rounds", 2), worker("heavy-rounds", 1));
    SamplesQuestion question = new SamplesQuestion(1_000, List.of(ALL));
    Gathered<List<List<Series>>> found =
        new Rounds(vertx, http, gateways::view, 2 * MILLIS)
            .read(
                question,
                host -> true,
                new ReadOptions(HEAVY, MILLIS, new Cancellation()),
                question::merged)
            .await(120, TimeUnit.SECONDS);
    assertThat(found.coverage().missing()).containsExactly("n4");
    assertThat(asked()).containsExactly("g1[n1, n3]", "g2[n2]");
  }

  @Test
  void aHostThatOneRoundFoundIsNotInTheAnswerTwice() throws Exception {
    fleet.host("n4", "g9");
    fleet.with(up("n4"));
    movesAtTheSecondLook("n4", "g1");
    Gathered<List<List<Series>>> found = read(true, MILLIS);
    assertThat(found.value().getFirst())
        .extracting(each -> each.labels().value("Hostname"))
        .containsExactly("n1", "n2", "n3", "n4");
    assertThat(found.coverage().times()).hasSize(3);
    assertThat(found.coverage().times().stream().mapToInt(ShardTime::hosts).sum()).isEqualTo(4);
  }

  @Test
  void aHostThatMovesIsReadByTheNewTable() throws Exception {
    read(true, MILLIS);
    fleet.host("n3", "g2", "g1");
    read(true, MILLIS);
    assertThat(asked()).containsExactly("g1[n1, n3]", "g1[n1]", "g2[n2, n3]", "g2[n2]");
  }

  @Test
  void onlyTheHostsThatAreMeantAreAskedFor() throws Exception {
    ReadOptions options = new ReadOptions(HEAVY, MILLIS, new Cancellation());
    NewestRead newest =
        new NewestRead(List.of(List.of()), 0, 10_000, NameEscaping.ALLOW_UTF_8, false, 10, 10_000);
    Gathered<?> found = shards.newest(newest, "n3"::equals, options).await(120, TimeUnit.SECONDS);
    assertThat(found.coverage().hosts()).isEqualTo(1);
    assertThat(found.coverage().isWhole()).isTrue();
    assertThat(asked()).containsExactly("g1[n3]");
    shards.newest(newest, host -> !host.equals("n3"), options).await(120, TimeUnit.SECONDS);
    assertThat(asked())
        .as("then others by the same table")
        .containsExactly("g1[n1]", "g1[n3]", "g2[n2]");
  }

  @Test
  void onTheSmallerSideOfASplitAnAnswerSaysHowManyGatewaysAreInSight() throws Exception {
    fleet.leave("g2");
    fleet.split();
    assertThat(read(false, MILLIS).coverage().split())
        .isEqualTo(
            "the cluster is split: 1 of 2 gateways can be reached, and samples that the others"
                + " accept are missing");
  }

  @Test
  void aHostWhoseTwoGatewaysFailIsAskedForAgainAndThenNamed() throws Exception {
    fleet.stop("g1");
    Gathered<List<List<Series>>> found = read(false, MILLIS);
    assertThat(found.coverage().missing()).containsExactly("n3");
    assertThat(found.coverage().hedged()).isTrue();
    assertThat(asked()).containsExactly("g2[n1]", "g2[n2]");
  }

  @Test
  void aHostThatWasReadButIsNotWholeIsNotAskedForAgain() throws Exception {
    fleet.damage("n2");
    Query query =
        new Query(
            "sum(up)",
            Parser.parse("sum(up)", ParseOptions.STOCK),
            10_000,
            10_000,
            0,
            Query.Settings.STOCK);
    Gathered<PartsRead> found =
        shards
            .parts(
                Planner.plan(query, List.of(), Planner.Mode.AUTO),
                Optional.empty(),
                new ReadOptions(HEAVY, MILLIS, new Cancellation()))
            .await(120, TimeUnit.SECONDS);
    assertThat(found.value().parts().samples()).isEqualTo(3);
    assertThat(found.coverage().missing()).containsExactly("n2");
    assertThat(asked()).containsExactly("g1[n1, n3]", "g2[n2]");
  }

  @Test
  void aFrozenOwnerIsHedgedAndItsRequestEnds() throws Exception {
    fleet.freeze("g2");
    Gathered<List<List<Series>>> found = read(false, MILLIS);
    assertThat(found.coverage().isWhole()).isTrue();
    assertThat(found.coverage().hedged()).isTrue();
    assertThat(asked()).contains("g1[n1, n3]", "g1[n2]", "g2[n2]");
    Awaitility.await().until(() -> gateways.resets().contains("g2"));
  }

  @Test
  void aHeavyReadIsHedgedOnlyWhenItsOwnerLeavesTheCluster() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    shards =
        shards(
            () -> {
              looks.incrementAndGet();
              return gateways.view();
            });
    fleet.freeze("g2");
    Future<Gathered<List<List<Series>>>> read = read(true, MILLIS, new Cancellation());
    // Once to ask, then to see whether the owner is still there.
    Awaitility.await().until(() -> looks.get() >= 3);
    assertThat(asked()).containsExactly("g1[n1, n3]", "g2[n2]");
    fleet.leave("g2");
    Gathered<List<List<Series>>> found = read.await(120, TimeUnit.SECONDS);
    assertThat(found.coverage().isWhole()).isTrue();
    assertThat(asked()).containsExactly("g1[n1, n3]", "g1[n2]", "g2[n2]");
  }

  @Test
  void aCancelledReadEndsItsRequests() throws Exception {
    fleet.freeze("g1");
    fleet.freeze("g2");
    Cancellation cancellation = new Cancellation();
    Future<?> read = read(true, MILLIS, cancellation);
    Awaitility.await().until(() -> gateways.asked().size() == 2);
    cancellation.cancel();
    assertThatThrownBy(() -> read.await(120, TimeUnit.SECONDS)).isInstanceOf(QueryFailure.class);
    Awaitility.await().until(() -> gateways.resets().containsAll(List.of("g1", "g2")));
  }

  @Test
  void aReadThatIsCancelledBeforeItBeginsAsksNobody() throws Exception {
    Cancellation cancellation = new Cancellation();
    cancellation.cancel();
    assertThatThrownBy(() -> read(false, MILLIS, cancellation).await(120, TimeUnit.SECONDS))
        .isInstanceOf(QueryFailure.class);
    read(true, MILLIS); // whatever was sent before came before this
    assertThat(asked()).containsExactly("g1[n1, n3]", "g2[n2]");
  }

  @Test
  void aHeavyReadTellsTheGatewaysSo() throws Exception {
    read(true, MILLIS);
    assertThat(gateways.asked())
        .allSatisfy(each -> assertThat(each.fragment().load()).isEqualTo(HEAVY));
  }

  @Test
  void anAnswerOfAnotherKindIsNone() throws Exception {
    gateways.alwaysAnswer(
        FragmentCodec.encode(
            new FragmentAnswer(1, List.of("n1", "n2", "n3"), new Strings(List.of("wrong"))),
            new LabelNamesQuestion(new SeriesSearch(0, 1, 0, List.of()))));
    assertThat(read(false, MILLIS).coverage().missing()).containsExactly("n1", "n2", "n3");
    assertThat(shards.changes(Optional.empty()).await(120, TimeUnit.SECONDS).all()).isTrue();
  }
}
