package io.fleetgauge.query.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** The laws of every {@link Source}. */
public abstract class SourceContract {
  protected static final long STEP = 15_000;
  protected static final long START = 1_700_000_010_000L;
  protected static final int STEPS = 40;
  protected static final long END = START + (STEPS - 1) * STEP;

  /** The source under test, which has {@link #stored}. */
  protected abstract Source source();

  /** Series of six hosts with the labels gpu, job and rack, a sample at each step. */
  protected abstract List<Series> stored();

  protected static ReadOptions options() {
    return new ReadOptions(Load.OWN, 60_000, new Cancellation());
  }

  protected static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(600, TimeUnit.SECONDS);
  }

  protected static Matcher equal(String name, String value) {
    return Matcher.of(Matcher.Kind.EQUAL, name, value);
  }

  protected static Selection all(String metric) {
    return new Selection(List.of(equal(Labels.NAME, metric)), START - 1_000, END);
  }

  protected static SeriesSearch search(int limit, List<Matcher> selector) {
    return new SeriesSearch(START, END, limit, selector.isEmpty() ? List.of() : List.of(selector));
  }

  private List<Series> expected(String metric, long after, long to) {
    return stored().stream()
        .filter(each -> each.labels().metric().equals(metric))
        .map(each -> cut(each, after, to))
        .filter(each -> each.size() > 0)
        .sorted(Comparator.comparing(Series::labels))
        .toList();
  }

  private static Series cut(Series series, long after, long to) {
    int from = Series.firstAfter(series.times(), 0, series.size(), after);
    int end = Series.firstAfter(series.times(), from, series.size(), to);
    return new Series(
        series.labels(),
        Arrays.copyOfRange(series.times(), from, end),
        Arrays.copyOfRange(series.values(), from, end));
  }

  @Test
  protected void everySeriesIsReadOnceInTheOrderOfItsLabels() throws Exception {
    Gathered<List<List<Series>>> found =
        await(source().samples(List.of(all("power"), all("load_total")), 1_000_000, options()));
    assertThat(found.value())
        .containsExactly(
            expected("power", START - 1_000, END), expected("load_total", START - 1_000, END));
    assertThat(found.coverage().isWhole()).isTrue();
  }

  @Test
  protected void aSelectionIsOpenAtItsStartAndHasItsEnd() throws Exception {
    Selection some =
        new Selection(List.of(equal(Labels.NAME, "power")), START + STEP, START + 3 * STEP);
    assertThat(await(source().samples(List.of(some), 1_000_000, options())).value())
        .containsExactly(expected("power", START + STEP, START + 3 * STEP));
    Selection none = new Selection(List.of(equal(Labels.NAME, "nosuch")), START, END);
    assertThat(await(source().samples(List.of(none), 1_000_000, options())).value())
        .containsExactly(List.of());
  }

  @Test
  protected void moreSamplesThanTheBudgetAreAFailureOfTheQuery() {
    assertThatThrownBy(() -> await(source().samples(List.of(all("power")), 10, options())))
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.EXECUTION))
        .hasMessageContaining("10");
  }

  @Test
  protected void aReadThatIsCancelledFails() {
    Cancellation cancellation = new Cancellation();
    cancellation.cancel();
    Future<?> read =
        source()
            .samples(
                List.of(all("power")),
                1_000_000,
                new ReadOptions(new Load("a", 1, 1L << 40), 60_000, cancellation));
    assertThatThrownBy(() -> await(read))
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.CANCELED));
  }

  @Test
  protected void extentsCountSeriesAndAboutTheirSamples() throws Exception {
    Selection oneHost =
        new Selection(List.of(equal("Hostname", "n3")), START - 1_000, START + STEP);
    assertThat(await(source().extents(List.of(all("power"), oneHost), options())).value())
        .containsExactly(new Extent(12, 12 * STEPS), new Extent(4, 8));
  }

  @Test
  protected void namesAndValuesOfLabelsAreSortedAndEachOnce() throws Exception {
    assertThat(await(source().labelNames(search(0, List.of()), options())).value())
        .containsExactly("Hostname", "__name__", "gpu", "job", "rack");
    assertThat(await(source().labelValues("rack", search(0, List.of()), options())).value())
        .containsExactly("r0", "r1");
    SeriesSearch oneRack = search(0, List.of(equal("rack", "r1")));
    assertThat(await(source().labelValues("Hostname", oneRack, options())).value())
        .containsExactly("n1", "n3", "n5");
  }

  @Test
  protected void labelSetsAreSortedAndALimitBoundsThem() throws Exception {
    assertThat(await(source().labelSets(search(0, List.of(equal("gpu", "0"))), options())).value())
        .hasSize(12)
        .isSorted();
    assertThat(await(source().labelSets(search(1, List.of()), options())).value())
        .hasSizeBetween(1, 3);
  }
}
