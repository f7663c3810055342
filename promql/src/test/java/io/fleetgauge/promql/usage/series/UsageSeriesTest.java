package io.fleetgauge.promql.usage.series;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Series that are made of random usage of a few jobs, minute by minute. */
class UsageSeriesTest {
  private static final long MINUTE = 60_000;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;
  private static final long START = 20_000 * DAY;
  private static final long LOOKBACK = 5 * MINUTE;
  private static final List<Amount> AMOUNTS =
      List.of(Amount.BUSY, Amount.IDLE, Amount.UNKNOWN, Amount.ENERGY, Amount.ENERGY_ESTIMATED);

  /** Whole numbers of each amount, by job and the minute's end. */
  private final Map<String, TreeMap<Long, Map<Amount, Long>>> used = new TreeMap<>();

  private void use(String job, long minute, Amount amount, long whole) {
    used.computeIfAbsent(job, none -> new TreeMap<>())
        .computeIfAbsent(minute, none -> new HashMap<>())
        .merge(amount, whole, Long::sum);
  }

  /** Jobs that begin and end at any minute of a few hours. */
  private void useAtRandom(Random random, int hours) {
    for (int job = 0; job < 5; job++) {
      long at = START + random.nextInt(60 * hours) * MINUTE;
      long length = random.nextInt(3 * 60) * MINUTE;
      for (long time = at + MINUTE; time <= at + length; time += MINUTE) {
        use("" + job, time, AMOUNTS.get(random.nextInt(AMOUNTS.size())), random.nextInt(1 << 20));
      }
    }
  }

  /** What gateways would answer. */
  private List<UsageRow> rows(UsagePeriod period) {
    List<UsageRow> rows = new ArrayList<>();
    used.forEach(
        (job, minutes) -> {
          for (int i = 0; i < period.intervals(); i++) {
            long[] sums = new long[Amount.values().length];
            minutes
                .subMap(period.start(i), false, period.end(i), true)
                .values()
                .forEach(of -> of.forEach((amount, whole) -> sums[amount.ordinal()] += whole));
            if (Arrays.stream(sums).anyMatch(each -> each > 0)) {
              rows.add(
                  new UsageRow(
                      Labels.EMPTY,
                      Labels.of("hpc_job", job),
                      i,
                      Arrays.stream(sums).mapToObj(each -> new Integral(0, each)).toList(),
                      0,
                      -1,
                      -1,
                      -1));
            }
          }
        });
    return rows;
  }

  private List<Series> series(UsageSelection selection, long now) throws QueryFailure {
    UsageSeries made = new UsageSeries(selection, 1_000_000);
    long from = selection.times().begin();
    for (Optional<UsagePeriod> next = selection.times().next(from, now);
        next.isPresent();
        next = selection.times().next(from, now)) {
      from = next.get().to();
      made.add(next.get(), rows(next.get()));
    }
    return made.series();
  }

  private static UsageSelection selection(String selector, long after, long to) throws Exception {
    List<Matcher> matchers = Parser.parseSelector(selector);
    return UsageSelection.of(new Selection(matchers, after, to)).orElseThrow();
  }

  /** The samples of a job by time. */
  private static Map<Long, Double> samples(List<Series> all, String... labels) {
    Map<Long, Double> samples = new TreeMap<>();
    for (Series each : all) {
      if (each.labels().withoutMetric().equals(Labels.of(labels))) {
        for (int i = 0; i < each.size(); i++) {
          samples.put(each.times()[i], each.values()[i]);
        }
      }
    }
    return samples;
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 40);
  }

  // --- samples ---

  @Test
  void aCounterBeginsWithEachHourAndLastsUntilItEnds() throws Exception {
    use("1", START + 58 * MINUTE, Amount.BUSY, 2_000_000_000L);
    use("1", START + 59 * MINUTE, Amount.IDLE, 3_000_000_000L);
    use("1", START + HOUR + 2 * MINUTE, Amount.BUSY, 5_000_000_000L);
    UsageSelection all =
        selection("job:gpu_seconds:total", START, START + HOUR + 3 * MINUTE + 20_000);
    List<Series> series = series(all, Long.MAX_VALUE);
    assertThat(series).hasSize(4).isSortedAccordingTo((a, b) -> a.labels().compareTo(b.labels()));
    assertThat(samples(series, "hpc_job", "1", "class", "busy"))
        .containsExactly(
            Map.entry(START + 58 * MINUTE, 2.0),
            Map.entry(START + 59 * MINUTE, 2.0),
            Map.entry(START + HOUR, 2.0),
            Map.entry(START + HOUR + 1, 0.0),
            Map.entry(START + HOUR + 2 * MINUTE, 5.0),
            Map.entry(START + HOUR + 3 * MINUTE, 5.0));
    assertThat(samples(series, "hpc_job", "1", "class", "idle"))
        .as("every class of a job begins with the first")
        .containsEntry(START + 58 * MINUTE, 0.0)
        .containsEntry(START + HOUR, 3.0);
  }

  @Test
  void aJobThatDidNothingHasAnActivityOfZero() throws Exception {
    use("idle", MINUTE, Amount.ACTIVITY_TIME, 60_000);
    UsageSelection activity = selection("job:gpu_activity_seconds:total", 0, 3 * MINUTE);
    assertThat(samples(series(activity, HOUR), "hpc_job", "idle").values()).containsOnly(0.0);
    UsageSelection memory = selection("job:gpu_memory_byte_seconds:total", 0, 3 * MINUTE);
    assertThat(series(memory, HOUR)).isEmpty();
  }

  @Test
  void nothingIsMadeOfTheFuture() throws Exception {
    use("1", START + 10 * MINUTE, Amount.BUSY, 1_000_000_000L);
    UsageSelection all = selection("job:gpu_seconds:total{class='busy'}", START, START + HOUR);
    long now = START + 20 * MINUTE + 30_000;
    assertThat(samples(series(all, now), "hpc_job", "1", "class", "busy").keySet())
        .hasSize(11)
        .last()
        .isEqualTo(START + 20 * MINUTE);
    UsageSelection look = all.at(List.of(new Grid(START + HOUR, HOUR, START + HOUR)), LOOKBACK);
    assertThat(samples(series(look, now), "hpc_job", "1", "class", "busy"))
        .containsOnlyKeys(START + 20 * MINUTE);
    assertThat(series(all, START)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void lastValuesOfHoursAddUpToWhatWasUsed(long seed) throws Exception {
    useAtRandom(new Random(seed), 30);
    UsageSelection energy =
        selection("job:gpu_energy_joules:total", START, START + 40 * HOUR)
            .at(List.of(new Grid(START + HOUR, HOUR, START + 40 * HOUR)), LOOKBACK);
    List<Series> series = series(energy, Long.MAX_VALUE);
    used.forEach(
        (job, minutes) -> {
          double last = 0;
          for (Map.Entry<Long, Double> each : samples(series, "hpc_job", job).entrySet()) {
            last += each.getKey() % HOUR == 0 ? each.getValue() : 0;
          }
          long microjoules = 0;
          for (Map<Amount, Long> each : minutes.values()) {
            microjoules +=
                1_000 * each.getOrDefault(Amount.ENERGY, 0L)
                    + each.getOrDefault(Amount.ENERGY_ESTIMATED, 0L);
          }
          assertThat(last).isCloseTo(microjoules / 1e6, within(microjoules));
        });
  }

  private static org.assertj.core.data.Offset<Double> within(double microjoules) {
    return org.assertj.core.data.Offset.offset(microjoules / 1e6 * 1e-12 + 1e-12);
  }

  /** What a counter grows by, falls being new beginnings. */
  @ParameterizedTest
  @MethodSource("seeds")
  void noIncreaseIsLostAtTheEndOfAnHour(long seed) throws Exception {
    useAtRandom(new Random(seed), 10);
    UsageSelection all = selection("job:gpu_memory_byte_seconds:total", START, START + DAY);
    for (long minute = START + MINUTE; minute <= START + DAY; minute += MINUTE) {
      use("1", minute, Amount.MEMORY, 1 + new Random(seed + minute).nextInt(1_000_000));
    }
    double increase = 0;
    double last = 0;
    for (double value : samples(series(all, Long.MAX_VALUE), "hpc_job", "1").values()) {
      increase += value < last ? value : value - last;
      last = value;
    }
    double sum =
        used.get("1").values().stream().mapToLong(each -> each.get(Amount.MEMORY)).sum() / 1e3;
    assertThat(increase).isCloseTo(sum, org.assertj.core.data.Percentage.withPercentage(1e-9));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aLookSeesTheSampleThatIsTheNewestOfAll(long seed) throws Exception {
    Random random = new Random(seed);
    useAtRandom(random, 10);
    long end = START + 14 * HOUR;
    long now = START + 8 * HOUR + random.nextInt(6 * (int) HOUR);
    List<Grid> looks = new ArrayList<>();
    for (int i = 0; i < 1 + random.nextInt(2); i++) {
      long step = MINUTE + 1 + random.nextInt(3 * (int) HOUR);
      long start = START + random.nextInt((int) (HOUR)) + random.nextInt(2) * 10 * HOUR;
      looks.add(new Grid(start, step, end - random.nextInt((int) HOUR)));
    }
    long lookback = 1 + random.nextInt((int) (2 * LOOKBACK));
    UsageSelection every = selection("job:gpu_seconds:total", START - lookback, end);
    UsageSelection some = every.at(looks, lookback);
    List<Series> all = series(every, now);
    List<Series> made = series(some, now);
    for (Grid grid : looks) {
      for (int i = 0; i < grid.size(); i++) {
        long time = grid.time(i);
        assertThat(seen(made, time, lookback)).isEqualTo(seen(all, time, lookback));
      }
    }
  }

  private static Map<Labels, Double> seen(List<Series> all, long time, long lookback) {
    Map<Labels, Double> seen = new TreeMap<>();
    for (Series each : all) {
      int at = Series.firstAfter(each.times(), 0, each.size(), time) - 1;
      if (at >= 0 && each.times()[at] > time - lookback) {
        seen.put(each.labels(), each.values()[at]);
      }
    }
    return seen;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aSampleDependsOnItsTimeOnly(long seed) throws Exception {
    Random random = new Random(seed);
    useAtRandom(random, 40);
    List<Series> all =
        series(selection("job:gpu_seconds:total", START, START + 3 * DAY), Long.MAX_VALUE);
    long after = START + random.nextInt((int) DAY);
    long to = after + random.nextInt(2 * (int) DAY);
    List<Series> part = series(selection("job:gpu_seconds:total", after, to), Long.MAX_VALUE);
    Map<Labels, Map<Long, Double>> expected = new TreeMap<>();
    for (Series each : all) {
      Map<Long, Double> within = samples(List.of(each), each.labels().withoutMetric());
      within.keySet().removeIf(time -> time <= after || time > to);
      if (!within.isEmpty()) {
        expected.put(each.labels(), within);
      }
    }
    assertThat(part.stream().map(Series::labels)).containsExactlyElementsOf(expected.keySet());
    for (Series each : part) {
      assertThat(samples(List.of(each), each.labels().withoutMetric()))
          .isEqualTo(expected.get(each.labels()));
    }
  }

  private static Map<Long, Double> samples(List<Series> all, Labels labels) {
    Map<Long, Double> samples = new TreeMap<>();
    for (Series each : all) {
      if (each.labels().withoutMetric().equals(labels)) {
        for (int i = 0; i < each.size(); i++) {
          samples.put(each.times()[i], each.values()[i]);
        }
      }
    }
    return samples;
  }

  @Test
  void moreSamplesThanAllowedAreAnError() throws Exception {
    use("1", START + MINUTE, Amount.BUSY, 1);
    UsageSelection all = selection("job:gpu_seconds:total", START, START + HOUR);
    UsageSeries made = new UsageSeries(all, 239);
    UsagePeriod period = all.times().next(START, Long.MAX_VALUE).orElseThrow();
    assertThatThrownBy(() -> made.add(period, rows(period)))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("too many samples");
  }

  @Test
  void longTimesAreReadInPiecesOfWholeHours() throws Exception {
    UsageTimes times = selection("job:gpu_seconds:total", START + 90, START + 3 * DAY).times();
    List<UsagePeriod> periods = new ArrayList<>();
    for (long from = times.begin(); ; from = periods.getLast().to()) {
      Optional<UsagePeriod> next = times.next(from, Long.MAX_VALUE);
      if (next.isEmpty()) {
        break;
      }
      periods.add(next.get());
    }
    assertThat(periods).hasSize(3).allMatch(each -> each.intervals() == 24 * 60);
    assertThat(periods).allMatch(each -> each.to() - each.from() == DAY);
  }

  // --- selectors ---

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "job:gpu_seconds:total ; true",
        "{__name__='job:gpu_seconds:total'} ; true",
        "{__name__=~'job:gpu_seconds:total|job:gpu_energy_joules:total'} ; true",
        "{__name__=~'job:gpu_seconds:total|other', class!='busy'} ; true",
        "{__name__=~'job:gpu_seconds:total', __name__!='job:gpu_seconds:total'} ; false",
        "{__name__=~'job:.*'} ; false",
        "{__name__=~'.+', hpc_job='1'} ; false",
        "{hpc_job='1'} ; false",
        "job:gpu_seconds ; false"
      })
  void aSelectorHasToNameASeries(String selector, boolean isMeant) throws Exception {
    assertThat(UsageSelector.of(Parser.parseSelector(selector)).isPresent()).isEqualTo(isMeant);
  }

  @Test
  void matchersOfTheClassAreOfSeriesAndOthersOfRows() throws Exception {
    UsageSelector selector =
        UsageSelector.of(
                Parser.parseSelector(
                    "{__name__=~'job:gpu_seconds:total|x', class=~'idle|unknown', rack='r1'}"))
            .orElseThrow();
    assertThat(selector.rows()).containsExactly(Matcher.equal("rack", "r1"));
    assertThat(selector.isAlone()).isFalse();
    assertThat(selector.metrics()).containsExactly(UsageMetric.GPU_SECONDS);
    assertThat(selector.isMeant("idle")).isTrue();
    assertThat(selector.isMeant("busy")).isFalse();
    assertThat(selector.isMeant("")).isFalse();
  }

  @Test
  void usageIsCountedFromTheMetricsThatAScopeAllows() throws Exception {
    List<Matcher> scope = Parser.parseSelector("{__name__!~'.*_POWER_.*', tenant='a'}");
    List<Matcher> matchers = new ArrayList<>(scope);
    matchers.addAll(Parser.parseSelector("job:gpu_energy_joules:total{class=''}"));
    assertThat(UsageSelector.of(matchers).orElseThrow().rows()).isEqualTo(scope);
  }
}
