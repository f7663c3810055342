package io.fleetgauge.gateway.ingest.host;

import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.HOST;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.holders;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.fleetgauge.gateway.store.read.SelectionReader;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What gateway g1 writes of a host whose probe sends nothing any more. */
class SilentProbeTest {
  private static final long TICK = 15_000;
  private static final long START = 900_000;

  private final ManualEnvironment environment = new ManualEnvironment("g1", 1);
  private final HostIntake host = environment.host();
  private final FrameEncoder run = new FrameEncoder(HOST, 7);

  @BeforeEach
  void own() {
    environment.table(3, holders("g1", 3));
  }

  /** Tick number {@code i}: core series, one of each second tick, and one of each 16th. */
  private static Tick tick(long i, boolean isProbe) {
    long time = START + i * TICK;
    Tick.Builder tick = new Tick.Builder();
    tick.add(series("up"), 1);
    tick.add(series(isProbe ? SyntheticTicks.TICK : "other"), TICK / 1000.0);
    tick.add(series("power"), i);
    if (i % 2 == 0) {
      tick.add(series("fan"), i);
    }
    if (i % 4 == 0) {
      tick.add(series("up").with("job", "bmc"), 1);
    }
    if (i % 16 == 0) {
      tick.add(series("driver"), i);
    }
    return tick.at(time);
  }

  private static Labels series(String metric) {
    return Labels.of(Labels.NAME, metric, "Hostname", HOST);
  }

  private static String name(Labels series) {
    String job = series.value("job");
    return series.metric() + (job.isEmpty() ? "" : " of " + job);
  }

  private void send(long i, boolean isProbe) {
    host.take(run.encode(tick(i, isProbe)), 0, answer -> {});
    look();
  }

  private void look() {
    host.timePassed();
    while (!environment.journal.isEmpty()) {
      environment.journalWrites(true);
    }
  }

  /** Time passes without a sample. */
  private void silent(long millis) {
    for (long passed = 0; passed < millis; passed += 250) {
      environment.pass(250);
      look();
    }
  }

  private Map<String, Map<Long, Double>> samples() throws Exception {
    Map<String, Map<Long, Double>> samples = new TreeMap<>();
    SelectionReader reader = new SelectionReader(new Selection(List.of(), 0, Long.MAX_VALUE));
    reader.add(environment.lane(HOST).view());
    reader.read(
        Long.MAX_VALUE,
        incomplete -> {},
        (Series series) -> {
          Map<Long, Double> byTime = new TreeMap<>();
          for (int i = 0; i < series.size(); i++) {
            double value = series.values()[i];
            byTime.put((series.times()[i] - START) / TICK, Staleness.isMarker(value) ? -1 : value);
          }
          samples.put(name(series.labels()), byTime);
        });
    return samples;
  }

  @Test
  void itsSeriesEndAtTheSecondSampleThatDoesNotComeAndItIsDownFromThenOn() throws Exception {
    for (int i = 0; i <= 16; i++) {
      send(i, true);
      silent(TICK);
    }
    silent(10 * TICK);
    Map<String, Map<Long, Double>> samples = samples();
    assertThat(samples.get("power")).containsEntry(16L, 16.0).containsEntry(18L, -1.0).hasSize(18);
    assertThat(samples.get("fan")).containsEntry(16L, 16.0).containsEntry(20L, -1.0).hasSize(10);
    assertThat(samples.get("driver"))
        .as("the next one would not be due before queries have lost it")
        .isEqualTo(Map.of(0L, 0.0, 16L, 16.0));
    assertThat(samples.get("up"))
        .containsEntry(16L, 1.0)
        .doesNotContainKey(17L)
        .containsEntry(18L, 0.0)
        .containsEntry(26L, 0.0)
        .doesNotContainKey(27L);
    assertThat(samples.get("up of bmc"))
        .as("it would have been scraped at tick 20, 24 ...")
        .isEqualTo(Map.of(0L, 1.0, 4L, 1.0, 8L, 1.0, 12L, 1.0, 16L, 1.0, 24L, 0.0));
    assertThat(environment.lane(HOST).heard()).isEqualTo(START + 16 * TICK);
    assertThat(environment.counts().syntheticTicks.sum()).isEqualTo(9);
  }

  @Test
  void ofAHostWithoutAProbeNothingIsSupposed() throws Exception {
    for (int i = 0; i <= 4; i++) {
      send(i, false);
    }
    silent(20 * TICK);
    assertThat(samples().get("power")).hasSize(5);
    assertThat(samples().get("up")).hasSize(5);
  }

  /** Any sender of remote writes may send a series of this name. */
  @ParameterizedTest
  @ValueSource(
      doubles = {
        Double.POSITIVE_INFINITY,
        Double.NaN,
        Double.MAX_VALUE,
        9.3e15,
        3_600.001,
        0,
        Double.NEGATIVE_INFINITY
      })
  void aHostWhoseTickIsNoTimeBetweenTwoTicksHasNoProbe(double seconds) throws Exception {
    Tick.Builder tick = new Tick.Builder();
    tick.add(series(SyntheticTicks.TICK), seconds);
    tick.add(series("up"), 1);
    host.take(run.encode(tick.at(START)), 0, answer -> {});
    assertTimeoutPreemptively(Duration.ofMinutes(2), () -> silent(20 * TICK));
    assertThat(samples().get("up")).isEqualTo(Map.of(0L, 1.0));
    assertThat(environment.counts().syntheticTicks.sum()).isZero();
  }

  @Test
  void anHourIsTheLongestTickOfAProbe() throws Exception {
    Tick.Builder tick = new Tick.Builder();
    tick.add(series(SyntheticTicks.TICK), 3_600);
    tick.add(series("up"), 1);
    host.take(run.encode(tick.at(START)), 0, answer -> {});
    for (int hour = 0; hour < 20; hour++) {
      environment.pass(3_600_000);
      look();
    }
    assertThat(samples().get("up"))
        .as("no query would find one sample an hour")
        .isEqualTo(Map.of(0L, 1.0));
  }

  @Test
  void aGatewayThatTurnsBodiesAwayDoesNotSupposeThatNoneCome() throws Exception {
    for (int i = 0; i <= 4; i++) {
      send(i, true);
    }
    environment.isDiskFailing = true;
    silent(20 * TICK);
    assertThat(samples().get("up")).as("none came").hasSize(5);
    for (int i = 0; i < 50; i++) {
      host.take(run.encode(tick(5 + i, true)), 0, answer -> {});
      silent(TICK);
    }
    environment.isDiskFailing = false;
    host.timePassed();
    assertThat(samples().get("up")).hasSize(5);
  }

  /**
   * The ticks of a silence come at last, or some of them: it is as if they had always been here.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void nothingSupposedIsLeftWhereATrueSampleCame(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i <= 32; i++) {
      send(i, true);
      silent(TICK);
    }
    int back = 33 + random.nextInt(30);
    silent((back - 33) * TICK);
    List<Integer> spooled = new ArrayList<>();
    for (int i = 33; i <= back; i++) {
      spooled.add(i);
    }
    for (int i : spooled) {
      send(i, true);
      silent(random.nextInt(2) * 250);
    }
    for (int i = back + 1; i < back + 40; i++) {
      silent(TICK);
      send(i, true);
    }
    Map<String, Map<Long, Double>> samples = samples();
    Map<String, Map<Long, Double>> expected = new TreeMap<>();
    for (long i = 0; i < back + 40; i++) {
      Tick tick = tick(i, true);
      for (int at = 0; at < tick.size(); at++) {
        expected
            .computeIfAbsent(name(tick.series().get(at)), none -> new TreeMap<>())
            .put(i, tick.values()[at]);
      }
    }
    assertThat(samples).isEqualTo(expected);
  }
}
