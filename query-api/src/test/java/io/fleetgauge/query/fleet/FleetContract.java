package io.fleetgauge.query.fleet;

import static io.fleetgauge.query.fleet.GpuSeries.labels;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.lookup.HostRetention;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.TimeBucket;
import io.fleetgauge.promql.plan.EvaluatedParts;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.ProvidedPart;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.fanout.GatewayFleet;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.query.source.ShardTime;
import io.fleetgauge.query.source.Source;
import io.fleetgauge.query.source.SourceContract;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.NameEscaping;
import io.fleetgauge.sample.vocabulary.Aliases;
import io.fleetgauge.sample.vocabulary.Factor;
import io.fleetgauge.sample.vocabulary.MetricAlias;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The laws of every {@link Fleet}, which is a source too. It has more than 600 lines because it has
 * the laws of each kind of read.
 */
@ExtendWith(VertxExtension.class)
public abstract class FleetContract extends SourceContract {
  protected final MemoryFleet fleet = new MemoryFleet();
  private GatewayFleet shards;

  /** The gateways of {@link #fleet}, whose layout may change afterwards. */
  protected abstract GatewayFleet gateways(Vertx vertx) throws Exception;

  @Override
  protected Source source() {
    return shards;
  }

  @Override
  protected List<Series> stored() {
    return fleet.allSeries();
  }

  @BeforeEach
  protected void fill(Vertx vertx) throws Exception {
    for (int host = 0; host < 6; host++) {
      String owner = "g" + host % 3;
      String replica = "g" + (host + 1) % 3;
      fleet.host("n" + host, owner, replica);
      for (int gpu = 0; gpu < 2; gpu++) {
        for (String metric : List.of("power", "load_total")) {
          fleet.with(GpuSeries.series(metric, host, gpu, START - host, STEP, STEPS));
        }
      }
    }
    shards = gateways(vertx);
  }

  private Gathered<List<List<Series>>> read(String... metrics) throws TimeoutException {
    List<Selection> selections = new ArrayList<>();
    for (String metric : metrics) {
      selections.add(all(metric));
    }
    return await(shards.samples(selections, 1_000_000, options()));
  }

  private List<Series> expected(String metric) {
    return fleet.allSeries().stream()
        .filter(each -> each.labels().metric().equals(metric))
        .sorted(Comparator.comparing(Series::labels))
        .toList();
  }

  // --- samples ---

  @Test
  protected void aReadSaysWhatItCoversByWhatTable() throws Exception {
    Gathered<List<List<Series>>> found = read("power", "load_total");
    assertThat(found.coverage().hosts()).isEqualTo(6);
    assertThat(found.coverage().epoch()).isEqualTo(fleet.epoch());
    assertThat(found.coverage().hedged()).isFalse();
    assertThat(found.coverage().times().stream().mapToInt(ShardTime::hosts).sum()).isEqualTo(6);
  }

  @Test
  protected void aHostWhoseOwnerRefusesIsReadFromItsReplica() throws Exception {
    fleet.stop("g1");
    Gathered<List<List<Series>>> found = read("power");
    assertThat(found.value()).containsExactly(expected("power"));
    assertThat(found.coverage().isWhole()).isTrue();
    assertThat(found.coverage().hedged()).isTrue();
  }

  @Test
  protected void aHostWhoseOwnerHasLeftTheClusterIsReadFromItsReplica() throws Exception {
    fleet.leave("g1");
    Gathered<List<List<Series>>> found = read("power");
    assertThat(found.value()).containsExactly(expected("power"));
    assertThat(found.coverage().isWhole()).isTrue();
  }

  @Test
  protected void aHostWhoseOwnerIsFrozenIsReadFromItsReplica() throws Exception {
    fleet.freeze("g2");
    Gathered<List<List<Series>>> found = read("power");
    assertThat(found.value()).containsExactly(expected("power"));
    assertThat(found.coverage().hedged()).isTrue();
  }

  @Test
  protected void aHostThatNoGatewayAnswersForIsNamed() throws Exception {
    fleet.stop("g0");
    fleet.stop("g1");
    Gathered<List<List<Series>>> found = read("power");
    assertThat(found.coverage().missing()).containsExactly("n0", "n3");
    assertThat(found.value().getFirst())
        .isEqualTo(
            expected("power").stream()
                .filter(each -> !List.of("n0", "n3").contains(each.labels().value("Hostname")))
                .toList());
  }

  @Test
  protected void aHostWhoseGatewaysAreAllFrozenIsNamedWhenTheTimeIsOver() throws Exception {
    fleet.freeze("g0");
    fleet.freeze("g1");
    Gathered<List<List<Series>>> found =
        await(
            shards.samples(
                List.of(all("power")),
                1_000_000,
                new ReadOptions(Load.OWN, 400, new Cancellation())));
    assertThat(found.coverage().missing()).containsExactly("n0", "n3");
  }

  @Test
  protected void aHostThatItsHoldersLackSamplesOfIsReadAndNamed() throws Exception {
    fleet.damage("n4");
    Gathered<List<List<Series>>> found = read("power");
    assertThat(found.coverage().missing()).containsExactly("n4");
  }

  @Test
  protected void aSplitIsAGapThoughNoHostIsMissing() throws Exception {
    fleet.split();
    Coverage coverage = read("power").coverage();
    assertThat(coverage.missing()).isEmpty();
    assertThat(coverage.isWhole()).isFalse();
    assertThat(coverage.split()).startsWith("the cluster is split");
  }

  @Test
  protected void withoutAnyGatewayAReadIsUnavailable() {
    fleet.gateways().forEach(fleet::leave);
    assertThatThrownBy(() -> read("power"))
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.UNAVAILABLE))
        .hasMessage("no gateway is in the cluster");
  }

  @Test
  protected void aCancelledReadFailsThoughGatewaysNeverAnswer() {
    fleet.gateways().forEach(fleet::freeze);
    Cancellation cancellation = new Cancellation();
    Future<?> read =
        shards.samples(
            List.of(all("power")),
            1_000,
            new ReadOptions(new Load("a", 1, 1L << 40), 60_000, cancellation));
    cancellation.cancel();
    assertThatThrownBy(() -> await(read))
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.CANCELED));
  }

  // --- parts of queries ---

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sum by (rack) (power)",
        "avg by (rack) (rate(load_total[2m]))",
        "max(power) - min(power)",
        "count by (job) (power > 120)",
        "power * 2",
        "topk(3, power)",
        "quantile by (rack) (0.5, power)",
        "sum(rate(load_total[1m])) / sum(power)",
        "group(power) or absent(nosuch)"
      })
  protected void partsMakeTheAnswerThatAllSamplesMake(String text) throws Exception {
    for (boolean instant : new boolean[] {true, false}) {
      Query query =
          new Query(
              text,
              Parser.parse(text, new ParseOptions(Feature.STOCK, END - START, STEP)),
              instant ? END : START,
              END,
              instant ? 0 : STEP,
              Query.Settings.STOCK);
      Planned planned = Planner.plan(query, List.of(), Planner.Mode.AUTO);
      SeriesSource source = seriesSource();
      Map<Expr, ProvidedPart> provided = new IdentityHashMap<>();
      if (!planned.cuts().isEmpty()) {
        EvaluatedParts parts =
            await(shards.parts(planned, Optional.empty(), options())).value().parts();
        assertThat(parts.unfit()).isEmpty();
        for (int i = 0; i < planned.cuts().size(); i++) {
          provided.put(planned.cuts().get(i).expr(), parts.parts().get(i));
        }
      }
      Answer answer = Engine.run(planned.query(), source, provided, StopCheck.NEVER);
      assertThat(answer.result())
          .as(text)
          .isEqualTo(Engine.run(query, source, StopCheck.NEVER).result());
    }
  }

  private SeriesSource seriesSource() {
    return (selection, receiver) -> {
      for (Series each : fleet.allSeries()) {
        boolean inTime =
            Series.firstAfter(each.times(), 0, each.size(), selection.from())
                < Series.firstAfter(each.times(), 0, each.size(), selection.to());
        if (inTime && selection.matchers().stream().allMatch(m -> m.matches(each.labels()))) {
          receiver.accept(each);
        }
      }
    };
  }

  @Test
  protected void partsSeeOnlyTheScope() throws Exception {
    Query query =
        new Query(
            "count(power)",
            Parser.parse("count(power)", new ParseOptions(Feature.STOCK, 0, 0)),
            END,
            END,
            0,
            Query.Settings.STOCK);
    List<Matcher> scope = List.of(equal("rack", "r1"));
    Planned planned = Planner.plan(query, scope, Planner.Mode.AUTO);
    EvaluatedParts parts =
        await(shards.parts(planned, Optional.empty(), options())).value().parts();
    assertThat(parts.parts().getFirst().columns().getFirst().values()).containsExactly(6);
    assertThat(parts.samples()).isEqualTo(6);
  }

  @Test
  protected void partsAreReadThroughTheAliasesOfThePlan() throws Exception {
    String text = "max by (host) (watts{host=~\"n[1-3]\"})";
    Query query =
        new Query(
            text,
            Parser.parse(text, new ParseOptions(Feature.STOCK, 0, 0)),
            END,
            END,
            0,
            Query.Settings.STOCK);
    Aliases aliases =
        new Aliases(
            Map.of("watts", new MetricAlias("watts", "power", new Factor(1, 100), "", "")),
            Map.of("host", "Hostname"));
    Planned planned = Planner.plan(query, List.of(), aliases, Planner.Mode.AUTO);
    EvaluatedParts parts =
        await(shards.parts(planned, Optional.empty(), options())).value().parts();
    Map<Expr, ProvidedPart> provided = new IdentityHashMap<>();
    provided.put(planned.cuts().getFirst().expr(), parts.parts().getFirst());
    Answer answer = Engine.run(planned.query(), seriesSource(), provided, StopCheck.NEVER);
    assertThat(answer.result())
        .isEqualTo(Engine.run(planned.query(), seriesSource(), StopCheck.NEVER).result());
    assertThat(((Answer.Vector) answer.result()).samples()).hasSize(3);
  }

  @Test
  protected void aPartThatAShardCannotGuaranteeIsReportedAsUnfit() throws Exception {
    fleet.refuseParts("it has histograms");
    Query query =
        new Query(
            "sum(power)",
            Parser.parse("sum(power)", new ParseOptions(Feature.STOCK, 0, 0)),
            END,
            END,
            0,
            Query.Settings.STOCK);
    Planned planned = Planner.plan(query, List.of(), Planner.Mode.AUTO);
    EvaluatedParts parts =
        await(shards.parts(planned, Optional.empty(), options())).value().parts();
    assertThat(parts.unfit()).isEqualTo("it has histograms");
    assertThat(parts.parts()).isEmpty();
  }

  @Test
  protected void ownersOfSeriesAreListedByIdentity() throws Exception {
    OwnerIntervals owners =
        await(
                shards.owners(
                    search(0, List.of(equal(Labels.NAME, "power"), equal("rack", "r0"))),
                    options()))
            .value();
    assertThat(owners.omitted()).isZero();
    assertThat(owners.series()).hasSize(6);
    assertThat(owners.series().getFirst())
        .isEqualTo(
            new OwnedSeries(
                labels("power", 0, 0).without("job"),
                List.of(new OwnedSeries.Interval(Labels.of("job", "j0"), START, END))));
  }

  @Test
  protected void usageAddsUpOverAllGateways() throws Exception {
    for (int host = 0; host < 6; host++) {
      for (int step = 0; step < 4; step++) {
        Labels gpu =
            Labels.of(
                Labels.NAME,
                "DCGM_FI_DEV_FB_USED",
                "UUID",
                "g",
                "Hostname",
                "n" + host,
                "pod",
                "p" + host % 2);
        fleet.add(gpu, START + step * STEP, 1);
      }
    }
    UsageRead read =
        new UsageRead(
            List.of(),
            List.of("pod"),
            UsagePeriod.every(START, START + 4 * STEP, 2 * STEP),
            UsageTerms.DEFAULT);
    List<UsageRow> found = await(shards.usage(read, options())).value().rows();
    assertThat(found)
        .extracting(UsageRow::owner, UsageRow::interval)
        .containsExactly(
            tuple(Labels.of("pod", "p0"), 0),
            tuple(Labels.of("pod", "p0"), 1),
            tuple(Labels.of("pod", "p1"), 0),
            tuple(Labels.of("pod", "p1"), 1));
    for (UsageRow each : found) {
      assertThat(each.amount(Amount.MEMORY)).isEqualTo(new Integral(0, (3 * 2 * STEP) << 20));
      assertThat(each.memoryPeak()).isEqualTo(1 << 20);
      assertThat(each.memoryAtEnd()).isEqualTo(3 << 20);
    }
  }

  /** A GPU that two tenants share; the samples of the GPU itself are those of neither. */
  @Test
  protected void aScopeSeesTheRowsOfItsOwnersAndTheirPartOfWhatIsShared() throws Exception {
    Labels gpu = Labels.of("UUID", "g", "Hostname", "n0");
    for (int step = 0; step < 4; step++) {
      long time = START + step * STEP;
      fleet.add(gpu.with(Labels.NAME, "DCGM_FI_DEV_FB_USED"), time, 8);
      fleet.add(gpu.with(Labels.NAME, "gpu_allocated"), time, 1);
      for (String tenant : List.of("a", "b")) {
        Labels of = gpu.with("tenant", tenant).with("pod", "pod-of-" + tenant);
        fleet.add(of.with(Labels.NAME, "gpu_allocation_info").with("basis", "allocation"), time, 1);
        fleet.add(
            of.with(Labels.NAME, "gpu_process_memory_bytes").with("pid", "1" + tenant),
            time,
            1 << 20);
      }
    }
    for (List<String> kept : List.of(List.<String>of(), List.of("pod", "tenant", "UUID"))) {
      UsageRead read =
          new UsageRead(
              List.of(equal("tenant", "a")),
              kept,
              UsagePeriod.every(START, START + 4 * STEP, 4 * STEP),
              UsageTerms.DEFAULT);
      List<UsageRow> found = await(shards.usage(read, options())).value().rows();
      assertThat(found).hasSize(1);
      assertThat(found.toString()).contains("pod-of-a").doesNotContain("pod-of-b");
      UsageRow row = found.getFirst();
      assertThat(row.amount(Amount.UNKNOWN))
          .isEqualTo(new Integral(0, 4 * STEP * UsageTerms.WHOLE / 2));
      // Its process, and half of what no process has.
      assertThat(row.amount(Amount.MEMORY)).isEqualTo(new Integral(0, (4 * STEP * 4) << 20));
    }
  }

  // --- newest samples, metadata, hosts ---

  @Test
  protected void newestSamplesAreLinesOfTheHostsThatAreMeant() throws Exception {
    NewestRead read =
        new NewestRead(
            List.of(List.of(equal(Labels.NAME, "power"), equal("gpu", "0"))),
            END - 60_000,
            END,
            NameEscaping.ALLOW_UTF_8,
            false,
            1_000,
            1_000_000);
    Gathered<SortedMap<String, List<MetricLines>>> found =
        await(shards.newest(read, host -> !host.equals("n5"), options()));
    assertThat(found.coverage().hosts()).isEqualTo(5);
    assertThat(found.value()).containsOnlyKeys("power");
    List<String> lines = new ArrayList<>();
    for (MetricLines piece : found.value().get("power")) {
      new String(
              piece.lines().bytes(),
              piece.lines().from(),
              piece.lines().length(),
              StandardCharsets.UTF_8)
          .lines()
          .forEach(lines::add);
    }
    assertThat(lines).hasSize(5).allMatch(line -> line.contains("gpu=\"0\""));
    assertThat(lines).noneMatch(line -> line.contains("n5"));
  }

  @Test
  protected void reductionsOfAllShardsAreAddedUp() throws Exception {
    ReductionRead read =
        new ReductionRead(
            List.of(List.of(equal(Labels.NAME, "rack:power:sum"))),
            List.of(equal(Labels.NAME, "power")),
            END - 60_000,
            END);
    List<MetricReductions> found = await(shards.reductions(read, options())).value();
    assertThat(found).hasSize(1);
    assertThat(found.getFirst().by()).containsExactly("rack");
    assertThat(found.getFirst().groups())
        .containsExactlyInAnyOrder(Labels.of("rack", "r0"), Labels.of("rack", "r1"));
    MetricReductions.OfMetric power = found.getFirst().metrics().getFirst();
    assertThat(power.counts()).containsExactly(6, 6);
    double all =
        fleet.allSeries().stream()
            .filter(each -> each.labels().metric().equals("power"))
            .mapToDouble(each -> each.values()[each.size() - 1])
            .sum();
    assertThat(power.sums()[0] + power.sums()[1]).isEqualTo(all);
  }

  @Test
  protected void metadataAndHostsAreListedByName() throws Exception {
    MetricMetadata said = new MetricMetadata("gauge", "Watts.", "watts");
    fleet.metadata("power", said);
    assertThat(await(shards.metadata(List.of(), options())).value())
        .isEqualTo(Map.of("power", said));
    List<HostState> hosts = await(shards.hosts(List.of(), options())).value();
    assertThat(hosts)
        .extracting(HostState::name)
        .containsExactly("n0", "n1", "n2", "n3", "n4", "n5");
    assertThat(hosts.getFirst()).isEqualTo(new HostState("n0", END, 1_000, 4));
    List<Matcher> scope = List.of(Matcher.equal("rack", "r1"));
    assertThat(await(shards.hosts(scope, options())).value())
        .extracting(HostState::name)
        .containsExactly("n1", "n3", "n5");
  }

  @Test
  protected void retentionsSaySinceWhenSamplesOfEachHostAreKept() throws Exception {
    List<HostRetention> kept = await(shards.retentions(options())).value();
    assertThat(kept)
        .extracting(HostRetention::host)
        .containsExactlyInAnyOrder("n0", "n1", "n2", "n3", "n4", "n5");
    // The hosts are a few milliseconds apart.
    assertThat(kept).allSatisfy(each -> assertThat(each.oldest()).isBetween(START - 10, START));
  }

  // --- changes ---

  @Test
  protected void onlyWhatChangedSinceTheLastLookIsReported() throws Exception {
    fleet.watermark(END);
    Changes first = await(shards.changes(Optional.empty()));
    assertThat(first.all()).isTrue();
    assertThat(first.epoch()).isEqualTo(fleet.epoch());
    assertThat(first.watermark()).isEqualTo(END);
    Changes second = await(shards.changes(Optional.of(first)));
    assertThat(second.all()).isFalse();
    assertThat(second.buckets()).isEmpty();
    fleet.add(labels("power", 2, 0), END + STEP, 1);
    Changes third = await(shards.changes(Optional.of(second)));
    assertThat(third.all()).isFalse();
    assertThat(third.buckets()).containsExactly(TimeBucket.of(END + STEP));
    assertThat(await(shards.changes(Optional.of(third))).buckets()).isEmpty();
  }

  @Test
  protected void aGatewayThatForgotItsChangesOrCannotBeAskedMayHaveChangedAnything()
      throws Exception {
    Changes first = await(shards.changes(Optional.empty()));
    fleet.restart("g1");
    Changes second = await(shards.changes(Optional.of(first)));
    assertThat(second.all()).isTrue();
    assertThat(await(shards.changes(Optional.of(second))).all()).isFalse();
    fleet.stop("g2");
    assertThat(await(shards.changes(Optional.of(second))).all()).isTrue();
  }

  @Test
  protected void aHostThatIsReadElsewhereMayHaveChangedAnything() throws Exception {
    Changes first = await(shards.changes(Optional.empty()));
    fleet.host("n0", "g1", "g0");
    assertThat(await(shards.changes(Optional.of(first))).all()).isTrue();
  }

  @Test
  protected void aGatewayThatLeavesMakesItsReplicasTheOnesWhoseChangesCount() throws Exception {
    Changes first = await(shards.changes(Optional.empty()));
    fleet.leave("g1");
    Changes second = await(shards.changes(Optional.of(first)));
    assertThat(second.all()).isTrue();
    fleet.add(labels("power", 1, 0), END + STEP, 1);
    assertThat(await(shards.changes(Optional.of(second))).buckets())
        .containsExactly(TimeBucket.of(END + STEP));
  }

  private Gathered<PartsRead> parts(Planned planned, Optional<Changes> since)
      throws TimeoutException {
    return await(shards.parts(planned, since, options()));
  }

  @Test
  protected void partsBringWhatHadChangedBeforeTheyWereRead() throws Exception {
    Query query =
        new Query(
            "sum(power)",
            Parser.parse("sum(power)", new ParseOptions(Feature.STOCK, 0, 0)),
            END,
            END,
            0,
            Query.Settings.STOCK);
    Planned planned = Planner.plan(query, List.of(), Planner.Mode.AUTO);
    Changes first = await(shards.changes(Optional.empty()));
    assertThat(parts(planned, Optional.empty()).value().changes()).isEmpty();
    Changes second = parts(planned, Optional.of(first)).value().changes().orElseThrow();
    assertThat(second.all()).isFalse();
    assertThat(second.buckets()).isEmpty();
    assertThat(second.epoch()).isEqualTo(fleet.epoch());
    fleet.add(labels("power", 2, 0), END + STEP, 1);
    Changes third = parts(planned, Optional.of(second)).value().changes().orElseThrow();
    assertThat(third.all()).isFalse();
    assertThat(third.buckets()).containsExactly(TimeBucket.of(END + STEP));
    assertThat(await(shards.changes(Optional.of(third))).buckets()).isEmpty();
    fleet.host("n0", "g1", "g0");
    Changes moved = parts(planned, Optional.of(third)).value().changes().orElseThrow();
    assertThat(moved.all()).isTrue();
    fleet.stop("g2");
    assertThat(parts(planned, Optional.of(moved)))
        .as("a replica answered, whose changes are not those of the owner")
        .satisfies(read -> assertThat(read.value().changes()).isEmpty())
        .satisfies(read -> assertThat(read.coverage().hedged()).isTrue());
  }

  // --- the cluster ---

  @Test
  protected void theClusterIsSeenWithWhatEachGatewayOwns() {
    fleet.leave("g2");
    assertThat(shards.hostCount()).isEqualTo(6);
    assertThat(shards.epoch()).isEqualTo(fleet.epoch());
    ClusterState state = shards.cluster();
    assertThat(state.epoch()).isEqualTo(fleet.epoch());
    assertThat(state.minority()).isFalse();
    assertThat(state.gateways()).extracting(ClusterState.Gateway::name).containsExactly("g0", "g1");
    assertThat(state.gateways())
        .allSatisfy(
            gateway -> {
              assertThat(gateway.hosts()).isEqualTo(2);
              assertThat(gateway.address()).isNotEmpty();
            });
  }
}
