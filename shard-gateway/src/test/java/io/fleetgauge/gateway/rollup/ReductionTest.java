package io.fleetgauge.gateway.rollup;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Aggregation;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.kernel.Sums;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReductionTest {
  private static final long STEP = 15_000;
  private static final long FIRST = 1_000 * STEP;
  private static final int STEPS = 60;
  private static final List<String> GROUPED = List.of("job", "rack");
  private static final RollupRules RULES =
      new RollupRules(
          STEP,
          300_000,
          List.of(
              new RollupRules.Rule(
                  Matcher.equal(Labels.NAME, "power"), GROUPED, true, List.of(60_000L, 300_000L))));
  private static final List<RollupKey> KEYS = RULES.of("power").keys();

  private static List<Optional<RollupPage>> pages(List<Series> all) {
    Reduction reduction = new Reduction(RULES, KEYS, GROUPED, FIRST, STEPS);
    all.stream().sorted(Comparator.comparing(Series::labels)).forEach(reduction::add);
    return reduction.pages();
  }

  /** The plain twin: the aggregations that a query would compute of the same samples. */
  private static TreeMap<String, String> folded(RollupKey key, List<Series> all) throws Exception {
    Grid grid = new Grid(FIRST, STEP, FIRST + (STEPS - 1) * STEP);
    Query query = new Query("", key.expr(), grid.start(), grid.end(), STEP, Query.Settings.STOCK);
    List<List<Partial>> folds = new ArrayList<>();
    for (Aggregation op : List.of(Aggregation.SUM, Aggregation.MIN, Aggregation.MAX)) {
      Expr.Aggregate part =
          new Expr.Aggregate(
              op, new Expr.Grouping(false, GROUPED), Optional.empty(), key.expr(), TextSpan.NONE);
      folds.add(
          Engine.partials(
                  query,
                  part,
                  grid,
                  (selection, receiver) -> {
                    for (Series series : all) {
                      receiver.accept(series);
                    }
                  },
                  StopCheck.NEVER)
              .orElseThrow()
              .partials());
    }
    TreeMap<String, String> cells = new TreeMap<>();
    for (int i = 0; i < folds.getFirst().size(); i++) {
      Partial sum = folds.get(0).get(i);
      for (int step = 0; step < STEPS; step++) {
        if (sum.count()[step] > 0) {
          cells.put(
              sum.group() + " " + step,
              cell(
                  sum.count()[step],
                  total(sum.numbers(), step),
                  folds.get(1).get(i).numbers()[0][step],
                  folds.get(2).get(i).numbers()[0][step]));
        }
      }
    }
    return cells;
  }

  private static TreeMap<String, String> cells(RollupPage page) {
    TreeMap<String, String> cells = new TreeMap<>();
    for (RollupPage.Group group : page.groups()) {
      for (int step = 0; step < STEPS; step++) {
        if (group.count()[step] > 0) {
          double[][] sum = {group.sum(), group.carry(), group.rest()};
          cells.put(
              group.labels() + " " + step,
              cell(group.count()[step], total(sum, step), group.min()[step], group.max()[step]));
        }
      }
    }
    return cells;
  }

  private static double total(double[][] parts, int step) {
    return Sums.rounded(parts[0][step], at(parts[1], step), at(parts[2], step));
  }

  private static double at(double[] row, int i) {
    return row == null ? 0 : row[i];
  }

  private static String cell(int count, double... numbers) {
    StringBuilder text = new StringBuilder().append(count);
    for (double number : numbers) {
      text.append(' ').append(Long.toHexString(Double.doubleToLongBits(number)));
    }
    return text.toString();
  }

  private static Labels labels(int gpu, String job) {
    return Labels.of(Labels.NAME, "power", "rack", "r1", "gpu", "" + gpu, "job", job);
  }

  private static Series series(Labels labels, SplittableRandom random) {
    int size = 1 + random.nextInt(90);
    long[] times = new long[size];
    double[] values = new double[size];
    long time = FIRST - 400_000 + random.nextInt(600_000);
    double energy = random.nextInt(1_000);
    int kind = random.nextInt(4);
    for (int i = 0; i < size; i++) {
      times[i] = time;
      time +=
          random.nextInt(20) == 0 ? random.nextInt(500_000) + 1 : 14_000 + random.nextInt(2_000);
      energy = random.nextInt(15) == 0 ? 0 : energy + random.nextInt(1_000);
      values[i] =
          switch (random.nextInt(12)) {
            case 0 -> Staleness.MARKER;
            case 1 -> -0.0;
            case 2 -> kind == 3 ? Double.NaN : 0;
            case 3 -> kind == 3 ? Double.POSITIVE_INFINITY : 1;
            default -> kind == 0 ? random.nextDouble() * 700 : energy / (kind == 1 ? 1_000 : 1);
          };
    }
    return new Series(labels, times, values);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void aPageHoldsWhatAQueryComputesOfTheSameSamples(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<Series> all = new ArrayList<>();
    for (int gpu = 0; gpu < 12; gpu++) {
      for (String job : List.of("a", "b", "")) {
        if (random.nextInt(3) > 0) {
          all.add(series(labels(gpu, job), random));
        }
      }
    }
    all.sort(Comparator.comparing(Series::labels));
    List<Optional<RollupPage>> pages = pages(all);
    assertThat(KEYS).hasSize(5);
    for (int i = 0; i < KEYS.size(); i++) {
      RollupPage page = pages.get(i).orElseThrow();
      assertThat(cells(page)).as(KEYS.get(i).toString()).isEqualTo(folded(KEYS.get(i), all));
      assertThat(page.others()).containsExactly("gpu");
      assertThat(cells(RollupForm.decode(RollupForm.encode(page)))).isEqualTo(cells(page));
    }
  }

  @Test
  void theOthersAreTheLabelsOfAllSeries() {
    Series one = new Series(labels(1, "a"), new long[] {FIRST}, new double[] {1});
    Series two =
        new Series(
            labels(2, "a").with("mig", "3").with("zone", "z"),
            new long[] {FIRST - 2_000_000},
            new double[] {1});
    RollupPage page = pages(List.of(one, two)).getFirst().orElseThrow();
    assertThat(page.others()).containsExactly("gpu", "mig", "zone");
    assertThat(page.groups()).hasSize(1);
  }

  @Test
  void oneRowHoldsAllNumbersOfAGroupWithOneSeries() {
    Series one = new Series(labels(1, "a"), new long[] {FIRST}, new double[] {1.5});
    Series two = new Series(labels(2, "b"), new long[] {FIRST}, new double[] {2});
    Series three = new Series(labels(3, "b"), new long[] {FIRST + 40 * STEP}, new double[] {3});
    RollupPage alone = pages(List.of(one, two)).getFirst().orElseThrow();
    assertThat(alone.groups()).allMatch(RollupPage.Group::isSingle).hasSize(2);
    RollupPage more = pages(List.of(one, two, three)).getFirst().orElseThrow();
    assertThat(more.groups()).allMatch(RollupPage.Group::isSingle);
    assertThat(more.bytes()).isEqualTo(alone.bytes());
    Series four = new Series(labels(4, "b"), new long[] {FIRST}, new double[] {5});
    RollupPage both = pages(List.of(one, two, three, four)).getFirst().orElseThrow();
    assertThat(both.groups().getLast().isSingle()).isFalse();
    assertThat(both.groups().getLast().min()[0]).isEqualTo(2);
    assertThat(both.bytes()).isGreaterThan(alone.bytes());
  }

  @Test
  void aPartOfAPageAndTheRestAreThePage() {
    SplittableRandom random = new SplittableRandom(4);
    List<Series> all = new ArrayList<>();
    for (int gpu = 0; gpu < 5; gpu++) {
      all.add(series(labels(gpu, gpu < 2 ? "a" : "job-" + gpu), random));
    }
    for (Optional<RollupPage> made : pages(all)) {
      RollupPage page = made.orElseThrow();
      for (int cut = 1; cut < STEPS; cut++) {
        RollupPage joined = page.slice(0, cut, STEP).join(page.slice(cut, STEPS, STEP));
        assertThat(cells(joined)).isEqualTo(cells(page));
      }
      assertThat(page.slice(0, STEPS, STEP)).isSameAs(page);
    }
  }

  @Test
  void whatCannotBeAggregatedExactlyHasNoPage() {
    long[] times = {FIRST};
    Series one = new Series(labels(1, "a"), times, new double[] {1e300});
    Series two = new Series(labels(2, "a"), times, new double[] {1e-300});
    Series three = new Series(labels(3, "a"), times, new double[] {1e100});
    Series four = new Series(labels(4, "a"), times, new double[] {1});
    assertThat(pages(List.of(one, two, three)).getFirst()).isPresent();
    List<Optional<RollupPage>> wide = pages(List.of(one, two, three, four));
    assertThat(wide.getFirst()).isEmpty();
    assertThat(wide.getLast()).as("the rate of one sample is nothing").isPresent();
  }

  @Test
  void aMetricWithHistogramsHasNoPages() {
    Series number = new Series(labels(1, "a"), new long[] {FIRST}, new double[] {1});
    Histogram histogram =
        new Histogram(
            0,
            Histogram.ResetHint.UNKNOWN,
            1,
            2,
            0.1,
            0,
            new Histogram.Buckets(new int[] {1}, new double[] {1}),
            Histogram.Buckets.NONE,
            new double[0]);
    Series histograms =
        new Series(
            labels(2, "a"),
            new long[] {FIRST},
            new double[] {Staleness.MARKER},
            new Histogram[] {histogram});
    assertThat(pages(List.of(number, histograms))).allMatch(Optional::isEmpty);
  }
}
