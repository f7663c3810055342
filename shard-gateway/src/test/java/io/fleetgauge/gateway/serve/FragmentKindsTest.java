package io.fleetgauge.gateway.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.ExtentsQuestion;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.HostsQuestion;
import io.fleetgauge.promql.fragment.LabelNamesQuestion;
import io.fleetgauge.promql.fragment.LabelSetsQuestion;
import io.fleetgauge.promql.fragment.LabelValuesQuestion;
import io.fleetgauge.promql.fragment.MetadataQuestion;
import io.fleetgauge.promql.fragment.NewestQuestion;
import io.fleetgauge.promql.fragment.OwnersQuestion;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.ReductionsQuestion;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.fragment.RetentionQuestion;
import io.fleetgauge.promql.fragment.SamplesQuestion;
import io.fleetgauge.promql.fragment.Strings;
import io.fleetgauge.promql.fragment.UsageQuestion;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.HostRetention;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.lookup.TimeBucket;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.plan.PartText;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.frame.HostLabels;
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

  private static Fragment fragment(Question<?> question) {
    return new Fragment(Load.OWN, EPOCH, HOSTS, question);
  }

  /** The answer, as it is after a way over the wire. */
  private FragmentAnswer run(Fragment fragment) throws Exception {
    Fragment decoded = FragmentCodec.decode(FragmentCodec.encode(fragment));
    assertThat(decoded).isEqualTo(fragment);
    FragmentAnswer answer = runner.run(decoded, StopCheck.NEVER);
    Question<?> question = fragment.question();
    return FragmentCodec.decode(FragmentCodec.encode(answer, question), question);
  }

  @SuppressWarnings("unchecked") // it was decoded as an answer to the question
  private <A extends Result> A ask(Question<A> question) throws Exception {
    return (A) run(fragment(question)).result();
  }

  private List<String> covered(Question<?> question) throws Exception {
    return run(fragment(question)).covered();
  }

  private Optional<FragmentAnswer> quickly(Question<?> question) {
    return runner.quickly(fragment(question));
  }

  private PartsQuestion.Results results(PartsQuestion question) throws Exception {
    return (PartsQuestion.Results) ask(question);
  }

  private static SeriesSearch search(String... selectors) throws Exception {
    List<List<Matcher>> all = new ArrayList<>();
    for (String selector : selectors) {
      all.add(Parser.parseSelector(selector));
    }
    return new SeriesSearch(START, START + 9 * STEP, 0, all);
  }

  private static long last() {
    return START + 9 * STEP;
  }

  @Test
  void samplesAreOneListForEachSelection() throws Exception {
    SamplesQuestion question =
        new SamplesQuestion(
            1_000,
            List.of(
                new Selection(Parser.parseSelector("up"), START, last()),
                new Selection(Parser.parseSelector("util"), START - 1, last())));
    SamplesQuestion.Answer answer = ask(question);
    assertThat(covered(question)).containsExactly("n1");
    assertThat(answer.series().getFirst()).hasSize(1);
    assertThat(answer.series().getFirst().getFirst().size()).isEqualTo(9);
    assertThat(answer.series().getLast())
        .extracting(series -> series.labels().value("job"))
        .containsExactlyInAnyOrder("a", "b", "a");
  }

  @Test
  void aHostWithMissingSamplesIsAnsweredButNotCovered() throws Exception {
    writer.lane().missing().gap(START, START + STEP);
    Selection all = new Selection(Parser.parseSelector("up"), START - 1, last());
    SamplesQuestion samples = new SamplesQuestion(1_000, List.of(all));
    assertThat(ask(samples).series().getFirst()).hasSize(1);
    assertThat(covered(samples)).isEmpty();
    assertThat(covered(new LabelNamesQuestion(search()))).isEmpty();
    assertThat(covered(new LabelValuesQuestion("job", search()))).isEmpty();
    assertThat(covered(new LabelSetsQuestion(search()))).isEmpty();
    assertThat(covered(new OwnersQuestion(search()))).isEmpty();
    FragmentAnswer parts = run(fragment(parts("sum(up)", true)));
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
    return run(new Fragment(Load.OWN, asked, List.of("n1"), new HostsQuestion(List.of())))
        .covered();
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
    assertThat(
            run(new Fragment(Load.OWN, EPOCH, List.of("n2"), new HostsQuestion(List.of())))
                .covered())
        .as("no copy of it is here")
        .isEmpty();
  }

  @Test
  void labelsAreThoseOfTheTime() throws Exception {
    assertThat(ask(new LabelNamesQuestion(search("up"))))
        .isEqualTo(new Strings(List.of("Hostname", "__name__")));
    assertThat(ask(new LabelValuesQuestion("job", search())))
        .isEqualTo(new Strings(List.of("a", "b")));
    LabelSetsQuestion.Answer sets = ask(new LabelSetsQuestion(search("util{job=\"b\"}", "up")));
    assertThat(sets.labelSets()).containsExactlyInAnyOrder(gpu("G1", "b"), writer.series("up"));
  }

  @Test
  void ownersAreIntervalsOfTime() throws Exception {
    OwnersQuestion.Answer owners = ask(new OwnersQuestion(search("util{UUID=\"G1\"}")));
    Labels identity = writer.series("util", "UUID", "G1", "rack", "r1");
    assertThat(owners)
        .isEqualTo(
            new OwnersQuestion.Answer(
                new OwnerIntervals(
                    List.of(
                        new OwnedSeries(
                            identity,
                            List.of(
                                new OwnedSeries.Interval(
                                    Labels.of("job", "a"), START, START + 5 * STEP - 1),
                                new OwnedSeries.Interval(
                                    Labels.of("job", "b"), START + 5 * STEP, last())))),
                    0)));
    SeriesSearch one = new SeriesSearch(START, last(), 1, List.of());
    OwnersQuestion.Answer limited = ask(new OwnersQuestion(one));
    assertThat(limited.owners().series()).hasSize(1);
    assertThat(limited.owners().omitted()).isEqualTo(1);
  }

  @Test
  void ownersOutsideAScopeAreNotShown() throws Exception {
    OwnersQuestion.Answer owners = ask(new OwnersQuestion(search("{UUID=\"G1\",job=\"b\"}")));
    assertThat(owners.owners().series())
        .singleElement()
        .satisfies(
            series ->
                assertThat(series.intervals())
                    .extracting(OwnedSeries.Interval::owner)
                    .containsExactly(Labels.of("job", "b")));
  }

  @Test
  void theExtentIsOneEstimateForEachSelection() throws Exception {
    ExtentsQuestion.Answer extent =
        ask(
            new ExtentsQuestion(
                List.of(
                    new Selection(Parser.parseSelector("util"), START - 1, last()),
                    new Selection(Parser.parseSelector("nosuch"), START - 1, last()))));
    assertThat(extent.extents()).containsExactly(new Extent(2, 20), new Extent(0, 0));
  }

  @Test
  void metadataIsThatOfTheTenants() throws Exception {
    assertThat(ask(new MetadataQuestion(List.of("t"))))
        .isEqualTo(
            new MetadataQuestion.Answer(
                Map.of("up", new MetricMetadata("gauge", "Whether it is up.", ""))));
    assertThat(ask(new MetadataQuestion(List.of("x"))).metrics()).isEmpty();
  }

  @Test
  void hostsSayWhenTheySentAndHowMuchTheyHave() throws Exception {
    writer.store().lane("empty");
    HostsQuestion.Answer hosts = ask(new HostsQuestion(List.of()));
    assertThat(hosts.hosts())
        .containsExactly(new HostState("n1", last(), writer.lane().tickMillis(), 3));
  }

  @Test
  void hostsSaySinceWhenTheirSamplesAreKept() throws Exception {
    writer.store().lane("empty");
    assertThat(ask(new RetentionQuestion()).hosts())
        .containsExactly(
            new HostRetention(
                "n1",
                writer.lane().view().oldest(),
                writer.store().limits().retention().toMillis()));
  }

  private static NewestQuestion newest(long after, boolean gzip, int maxSeries, int maxBytes)
      throws Exception {
    return new NewestQuestion(
        List.of(Parser.parseSelector("util"), Parser.parseSelector("up")),
        after,
        last(),
        NameEscaping.ALLOW_UTF_8,
        gzip,
        maxSeries,
        maxBytes);
  }

  private static String lines(NewestQuestion.Answer newest, String family) {
    GzipPiece piece =
        newest.metrics().stream()
            .filter(each -> each.name().equals(family))
            .findFirst()
            .orElseThrow()
            .lines();
    return new String(piece.bytes(), piece.from(), piece.length(), StandardCharsets.UTF_8);
  }

  @Test
  void newestSamplesAreLinesByFamily() throws Exception {
    NewestQuestion.Answer answer = ask(newest(last() - 1, false, 100, 10_000));
    assertThat(covered(newest(last() - 1, false, 100, 10_000))).containsExactly("n1");
    assertThat(lines(answer, "up"))
        .isEqualTo("up{Hostname=\"n1\",instance=\"\"} 1 " + last() + "\n");
    assertThat(lines(answer, "util").lines())
        .containsExactlyInAnyOrder(
            "util{Hostname=\"n1\",UUID=\"G1\",job=\"b\",rack=\"r1\",instance=\"\"} 19 " + last(),
            "util{Hostname=\"n1\",UUID=\"G2\",job=\"a\",rack=\"r1\",instance=\"\"} 29 " + last());
    writer.send(last() + STEP, writer.series("up"), 5);
    NewestQuestion.Answer later =
        ask(
            new NewestQuestion(
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
    NewestQuestion.Answer answer = ask(newest(0, true, 100, 10_000));
    assertThat(answer.gzip()).isTrue();
    assertThat(answer.metrics())
        .allSatisfy(family -> assertThat(family.lines().plainLength()).isNotEqualTo(0));
  }

  @Test
  void moreSeriesOrBytesThanAllowedAreErrorsWithTheFigures() {
    assertThatThrownBy(() -> ask(newest(0, false, 2, 10_000)))
        .isInstanceOf(TooManySamples.class)
        .hasMessage("there are 3 series on one gateway; the limit is 2");
    assertThatThrownBy(() -> ask(newest(last() - 1, false, 3, 10)))
        .isInstanceOf(TooManySamples.class)
        .hasMessageContaining("bytes on one gateway; the limit is 10");
  }

  @Test
  void reductionsAreTheNewestSamplesByGroup() throws Exception {
    ReductionsQuestion.Answer answer =
        ask(
            new ReductionsQuestion(
                List.of(Parser.parseSelector("{__name__=~\"(job|rack):util:.*\"}")),
                List.of(),
                last() - 1,
                last()));
    assertThat(answer.reductions()).hasSize(2);
    for (MetricReductions reductions : answer.reductions()) {
      MetricReductions.OfMetric util = reductions.metrics().getFirst();
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
    ReductionsQuestion.Answer answer =
        ask(
            new ReductionsQuestion(
                List.of(Parser.parseSelector("{__name__=\"rack:util:sum\"}")),
                Parser.parseSelector("{job=\"a\"}"),
                last() - 1,
                last()));
    MetricReductions.OfMetric util = answer.reductions().getFirst().metrics().getFirst();
    assertThat(util.counts()).containsExactly(1);
    assertThat(util.sums()).containsExactly(29);
  }

  private ChangesQuestion.Answer changes(ChangesQuestion.Since since) throws Exception {
    return ask(new ChangesQuestion(since));
  }

  private static ChangesQuestion.Since after(ChangesQuestion.Answer last) {
    return new ChangesQuestion.Since(last.incarnation(), last.cursor());
  }

  @Test
  void changesAreTheBucketsOfFiveSecondsSinceTheCursor() throws Exception {
    ChangesQuestion.Answer first = changes(ChangesQuestion.Since.START);
    assertThat(first.hosts()).as("another incarnation: anything may have changed").isEmpty();
    assertThat(first.watermark()).as("the next tick is not due before").isEqualTo(last() + 14_999);
    long time = last() + 7_000;
    writer.send(time, writer.series("up"), 1);
    ChangesQuestion.Answer next = changes(after(first));
    assertThat(next.incarnation()).isEqualTo(first.incarnation());
    assertThat(next.hosts())
        .containsExactly(new ChangesQuestion.OfHost("n1", false, List.of(TimeBucket.of(time))));
    assertThat(next.watermark()).isEqualTo(time + 6_999);
    writer.lane().missing().gap(0, 1);
    assertThat(changes(after(next)).hosts())
        .containsExactly(new ChangesQuestion.OfHost("n1", true, List.of()));
  }

  private static PartsQuestion parts(String text, boolean partial) {
    return parts(text, last(), partial, true, 1_000);
  }

  private static PartsQuestion parts(
      String text, long time, boolean partial, boolean rollups, long maxSamples) {
    return new PartsQuestion(
        time,
        time,
        0,
        Query.Settings.STOCK.withMaxSamples(maxSamples),
        10_000,
        List.of(
            new PartsQuestion.Part(
                new PartText(text, List.of()), new Grid(time, 1, time), partial, rollups)),
        Optional.empty());
  }

  @Test
  void partsBringWhatHadChangedBeforeTheyWereRead() throws Exception {
    ChangesQuestion.Since since = after(changes(ChangesQuestion.Since.START));
    writer.send(last() + STEP, writer.series("util"), 1);
    ChangesQuestion.Answer expected = changes(since);
    assertThat(expected.hosts()).hasSize(1);
    PartsQuestion fitting = parts("sum by (rack) (util)", true);
    for (PartsQuestion asked : List.of(fitting, parts("sum by (UUID) (util)", true))) {
      PartsQuestion.Results answer = results(asked.since(since));
      assertThat(answer.changes()).contains(expected);
      assertThat(results(asked).changes()).isEmpty();
    }
    FragmentAnswer quick = quickly(fitting.since(since)).orElseThrow();
    assertThat(((PartsQuestion.Results) quick.result()).changes()).contains(expected);
  }

  @Test
  void partsAreComputedFromRollupsWhereARuleFits() throws Exception {
    PartsQuestion.Results answer = results(parts("sum by (rack) (util)", true));
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
    Optional<FragmentAnswer> quick = quickly(parts("sum by (rack) (util)", true));
    assertThat(quick).isPresent();
  }

  @Test
  void aStepThatNoTickHasReachedIsComputedAtOnceFromSamplesInMemory() throws Exception {
    PartsQuestion asked = parts("sum by (rack) (util)", last() + STEP, true, true, 1_000);
    FragmentAnswer answer = quickly(asked).orElseThrow();
    PartsQuestion.Results quick = (PartsQuestion.Results) answer.result();
    assertThat(quick.parts().getFirst().samples()).isPositive();
    assertThat(quick.parts().getFirst().partials().getFirst().numbers()[0])
        .containsExactly(14 + 19 + 29);
    assertThat(FragmentCodec.encode(answer, asked))
        .isEqualTo(FragmentCodec.encode(runner.run(fragment(asked), StopCheck.NEVER), asked));
  }

  @Test
  void partsWithoutARuleSayWhyAndAreComputedFromSamples() throws Exception {
    PartsQuestion.Results answer = results(parts("sum by (UUID) (util)", true));
    assertThat(answer.notes())
        .containsExactly(
            "not computed from rollups: the label UUID is not a label of the rollup rule");
    assertThat(answer.parts().getFirst().partials()).hasSize(2);
    assertThat(quickly(parts("sum by (UUID) (util)", true))).isEmpty();
  }

  @Test
  void partsThatCannotBePutTogetherAreUnfit() throws Exception {
    assertThat(ask(parts("sum(", true)))
        .isInstanceOfSatisfying(
            PartsQuestion.Unfit.class,
            unfit -> assertThat(unfit.reason()).startsWith("the part cannot be parsed: "));
    PartsQuestion.Part part = parts("sum(up) + sum(up)", true).parts().getFirst();
    PartsQuestion oneReading =
        new PartsQuestion(
            last(),
            last(),
            0,
            Query.Settings.STOCK,
            10_000,
            List.of(
                new PartsQuestion.Part(
                    new PartText(part.text().promql(), List.of(List.of())),
                    part.grid(),
                    false,
                    false)),
            Optional.empty());
    assertThat(ask(oneReading)).isInstanceOf(PartsQuestion.Unfit.class);
    writer.send(last() + STEP, writer.series("h"), HostWriter.histogram(3));
    assertThat(ask(parts("sum(h)", last() + STEP, true, true, 1_000)))
        .isInstanceOf(PartsQuestion.Unfit.class);
  }

  @Test
  void moreSamplesThanTheBudgetAreAnError() {
    PartsQuestion small = parts("sum by (UUID) (util)", last(), true, true, 1);
    assertThatThrownBy(() -> ask(small)).isInstanceOf(TooManySamples.class);
  }

  @Test
  void usageIsThatOfTheOwnersOfAGpuAtATime() throws Exception {
    // G1 has been another's from the 6th tick on; no scheduler tells of it.
    for (int i = 0; i < 10; i++) {
      Labels gpu = writer.series("DCGM_FI_DEV_FB_USED", "UUID", "G9", "hpc_job", i < 5 ? "a" : "b");
      writer.send(START + i * STEP, gpu, i);
    }
    UsageQuestion question =
        new UsageQuestion(
            List.of(),
            List.of("hpc_job", "UUID"),
            UsagePeriod.every(START, START + 10 * STEP, 10 * STEP),
            UsageTerms.DEFAULT);
    List<UsageRow> rows = ask(question).rows();
    assertThat(rows)
        .extracting(row -> row.owner().value("hpc_job"), row -> row.device().value("UUID"))
        .containsExactly(tuple("a", "G9"), tuple("b", "G9"));
    assertThat(rows)
        .extracting(row -> row.amount(Amount.MEMORY).toBigInteger().longValueExact())
        .containsExactly((10 * STEP) << 20, (35 * STEP) << 20);
    assertThat(rows)
        .extracting(row -> row.amount(Amount.UNKNOWN).toBigInteger().longValueExact())
        .containsExactly(5 * STEP * UsageTerms.WHOLE, 5 * STEP * UsageTerms.WHOLE);
  }

  @Test
  void aQueryThatIsStoppedEndsWithItsReason() {
    QueryFailure reason = new QueryFailure(QueryFailure.Kind.CANCELED, "gone");
    Selection up = new Selection(List.of(), START - 1, last());
    assertThatThrownBy(
            () ->
                runner.run(
                    fragment(new SamplesQuestion(1_000, List.of(up))), () -> Optional.of(reason)))
        .isSameAs(reason);
  }

  @Test
  void whatWasExpectedOfRollupsAndHasNoneIsAsMuchWorkAsItsSamples() {
    Load load = new Load("a", 2, 1_000_000);
    assertThat(load(load, parts("sum by (rack) (util)", true))).isEqualTo(load);
    assertThat(load(load, parts("sum by (UUID) (util)", true)))
        .isEqualTo(new Load("a", 2, 20_000_000));
    assertThat(load(load, parts("sum by (UUID) (util)", last(), true, false, 1_000)))
        .isEqualTo(load);
    assertThat(load(load, new MetadataQuestion(List.of()))).isEqualTo(load);
  }

  private Load load(Load load, Question<?> question) {
    return runner.load(new Fragment(load, EPOCH, HOSTS, question));
  }

  @Test
  void otherKindsThanPartsAreNotForTheEventLoop() throws Exception {
    assertThat(quickly(new HostsQuestion(List.of()))).isEmpty();
  }

  @Test
  void byScopeHostsAreThoseWithASeriesInItAndSayNothingOfTheOthers() throws Exception {
    for (String job : List.of("a", "b")) {
      HostsQuestion.Answer some =
          ask(new HostsQuestion(Parser.parseSelector("{job=\"" + job + "\"}")));
      assertThat(some.hosts()).extracting(HostState::name).containsExactly("n1");
      assertThat(some.hosts().getFirst().series()).isBetween(1L, 2L);
    }
    HostsQuestion.Answer none = ask(new HostsQuestion(Parser.parseSelector("{job=\"c\"}")));
    assertThat(none.hosts()).isEmpty();
    assertThat(covered(new HostsQuestion(Parser.parseSelector("{job=\"c\"}"))))
        .containsExactly("n1");
  }

  @Test
  void cachesSayTheirUse() throws Exception {
    ask(parts("sum by (rack) (util)", true));
    ask(parts("sum by (rack) (util)", true));
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
