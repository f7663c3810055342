package io.fleetgauge.query.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Span;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.shards.EvaluatedParts;
import io.fleetgauge.query.shards.Owners;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MergeTest {
  private static final Labels A = Labels.of("x", "a");
  private static final Labels B = Labels.of("x", "b");

  @Test
  void seriesOfAllGatewaysComeInOrderAndEqualOnesAreUnited() {
    Series fromOne = series(A, 1, 3, 5);
    Series fromOther = series(A, 2, 3, 9);
    List<FragmentAnswer> answers =
        List.of(
            new FragmentAnswer.Samples(1, List.of(), List.of(List.of(series(B, 1), fromOne))),
            new FragmentAnswer.Samples(1, List.of(), List.of(List.of(fromOther))));
    assertThat(Merge.samples(answers, 1))
        .containsExactly(List.of(series(A, 1, 2, 3, 5, 9), series(B, 1)));
  }

  @Test
  void stringsAndLabelSetsAreUnited() {
    assertThat(
            Merge.strings(
                List.of(
                    new FragmentAnswer.Strings(1, List.of(), List.of("b", "c")),
                    new FragmentAnswer.Strings(1, List.of(), List.of("a", "b")))))
        .containsExactly("a", "b", "c");
    assertThat(
            Merge.labelSets(
                List.of(
                    new FragmentAnswer.LabelSets(1, List.of(), List.of(B)),
                    new FragmentAnswer.LabelSets(1, List.of(), List.of(A, B)))))
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

  private static FragmentAnswer parts(
      String hostLabel,
      String note,
      long samples,
      List<Annotation> annotations,
      Column... columns) {
    return new FragmentAnswer.Parts(
        1,
        List.of(),
        List.of(),
        List.of(new PartResult(List.of(columns), List.of(), annotations, samples)),
        List.of(note),
        5,
        List.of(hostLabel));
  }

  private static Column column(Labels labels, double value) {
    return new Column(labels, new double[] {value});
  }

  private static Annotation info(String text, int start) {
    return new Annotation(false, text, new Span(start, start + 1));
  }

  @Test
  void columnsComeInTheOrderOfTheirLabelsWithWhatWasReadAddedUp() throws Exception {
    Planned planned = planned("power * 2");
    EvaluatedParts merged =
        Merge.parts(
            List.of(
                parts("Hostname", "", 10, List.of(info("counter?", 1)), column(B, 2)),
                parts("Hostname", "from rollups", 7, List.of(info("counter?", 1)), column(A, 1)),
                parts("Hostname", "otherwise", 0, List.of(info("other", 2)))),
            planned);
    assertThat(merged.unfit()).isEmpty();
    assertThat(merged.parts()).hasSize(1);
    assertThat(merged.parts().getFirst().columns())
        .extracting(Column::labels)
        .containsExactly(A, B);
    assertThat(merged.parts().getFirst().annotations())
        .containsExactly(info("counter?", 1), info("other", 2));
    assertThat(merged.samples()).isEqualTo(17);
    assertThat(merged.rollupCells()).isEqualTo(15);
    assertThat(merged.notes()).containsExactly(Map.entry("power * 2", "from rollups"));
  }

  @Test
  void oneGatewayThatCannotGuaranteeItsPartMakesAllUnfit() throws Exception {
    EvaluatedParts merged =
        Merge.parts(
            List.of(
                parts("Hostname", "", 1, List.of(), column(A, 1)),
                new FragmentAnswer.Unfit(1, List.of(), "there are histograms")),
            planned("power * 2"));
    assertThat(merged).isEqualTo(EvaluatedParts.unfit("there are histograms"));
  }

  @Test
  void oneAnnotationAboutDifferentPlacesMakesThePartsUnfit() throws Exception {
    EvaluatedParts merged =
        Merge.parts(
            List.of(
                parts("Hostname", "", 1, List.of(info("counter?", 1))),
                parts("Hostname", "", 1, List.of(info("counter?", 9)))),
            planned("power * 2"));
    assertThat(merged.unfit()).isEqualTo("gateways make one annotation about different parts");
    assertThat(merged.parts()).isEmpty();
  }

  @Test
  void gatewaysThatTellHostsApartDifferentlyMakeThePartsUnfit() throws Exception {
    EvaluatedParts merged =
        Merge.parts(
            List.of(parts("Hostname", "", 1, List.of()), parts("node", "", 1, List.of())),
            planned("power * 2"));
    assertThat(merged.unfit()).isEqualTo("gateways have different ingest.hostLabels");
  }

  // --- owners, metadata, hosts, families ---

  private static FragmentAnswer.OwnerInterval interval(String job, long from, long to) {
    return new FragmentAnswer.OwnerInterval(Labels.of("job", job), from, to);
  }

  @Test
  void ownersOfOneSeriesFromTwoGatewaysComeInTheOrderOfTime() {
    Owners merged =
        Merge.owners(
            List.of(
                new FragmentAnswer.Owners(
                    1,
                    List.of(),
                    3,
                    List.of(
                        new FragmentAnswer.OwnedSeries(B, List.of(interval("x", 0, 1))),
                        new FragmentAnswer.OwnedSeries(A, List.of(interval("y", 10, 20))))),
                new FragmentAnswer.Owners(
                    1,
                    List.of(),
                    4,
                    List.of(new FragmentAnswer.OwnedSeries(A, List.of(interval("z", 0, 9)))))));
    assertThat(merged)
        .isEqualTo(
            new Owners(
                7,
                List.of(
                    new FragmentAnswer.OwnedSeries(
                        A, List.of(interval("z", 0, 9), interval("y", 10, 20))),
                    new FragmentAnswer.OwnedSeries(B, List.of(interval("x", 0, 1))))));
  }

  // --- reductions ---

  private static FragmentAnswer reduced(Labels group, FragmentAnswer.Reduction metric) {
    return new FragmentAnswer.Reduced(
        1,
        List.of(),
        List.of(new FragmentAnswer.Reductions(List.of("x"), List.of(group), List.of(metric))));
  }

  private static FragmentAnswer.Reduction reduction(
      long count, double sum, double carry, double min, double max, long newest) {
    return new FragmentAnswer.Reduction(
        "power",
        new long[] {count},
        new double[] {sum},
        new double[] {carry},
        new double[] {min},
        new double[] {max},
        new long[] {newest});
  }

  private static FragmentAnswer.Reduction merged(FragmentAnswer... answers) {
    List<FragmentAnswer.Reductions> all = Merge.reductions(List.of(answers));
    assertThat(all).hasSize(1);
    assertThat(all.getFirst().by()).containsExactly("x");
    return all.getFirst().metrics().getFirst();
  }

  @Test
  void aGroupOfSeveralGatewaysIsReducedToOne() {
    FragmentAnswer.Reduction sum =
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
      FragmentAnswer.Reduction sum =
          merged(
              reduced(A, reduction(1, addends.getFirst(), 0, 1, 1, 1)),
              reduced(A, reduction(1, addends.getLast(), 0, 1, 1, 1)),
              reduced(A, reduction(1, -1e100, 0, 1, 1, 1)));
      assertThat(sum.sums()[0] + sum.carries()[0]).isEqualTo(1);
    }
  }

  @Test
  void minimaAndMaximaIgnoreNanUnlessThereIsNothingElse() {
    FragmentAnswer.Reduction one =
        merged(
            reduced(A, reduction(1, 0, 0, Double.NaN, Double.NaN, 1)),
            reduced(A, reduction(1, 0, 0, -4, -4, 1)),
            reduced(A, reduction(1, 0, 0, Double.NaN, Double.NaN, 1)));
    assertThat(one.mins()).containsExactly(-4);
    assertThat(one.maxs()).containsExactly(-4);
  }

  @Test
  void groupsThatOneGatewayLacksStandBesideTheOthers() {
    List<FragmentAnswer.Reductions> all =
        Merge.reductions(
            List.of(
                reduced(A, reduction(2, 10, 0, -5, -1, 500)),
                reduced(B, reduction(1, 3, 0, 3, 3, 100)),
                reduced(B, reduction(0, 99, 99, 99, 99, 999))));
    FragmentAnswer.Reduction power = all.getFirst().metrics().getFirst();
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
    FragmentAnswer.Reductions alone =
        new FragmentAnswer.Reductions(
            List.of("x"), List.of(A), List.of(reduction(1, 2, 3, 4, 5, 6)));
    assertThat(Merge.reductions(List.of(new FragmentAnswer.Reduced(1, List.of(), List.of(alone)))))
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
