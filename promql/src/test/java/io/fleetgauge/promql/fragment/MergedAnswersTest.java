package io.fleetgauge.promql.fragment;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.plan.EvaluatedParts;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The answers of several gateways as one. */
class MergedAnswersTest {
  private static final Labels A = Labels.of("x", "a");
  private static final Labels B = Labels.of("x", "b");
  private static final SeriesSearch SEARCH = new SeriesSearch(0, 1, 0, List.of());

  @Test
  void seriesOfAllGatewaysComeInOrderAndEqualOnesAreUnited() {
    Series fromOne = series(A, 1, 3, 5);
    Series fromOther = series(A, 2, 3, 9);
    SamplesQuestion question = new SamplesQuestion(9, List.of(new Selection(List.of(), 0, 9)));
    assertThat(
            question.merged(
                List.of(
                    new SamplesQuestion.Answer(List.of(List.of(series(B, 1), fromOne))),
                    new SamplesQuestion.Answer(List.of(List.of(fromOther))))))
        .containsExactly(List.of(series(A, 1, 2, 3, 5, 9), series(B, 1)));
  }

  @Test
  void stringsAndLabelSetsAreUnited() {
    assertThat(
            new LabelNamesQuestion(SEARCH)
                .merged(List.of(new Strings(List.of("b", "c")), new Strings(List.of("a", "b")))))
        .containsExactly("a", "b", "c");
    assertThat(
            new LabelSetsQuestion(SEARCH)
                .merged(
                    List.of(
                        new LabelSetsQuestion.Answer(List.of(B)),
                        new LabelSetsQuestion.Answer(List.of(A, B)))))
        .containsExactly(A, B);
  }

  // --- parts of queries ---

  private static Planned planned(String text) throws Exception {
    Query query =
        new Query(
            text,
            Parser.parse(text, new ParseOptions(Feature.STOCK, 0, 0)),
            1_000,
            1_000,
            0,
            Query.Settings.STOCK);
    return Planner.plan(query, List.of(), Planner.Mode.AUTO);
  }

  private static PartsQuestion.Answer parts(
      String hostLabel,
      String note,
      long samples,
      List<Annotation> annotations,
      Column... columns) {
    return new PartsQuestion.Results(
        List.of(),
        List.of(new PartResult(List.of(columns), List.of(), annotations, samples)),
        List.of(note),
        5,
        List.of(hostLabel),
        Optional.empty());
  }

  private static EvaluatedParts merged(Planned planned, PartsQuestion.Answer... answers) {
    return PartsQuestion.of(planned, 1_000).merged(planned, List.of(answers));
  }

  private static Column column(Labels labels, double value) {
    return new Column(labels, new double[] {value});
  }

  /** About the metric, which stands at the start, or about the number behind it. */
  private static Annotation info(String text, int start) {
    return new Annotation(false, text, new TextSpan(start, start == 0 ? 5 : 9));
  }

  @Test
  void columnsComeInTheOrderOfTheirLabelsWithWhatWasReadAddedUp() throws Exception {
    Planned planned = planned("power * 2");
    EvaluatedParts merged =
        merged(
            planned,
            parts("Hostname", "", 10, List.of(info("counter?", 0)), column(B, 2)),
            parts("Hostname", "from rollups", 7, List.of(info("counter?", 0)), column(A, 1)),
            parts("Hostname", "otherwise", 0, List.of(info("other", 8))));
    assertThat(merged.unfit()).isEmpty();
    assertThat(merged.parts()).hasSize(1);
    assertThat(merged.parts().getFirst().columns())
        .extracting(Column::labels)
        .containsExactly(A, B);
    assertThat(merged.parts().getFirst().annotations())
        .containsExactly(info("counter?", 0), info("other", 8));
    assertThat(merged.samples()).isEqualTo(17);
    assertThat(merged.rollupCells()).isEqualTo(15);
    assertThat(merged.notes()).containsExactly(Map.entry("power * 2", "from rollups"));
  }

  @Test
  void oneGatewayThatCannotGuaranteeItsPartMakesAllUnfit() throws Exception {
    EvaluatedParts merged =
        merged(
            planned("power * 2"),
            parts("Hostname", "", 1, List.of(), column(A, 1)),
            new PartsQuestion.Unfit("it has histograms"));
    assertThat(merged).isEqualTo(EvaluatedParts.unfit("it has histograms"));
  }

  @Test
  void oneAnnotationAboutDifferentPlacesMakesThePartsUnfit() throws Exception {
    EvaluatedParts merged =
        merged(
            planned("power * 2"),
            parts("Hostname", "", 1, List.of(info("counter?", 0))),
            parts("Hostname", "", 1, List.of(info("counter?", 8))));
    assertThat(merged.unfit()).isEqualTo("gateways make one annotation about different parts");
    assertThat(merged.parts()).isEmpty();
  }

  @Test
  void gatewaysThatTellHostsApartDifferentlyMakeThePartsUnfit() throws Exception {
    EvaluatedParts merged =
        merged(
            planned("power * 2"),
            parts("Hostname", "", 1, List.of()),
            parts("node", "", 1, List.of()));
    assertThat(merged.unfit()).isEqualTo("gateways have different ingest.hostLabels");
  }

  // --- owners, metadata, hosts, families ---

  private static OwnedSeries.Interval interval(String job, long from, long to) {
    return new OwnedSeries.Interval(Labels.of("job", job), from, to);
  }

  private static OwnersQuestion.Answer owners(long omitted, OwnedSeries... series) {
    return new OwnersQuestion.Answer(new OwnerIntervals(List.of(series), omitted));
  }

  @Test
  void ownersOfOneSeriesFromTwoGatewaysComeInTheOrderOfTime() {
    OwnerIntervals merged =
        new OwnersQuestion(SEARCH)
            .merged(
                List.of(
                    owners(
                        3,
                        new OwnedSeries(B, List.of(interval("x", 0, 1))),
                        new OwnedSeries(A, List.of(interval("y", 10, 20)))),
                    owners(4, new OwnedSeries(A, List.of(interval("z", 0, 9))))));
    assertThat(merged)
        .isEqualTo(
            owners(
                    7,
                    new OwnedSeries(A, List.of(interval("z", 0, 9), interval("y", 10, 20))),
                    new OwnedSeries(B, List.of(interval("x", 0, 1))))
                .owners());
  }

  // --- reductions ---

  private static final ReductionsQuestion REDUCED =
      new ReductionsQuestion(List.of(), List.of(), 0, 1);

  private static ReductionsQuestion.Answer reduced(Labels group, MetricReductions.OfMetric metric) {
    return new ReductionsQuestion.Answer(
        List.of(new MetricReductions(List.of("x"), List.of(group), List.of(metric))));
  }

  private static MetricReductions.OfMetric reduction(
      long count, double sum, double carry, double min, double max, long newest) {
    return new MetricReductions.OfMetric(
        "power",
        new long[] {count},
        new double[] {sum},
        new double[] {carry},
        new double[] {min},
        new double[] {max},
        new long[] {newest});
  }

  private static MetricReductions.OfMetric merged(ReductionsQuestion.Answer... answers) {
    List<MetricReductions> all = REDUCED.merged(List.of(answers));
    assertThat(all).hasSize(1);
    assertThat(all.getFirst().by()).containsExactly("x");
    return all.getFirst().metrics().getFirst();
  }

  @Test
  void aGroupOfSeveralGatewaysIsReducedToOne() {
    MetricReductions.OfMetric sum =
        merged(
            reduced(A, reduction(2, 10, 0.25, 3, 7, 500)),
            reduced(A, reduction(1, 9, 0, 9, 9, 900)),
            reduced(A, reduction(1, 2, 0.5, 2, 2, 400)));
    assertThat(sum.counts()).containsExactly(4);
    assertThat(sum.sums()).containsExactly(21);
    assertThat(sum.carries()).containsExactly(0.75);
    assertThat(sum.mins()).containsExactly(2);
    assertThat(sum.maxs()).containsExactly(9);
    assertThat(sum.newest()).containsExactly(900);
  }

  @Test
  void aSumKeepsWhatItLosesToRoundingWhicheverAddendIsGreater() {
    for (List<Double> addends : List.of(List.of(1e100, 1.0), List.of(1.0, 1e100))) {
      MetricReductions.OfMetric sum =
          merged(
              reduced(A, reduction(1, addends.getFirst(), 0, 1, 1, 1)),
              reduced(A, reduction(1, addends.getLast(), 0, 1, 1, 1)),
              reduced(A, reduction(1, -1e100, 0, 1, 1, 1)));
      assertThat(sum.sums()[0] + sum.carries()[0]).isEqualTo(1);
    }
  }

  @Test
  void minimaAndMaximaIgnoreNanUnlessThereIsNothingElse() {
    MetricReductions.OfMetric one =
        merged(
            reduced(A, reduction(1, 0, 0, Double.NaN, Double.NaN, 1)),
            reduced(A, reduction(1, 0, 0, -4, -4, 1)),
            reduced(A, reduction(1, 0, 0, Double.NaN, Double.NaN, 1)));
    assertThat(one.mins()).containsExactly(-4);
    assertThat(one.maxs()).containsExactly(-4);
  }

  @Test
  void groupsThatOneGatewayLacksStandBesideTheOthers() {
    List<MetricReductions> all =
        REDUCED.merged(
            List.of(
                reduced(A, reduction(2, 10, 0, -5, -1, 500)),
                reduced(B, reduction(1, 3, 0, 3, 3, 100)),
                reduced(B, reduction(0, 99, 99, 99, 99, 999))));
    MetricReductions.OfMetric power = all.getFirst().metrics().getFirst();
    assertThat(all.getFirst().groups()).containsExactly(A, B);
    assertThat(power.counts()).containsExactly(2, 1);
    assertThat(power.sums()).containsExactly(10, 3);
    assertThat(power.carries()).containsExactly(0, 0);
    assertThat(power.mins()).containsExactly(-5, 3);
    assertThat(power.maxs()).containsExactly(-1, 3);
    assertThat(power.newest()).containsExactly(500, 100);
  }

  @Test
  void whatOneGatewayReducedAloneIsTakenAsItIs() {
    MetricReductions alone =
        new MetricReductions(List.of("x"), List.of(A), List.of(reduction(1, 2, 3, 4, 5, 6)));
    assertThat(REDUCED.merged(List.of(new ReductionsQuestion.Answer(List.of(alone)))))
        .singleElement()
        .isSameAs(alone);
  }

  private static Series series(Labels labels, long... times) {
    double[] values = new double[times.length];
    for (int i = 0; i < times.length; i++) {
      values[i] = times[i];
    }
    return new Series(labels, times, values);
  }
}
