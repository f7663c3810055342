package io.fleetgauge.gateway.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ownership.HostLabels;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.read.TooManySamples;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentRequest;
import io.fleetgauge.promql.fragment.form.FragmentCodec;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.QueryText;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.NameEscaping;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every kind of fragment against one small store. More than 600 lines, because each kind has its
 * own.
 */
class FragmentKindsTest {
  private static final long EPOCH = 7;
  private static final long STEP = 15_000;
  private static final long START = 100 * HostWriter.BLOCK_MILLIS;
  private static final ClusterView VIEW =
      new ClusterView(
          OwnershipTable.ofOwners(EPOCH, Map.of("n1", "g1", "n2", "g2")), Map.of(), false);
  private static final RollupRules RULES =
      new RollupRules(
          STEP,
          300_000,
          List.of(
              new RollupRules.Rule(
                  Matcher.of(Matcher.Kind.REGEX, Labels.NAME, "util"),
                  List.of("job", "rack"),
                  true,
                  List.of())));
  private static final List<String> HOSTS = List.of("n1", "n2");

  @TempDir private Path folder;
  private HostWriter writer;
  private FragmentRunner runner;
  private long wholeSince = -1;
  private ClusterView view = VIEW;

  @BeforeEach
  void fill() {
    writer = new HostWriter(folder, "n1", HostWriter.limits(100), RULES);
    for (int tick = 0; tick < 10; tick++) {
      long time = START + tick * STEP;
      writer.send(time, writer.series("up"), 1);
      writer.send(time, gpu("G1", tick < 5 ? "a" : "b"), 10 + tick);
      writer.send(time, gpu("G2", "a"), 20 + tick);
    }
    runner =
        new FragmentRunner(
            writer.store(),
            new HostLabels(List.of("Hostname")),
            new Ownership("g1"),
            () -> view,
            (host, since) -> since == wholeSince,
            () -> true,
            tenants ->
                tenants.contains("t")
                    ? Map.of("up", new MetricMetadata("gauge", "Whether it is up.", ""))
                    : Map.of());
  }

  private Labels gpu(String uuid, String job) {
    return writer.series("util", "UUID", uuid, "job", job, "rack", "r1");
  }

  /** The answer, as it is after a way over the wire. */
  private FragmentAnswer run(Fragment fragment) throws Exception {
    byte[] bytes = FragmentCodec.encode(new FragmentRequest(Load.OWN, fragment));
    Fragment decoded = FragmentCodec.decodeRequest(bytes).fragment();
    assertThat(decoded).isEqualTo(fragment);
    FragmentAnswer answer = runner.run(decoded, StopCheck.NEVER);
    return FragmentCodec.decodeAnswer(FragmentCodec.encode(answer));
  }

  private static Fragment.Search search(String... selectors) throws Exception {
    List<List<Matcher>> all = new ArrayList<>();
    for (String selector : selectors) {
      all.add(Parser.parseSelector(selector));
    }
    return new Fragment.Search(START, START + 9 * STEP, 0, all);
  }

  private static long last() {
    return START + 9 * STEP;
  }

  @Test
  void samplesAreOneListForEachSelection() throws Exception {
    FragmentAnswer.Samples answer =
        (FragmentAnswer.Samples)
            run(
                new Fragment.Samples(
                    EPOCH,
                    HOSTS,
                    1_000,
                    List.of(
                        new Selection(Parser.parseSelector("up"), START, last()),
                        new Selection(Parser.parseSelector("util"), START - 1, last()))));
    assertThat(answer.covered()).containsExactly("n1");
    assertThat(answer.series().getFirst()).hasSize(1);
    assertThat(answer.series().getFirst().getFirst().size()).isEqualTo(9);
    assertThat(answer.series().getLast())
        .extracting(series -> series.labels().value("job"))
        .containsExactlyInAnyOrder("a", "b", "a");
  }

  @Test
  void aHostWithMissingSamplesIsAnsweredButNotCovered() throws Exception {
    writer.lane().gap(START, START + STEP);
    Selection all = new Selection(Parser.parseSelector("up"), START - 1, last());
    FragmentAnswer.Samples samples =
        (FragmentAnswer.Samples) run(new Fragment.Samples(EPOCH, HOSTS, 1_000, List.of(all)));
    assertThat(samples.series().getFirst()).hasSize(1);
    assertThat(samples.covered()).isEmpty();
    assertThat(run(new Fragment.LabelNames(EPOCH, HOSTS, search())).covered()).isEmpty();
    assertThat(run(new Fragment.LabelValues(EPOCH, HOSTS, "job", search())).covered()).isEmpty();
    assertThat(run(new Fragment.LabelSets(EPOCH, HOSTS, search())).covered()).isEmpty();
    assertThat(run(new Fragment.Owners(EPOCH, HOSTS, search())).covered()).isEmpty();
    FragmentAnswer.Parts parts = (FragmentAnswer.Parts) run(parts("sum(up)", true, List.of()));
    assertThat(parts.covered()).isEmpty();
    assertThat(parts.read()).containsExactly("n1");
  }

  private List<String> coveredByCopy(Set<String> behind, boolean isSynced, long asked)
      throws Exception {
    Holders holders =
        new Holders(
            "g2", 5, behind, List.of(new Holders.Copy("g1", 6, isSynced)), Optional.empty());
    view =
        new ClusterView(
            new OwnershipTable(1, EPOCH, List.of("g1", "g2"), new TreeMap<>(Map.of("n1", holders))),
            Map.of(),
            false);
    return run(new Fragment.Hosts(asked, List.of("n1"), List.of())).covered();
  }

  @Test
  void aCopyAnswersIfItHasAllOfAnOwnerThatLacksNothingByTheNewestTable() throws Exception {
    wholeSince = 5;
    assertThat(coveredByCopy(Set.of(), true, EPOCH)).containsExactly("n1");
    assertThat(coveredByCopy(Set.of("g3"), true, EPOCH)).as("the owner lacks something").isEmpty();
    assertThat(coveredByCopy(Set.of(), false, EPOCH)).as("the owner went on without it").isEmpty();
    assertThat(coveredByCopy(Set.of(), true, EPOCH + 1)).as("the table is newer").isEmpty();
    wholeSince = 4;
    assertThat(coveredByCopy(Set.of(), true, EPOCH)).as("whole of an owner before").isEmpty();
    assertThat(run(new Fragment.Hosts(EPOCH, List.of("n2"), List.of())).covered())
        .as("no copy of it is here")
        .isEmpty();
  }

  @Test
  void labelsAreThoseOfTheTime() throws Exception {
    assertThat(run(new Fragment.LabelNames(EPOCH, HOSTS, search("up"))))
        .isEqualTo(
            new FragmentAnswer.Strings(EPOCH, List.of("n1"), List.of("Hostname", "__name__")));
    assertThat(run(new Fragment.LabelValues(EPOCH, HOSTS, "job", search())))
        .isEqualTo(new FragmentAnswer.Strings(EPOCH, List.of("n1"), List.of("a", "b")));
    FragmentAnswer.LabelSets sets =
        (FragmentAnswer.LabelSets)
            run(new Fragment.LabelSets(EPOCH, HOSTS, search("util{job=\"b\"}", "up")));
    assertThat(sets.labelSets()).containsExactlyInAnyOrder(gpu("G1", "b"), writer.series("up"));
  }

  @Test
  void ownersAreIntervalsOfTime() throws Exception {
    FragmentAnswer.Owners owners =
        (FragmentAnswer.Owners) run(new Fragment.Owners(EPOCH, HOSTS, search("util{UUID=\"G1\"}")));
    Labels identity = writer.series("util", "UUID", "G1", "rack", "r1");
    assertThat(owners)
        .isEqualTo(
            new FragmentAnswer.Owners(
                EPOCH,
                List.of("n1"),
                0,
                List.of(
                    new FragmentAnswer.OwnedSeries(
                        identity,
                        List.of(
                            new FragmentAnswer.OwnerInterval(
                                Labels.of("job", "a"), START, START + 5 * STEP - 1),
                            new FragmentAnswer.OwnerInterval(
                                Labels.of("job", "b"), START + 5 * STEP, last()))))));
    Fragment.Search one = new Fragment.Search(START, last(), 1, List.of());
    FragmentAnswer.Owners limited =
        (FragmentAnswer.Owners) run(new Fragment.Owners(EPOCH, HOSTS, one));
    assertThat(limited.series()).hasSize(1);
    assertThat(limited.omitted()).isEqualTo(1);
  }

  @Test
  void ownersOutsideAScopeAreNotShown() throws Exception {
    FragmentAnswer.Owners owners =
        (FragmentAnswer.Owners)
            run(new Fragment.Owners(EPOCH, HOSTS, search("{UUID=\"G1\",job=\"b\"}")));
    assertThat(owners.series())
        .singleElement()
        .satisfies(
            series ->
                assertThat(series.intervals())
                    .extracting(FragmentAnswer.OwnerInterval::owner)
                    .containsExactly(Labels.of("job", "b")));
  }

  @Test
  void theExtentIsOneEstimateForEachSelection() throws Exception {
    FragmentAnswer.Extent extent =
        (FragmentAnswer.Extent)
            run(
                new Fragment.Extent(
                    EPOCH,
                    HOSTS,
                    List.of(
                        new Selection(Parser.parseSelector("util"), START - 1, last()),
                        new Selection(Parser.parseSelector("nosuch"), START - 1, last()))));
    assertThat(extent.series()).containsExactly(2L, 0L);
    assertThat(extent.samples()).containsExactly(20L, 0L);
  }

  @Test
  void metadataIsThatOfTheTenants() throws Exception {
    assertThat(run(new Fragment.Metadata(EPOCH, HOSTS, List.of("t"))))
        .isEqualTo(
            new FragmentAnswer.Metadata(
                EPOCH,
                List.of("n1"),
                Map.of("up", new MetricMetadata("gauge", "Whether it is up.", ""))));
    assertThat(
            ((FragmentAnswer.Metadata) run(new Fragment.Metadata(EPOCH, HOSTS, List.of("x"))))
                .metrics())
        .isEmpty();
  }

  @Test
  void hostsSayWhenTheySentAndHowMuchTheyHave() throws Exception {
    writer.store().lane("empty");
    FragmentAnswer.Hosts hosts =
        (FragmentAnswer.Hosts) run(new Fragment.Hosts(EPOCH, HOSTS, List.of()));
    assertThat(hosts.hosts())
        .containsExactly(new FragmentAnswer.Host("n1", last(), writer.lane().tickMillis(), 3));
  }

  private static Fragment.Newest newest(long after, boolean gzip, int maxSeries, int maxBytes)
      throws Exception {
    return new Fragment.Newest(
        EPOCH,
        HOSTS,
        List.of(Parser.parseSelector("util"), Parser.parseSelector("up")),
        after,
        last(),
        NameEscaping.ALLOW_UTF_8,
        gzip,
        maxSeries,
        maxBytes);
  }

  private static String lines(FragmentAnswer.Newest newest, String family) {
    GzipPiece piece =
        newest.families().stream()
            .filter(each -> each.name().equals(family))
            .findFirst()
            .orElseThrow()
            .lines();
    return new String(piece.bytes(), piece.from(), piece.length(), StandardCharsets.UTF_8);
  }

  @Test
  void newestSamplesAreLinesByFamily() throws Exception {
    FragmentAnswer.Newest answer =
        (FragmentAnswer.Newest) run(newest(last() - 1, false, 100, 10_000));
    assertThat(answer.covered()).containsExactly("n1");
    assertThat(lines(answer, "up"))
        .isEqualTo("up{Hostname=\"n1\",instance=\"\"} 1 " + last() + "\n");
    assertThat(lines(answer, "util").lines())
        .containsExactlyInAnyOrder(
            "util{Hostname=\"n1\",UUID=\"G1\",job=\"b\",rack=\"r1\",instance=\"\"} 19 " + last(),
            "util{Hostname=\"n1\",UUID=\"G2\",job=\"a\",rack=\"r1\",instance=\"\"} 29 " + last());
    writer.send(last() + STEP, writer.series("up"), 5);
    FragmentAnswer.Newest later =
        (FragmentAnswer.Newest)
            run(
                new Fragment.Newest(
                    EPOCH,
                    HOSTS,
                    List.of(Parser.parseSelector("up")),
                    0,
                    last() + STEP,
                    NameEscaping.ALLOW_UTF_8,
                    false,
                    100,
                    10_000));
    assertThat(lines(later, "up")).contains(" 5 ");
    assertThat(runner.caches().get("newest_lines").held()).isPositive();
  }

  @Test
  void packedLinesAreTheSameLines() throws Exception {
    FragmentAnswer.Newest answer = (FragmentAnswer.Newest) run(newest(0, true, 100, 10_000));
    assertThat(answer.gzip()).isTrue();
    assertThat(answer.families())
        .allSatisfy(family -> assertThat(family.lines().plainLength()).isNotEqualTo(0));
  }

  @Test
  void moreSeriesOrBytesThanAllowedAreErrorsWithTheFigures() {
    assertThatThrownBy(() -> run(newest(0, false, 2, 10_000)))
        .isInstanceOf(TooManySamples.class)
        .hasMessage("there are 3 series on one gateway; the limit is 2");
    assertThatThrownBy(() -> run(newest(last() - 1, false, 3, 10)))
        .isInstanceOf(TooManySamples.class)
        .hasMessageContaining("bytes on one gateway; the limit is 10");
  }

  @Test
  void reductionsAreTheNewestSamplesByGroup() throws Exception {
    FragmentAnswer.Reduced answer =
        (FragmentAnswer.Reduced)
            run(
                new Fragment.Reduced(
                    EPOCH,
                    HOSTS,
                    List.of(Parser.parseSelector("{__name__=~\"(job|rack):util:.*\"}")),
                    List.of(),
                    last() - 1,
                    last()));
    assertThat(answer.reductions()).hasSize(2);
    for (FragmentAnswer.Reductions reductions : answer.reductions()) {
      FragmentAnswer.Reduction util = reductions.metrics().getFirst();
      assertThat(util.metric()).isEqualTo("util");
      if (reductions.by().equals(List.of("rack"))) {
        assertThat(util.counts()).containsExactly(2);
        assertThat(util.sums()).containsExactly(48);
        assertThat(util.mins()).containsExactly(19);
        assertThat(util.maxs()).containsExactly(29);
        assertThat(util.newest()).containsExactly(last());
      } else {
        assertThat(reductions.groups())
            .containsExactly(Labels.of("job", "a"), Labels.of("job", "b"));
        assertThat(util.sums()).containsExactly(29, 19);
      }
    }
  }

  @Test
  void reductionsSeeTheirScopeOnly() throws Exception {
    FragmentAnswer.Reduced answer =
        (FragmentAnswer.Reduced)
            run(
                new Fragment.Reduced(
                    EPOCH,
                    HOSTS,
                    List.of(Parser.parseSelector("{__name__=\"rack:util:sum\"}")),
                    Parser.parseSelector("{job=\"a\"}"),
                    last() - 1,
                    last()));
    FragmentAnswer.Reduction util = answer.reductions().getFirst().metrics().getFirst();
    assertThat(util.counts()).containsExactly(1);
    assertThat(util.sums()).containsExactly(29);
  }

  private FragmentAnswer.Changes changes(Fragment.Since since) throws Exception {
    return (FragmentAnswer.Changes) run(new Fragment.Changes(EPOCH, List.of(), since));
  }

  private static Fragment.Since after(FragmentAnswer.Changes last) {
    return new Fragment.Since(last.incarnation(), last.cursor());
  }

  @Test
  void changesAreTheBucketsOfFiveSecondsSinceTheCursor() throws Exception {
    FragmentAnswer.Changes first = changes(Fragment.Since.START);
    assertThat(first.hosts()).as("another incarnation: anything may have changed").isEmpty();
    assertThat(first.watermark()).as("the next tick is not due before").isEqualTo(last() + 14_999);
    long time = last() + 7_000;
    writer.send(time, writer.series("up"), 1);
    FragmentAnswer.Changes next = changes(after(first));
    assertThat(next.incarnation()).isEqualTo(first.incarnation());
    assertThat(next.hosts())
        .containsExactly(
            new FragmentAnswer.Changed("n1", false, List.of(FragmentAnswer.bucket(time))));
    assertThat(next.watermark()).isEqualTo(time + 6_999);
    writer.lane().gap(0, 1);
    assertThat(changes(after(next)).hosts())
        .containsExactly(new FragmentAnswer.Changed("n1", true, List.of()));
  }

  private static Fragment.Parts parts(String text, boolean partial, List<Matcher> scope) {
    return parts(text, last(), partial, scope);
  }

  private static Fragment.Parts parts(
      String text, long time, boolean partial, List<Matcher> scope) {
    Query.Settings settings = Query.Settings.STOCK.withMaxSamples(1_000);
    return new Fragment.Parts(
        EPOCH,
        HOSTS,
        new QueryText(text, time, time, 0, settings),
        scope,
        10_000,
        List.of(new Fragment.Part(0, new Grid(time, 1, time), partial, true)));
  }

  @Test
  void partsBringWhatHadChangedBeforeTheyWereRead() throws Exception {
    Fragment.Since since = after(changes(Fragment.Since.START));
    writer.send(last() + STEP, writer.series("util"), 1);
    FragmentAnswer.Changes expected = changes(since);
    assertThat(expected.hosts()).hasSize(1);
    Fragment.Parts fitting = parts("sum by (rack) (util)", true, List.of());
    for (Fragment.Parts asked : List.of(fitting, parts("sum by (UUID) (util)", true, List.of()))) {
      FragmentAnswer.Parts answer = (FragmentAnswer.Parts) run(asked.since(since));
      assertThat(answer.changes()).contains(expected);
      assertThat(((FragmentAnswer.Parts) run(asked)).changes()).isEmpty();
    }
    FragmentAnswer quick = runner.quickly(fitting.since(since)).orElseThrow();
    assertThat(((FragmentAnswer.Parts) quick).changes()).contains(expected);
  }

  @Test
  void partsAreComputedFromRollupsWhereARuleFits() throws Exception {
    FragmentAnswer.Parts answer =
        (FragmentAnswer.Parts) run(parts("sum by (rack) (util)", true, List.of()));
    assertThat(answer.notes()).containsExactly("computed from rollups");
    assertThat(answer.rollupCells()).isPositive();
    assertThat(answer.parts().getFirst().partials())
        .singleElement()
        .satisfies(
            partial -> {
              assertThat(partial.group()).isEqualTo(Labels.of("rack", "r1"));
              // G1 of job a is still within the lookback: no marker ended it.
              assertThat(partial.numbers()[0]).containsExactly(14 + 19 + 29);
              assertThat(partial.count()).containsExactly(3);
            });
    Optional<FragmentAnswer> quick = runner.quickly(parts("sum by (rack) (util)", true, List.of()));
    assertThat(quick).isPresent();
  }

  @Test
  void aStepThatNoTickHasReachedIsComputedAtOnceFromSamplesInMemory() throws Exception {
    Fragment.Parts asked = parts("sum by (rack) (util)", last() + STEP, true, List.of());
    FragmentAnswer.Parts quick = (FragmentAnswer.Parts) runner.quickly(asked).orElseThrow();
    assertThat(quick.parts().getFirst().samples()).isPositive();
    assertThat(quick.parts().getFirst().partials().getFirst().numbers()[0])
        .containsExactly(14 + 19 + 29);
    assertThat(FragmentCodec.encode(quick))
        .isEqualTo(FragmentCodec.encode(runner.run(asked, StopCheck.NEVER)));
  }

  @Test
  void partsWithoutARuleSayWhyAndAreComputedFromSamples() throws Exception {
    FragmentAnswer.Parts answer =
        (FragmentAnswer.Parts) run(parts("sum by (UUID) (util)", true, List.of()));
    assertThat(answer.notes())
        .containsExactly(
            "not computed from rollups: the label UUID is not a label of the rollup rule");
    assertThat(answer.parts().getFirst().partials()).hasSize(2);
    assertThat(runner.quickly(parts("sum by (UUID) (util)", true, List.of()))).isEmpty();
  }

  @Test
  void partsSeeTheirScopeOnly() throws Exception {
    FragmentAnswer.Parts answer =
        (FragmentAnswer.Parts)
            run(parts("sum by (job) (util)", true, Parser.parseSelector("{job=\"a\"}")));
    assertThat(answer.parts().getFirst().partials())
        .singleElement()
        .satisfies(partial -> assertThat(partial.group()).isEqualTo(Labels.of("job", "a")));
  }

  @Test
  void partsThatCannotBePutTogetherAreUnfit() throws Exception {
    assertThat(run(parts("sum(", true, List.of())))
        .isInstanceOfSatisfying(
            FragmentAnswer.Unfit.class,
            unfit -> assertThat(unfit.reason()).startsWith("the query cannot be parsed: "));
    Fragment.Parts one = parts("sum(up)", true, List.of());
    Fragment.Parts wrong =
        new Fragment.Parts(
            EPOCH,
            HOSTS,
            one.query(),
            List.of(),
            10_000,
            List.of(new Fragment.Part(9, new Grid(last(), 1, last()), true, true)));
    assertThat(run(wrong)).isInstanceOf(FragmentAnswer.Unfit.class);
    writer.send(last() + STEP, writer.series("h"), HostWriter.histogram(3));
    Fragment.Parts histograms = parts("sum(h)", true, List.of());
    QueryText later =
        new QueryText("sum(h)", last() + STEP, last() + STEP, 0, histograms.query().settings());
    assertThat(
            run(
                new Fragment.Parts(
                    EPOCH,
                    HOSTS,
                    later,
                    List.of(),
                    10_000,
                    List.of(
                        new Fragment.Part(
                            0, new Grid(last() + STEP, 1, last() + STEP), true, true)))))
        .isInstanceOf(FragmentAnswer.Unfit.class);
  }

  @Test
  void moreSamplesThanTheBudgetAreAnError() {
    Fragment.Parts one = parts("sum by (UUID) (util)", true, List.of());
    Fragment.Parts small =
        new Fragment.Parts(
            EPOCH,
            HOSTS,
            new QueryText(
                one.query().text(), last(), last(), 0, Query.Settings.STOCK.withMaxSamples(1)),
            List.of(),
            10_000,
            one.parts());
    assertThatThrownBy(() -> run(small)).isInstanceOf(TooManySamples.class);
  }

  @Test
  void aQueryThatIsStoppedEndsWithItsReason() {
    QueryFailure reason = new QueryFailure(QueryFailure.Kind.CANCELED, "gone");
    Selection up = new Selection(List.of(), START - 1, last());
    assertThatThrownBy(
            () ->
                runner.run(
                    new Fragment.Samples(EPOCH, HOSTS, 1_000, List.of(up)),
                    () -> Optional.of(reason)))
        .isSameAs(reason);
  }

  @Test
  void whatWasExpectedOfRollupsAndHasNoneIsAsMuchWorkAsItsSamples() {
    Load load = new Load("a", 2, 1_000_000);
    Fragment.Parts kept = parts("sum by (rack) (util)", true, List.of());
    assertThat(runner.load(new FragmentRequest(load, kept))).isEqualTo(load);
    Fragment.Parts notKept = parts("sum by (UUID) (util)", true, List.of());
    assertThat(runner.load(new FragmentRequest(load, notKept)))
        .isEqualTo(new Load("a", 2, 20_000_000));
    Fragment.Parts samples =
        new Fragment.Parts(
            EPOCH,
            HOSTS,
            notKept.query(),
            List.of(),
            10_000,
            List.of(new Fragment.Part(0, new Grid(last(), 1, last()), true, false)));
    assertThat(runner.load(new FragmentRequest(load, samples))).isEqualTo(load);
    assertThat(runner.load(new FragmentRequest(load, new Fragment.Metadata(1, HOSTS, List.of()))))
        .isEqualTo(load);
  }

  @Test
  void otherKindsThanPartsAreNotForTheEventLoop() throws Exception {
    assertThat(runner.quickly(new Fragment.Hosts(EPOCH, HOSTS, List.of()))).isEmpty();
  }

  @Test
  void byScopeHostsAreThoseWithASeriesInItAndSayNothingOfTheOthers() throws Exception {
    for (String job : List.of("a", "b")) {
      FragmentAnswer.Hosts some =
          (FragmentAnswer.Hosts)
              run(new Fragment.Hosts(EPOCH, HOSTS, Parser.parseSelector("{job=\"" + job + "\"}")));
      assertThat(some.hosts()).extracting(FragmentAnswer.Host::name).containsExactly("n1");
      assertThat(some.hosts().getFirst().series()).isBetween(1L, 2L);
    }
    FragmentAnswer.Hosts none =
        (FragmentAnswer.Hosts)
            run(new Fragment.Hosts(EPOCH, HOSTS, Parser.parseSelector("{job=\"c\"}")));
    assertThat(none.hosts()).isEmpty();
    assertThat(none.covered()).containsExactly("n1");
  }

  @Test
  void cachesSayTheirUse() throws Exception {
    run(parts("sum by (rack) (util)", true, List.of()));
    run(parts("sum by (rack) (util)", true, List.of()));
    assertThat(runner.caches())
        .containsOnlyKeys(
            "block_pages",
            "combined_pages",
            "computed_pages",
            "expressions",
            "newest_lines",
            "newest_reductions");
    assertThat(runner.caches().get("expressions").hits()).isPositive();
    assertThat(runner.caches().get("expressions").held()).isGreaterThan(2_000);
    assertThat(runner.caches().values())
        .allSatisfy(use -> assertThat(use.held()).isBetween(0L, use.limit()));
  }
}
