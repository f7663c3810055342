package io.fleetgauge.probe.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.relabel.Relabelling;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TickAssemblyTest {
  private static final double ENDED = -1;

  private final TickAssembly assembly =
      new TickAssembly(
          new NodeLabels(
              Labels.of("Hostname", "n1", "rack", "r1", "job", "idle"), Relabelling.NONE));
  private final TickAssembly.Part gpus = new TickAssembly.Part();
  private final TickAssembly.Part host = new TickAssembly.Part();

  @Test
  void everySeriesCarriesTheNodesLabelsButKeepsItsOwn() {
    assembly.read(gpus, readings("a", "train"));
    Tick tick = assembly.at(5);
    assertThat(tick.time()).isEqualTo(5);
    assertThat(tick.series())
        .containsExactly(
            Labels.of(Labels.NAME, "a", "Hostname", "n1", "rack", "r1", "job", "train"));
  }

  @Test
  void aSeriesThatIsGoneIsMarkedOnceInTheNextTick() {
    assertThat(tick("j1")).isEqualTo(Map.of("j1", 1.0));
    assertThat(tick("j2")).isEqualTo(Map.of("j1", ENDED, "j2", 1.0));
    assertThat(tick("j2")).isEqualTo(Map.of("j2", 1.0));
    assertThat(tick()).isEqualTo(Map.of("j2", ENDED));
    assertThat(tick()).isEmpty();
    assertThat(tick("j1")).isEqualTo(Map.of("j1", 1.0));
  }

  @Test
  void aPartThatIsNotReadNeitherRepeatsNorEndsItsSeries() {
    assembly.read(host, readings("load", "h"));
    assertThat(tick("j1")).isEqualTo(Map.of("h", 1.0, "j1", 1.0));
    assertThat(tick("j2")).isEqualTo(Map.of("j1", ENDED, "j2", 1.0));
    assembly.again(host);
    assertThat(tick("j2")).isEqualTo(Map.of("h", 1.0, "j2", 1.0));
    assembly.read(host, readings("load"));
    assertThat(tick("j2")).isEqualTo(Map.of("h", ENDED, "j2", 1.0));
  }

  @Test
  void aReadingThatComesTwiceCountsOnce() {
    Tick.Builder twice = new Tick.Builder();
    twice.add(Labels.of(Labels.NAME, "a"), 1).add(Labels.of(Labels.NAME, "a"), 2);
    assembly.read(gpus, twice.at(1));
    assertThat(assembly.at(1).values()).containsExactly(1);
    assertThat(assembly.leftOut()).isEqualTo(1);
  }

  @Test
  void aSeriesOfTwoPartsIsTheFirstOnesUntilThatEndsIt() {
    assembly.read(gpus, readings(7, "a", "x"));
    assembly.read(host, readings(8, "a", "x"));
    assertThat(byJob(assembly.at(1))).isEqualTo(Map.of("x", 7.0));
    assembly.read(gpus, readings(7, "a"));
    assembly.read(host, readings(8, "a", "x"));
    assertThat(byJob(assembly.at(2))).isEqualTo(Map.of("x", 8.0));
    assembly.read(gpus, readings(7, "a", "x"));
    assertThat(byJob(assembly.at(3))).isEmpty();
  }

  @Test
  void histogramsTravelWithTheirSeries() {
    Histogram histogram =
        new Histogram(
            0,
            Histogram.ResetHint.UNKNOWN,
            1,
            1,
            0.25,
            1,
            new Histogram.Buckets(new int[] {}, new double[] {}),
            new Histogram.Buckets(new int[] {}, new double[] {}),
            new double[0]);
    assembly.read(host, readings("load", "h"));
    assembly.read(gpus, new Tick.Builder().add(Labels.of(Labels.NAME, "a"), histogram).at(1));
    Tick tick = assembly.at(1);
    assertThat(tick.histograms()).containsExactly(null, histogram);
    assertThat(tick.series().get(1).metric()).isEqualTo("a");
  }

  @Test
  void whateverComesEachTickEndsWhatWasThereAndIsNotAnyMore() {
    SplittableRandom random = new SplittableRandom(7);
    TickAssembly.Part[] parts = {gpus, host, new TickAssembly.Part()};
    Map<String, Double> alive = new TreeMap<>();
    for (int time = 1; time < 20_000; time++) {
      Map<String, Double> wanted = new TreeMap<>(alive);
      for (int p = 0; p < parts.length; p++) {
        String prefix = "p" + p;
        if (random.nextInt(3) > 0) {
          wanted.keySet().removeIf(job -> job.startsWith(prefix));
          Tick.Builder readings = new Tick.Builder();
          for (int i = 0; i < 5; i++) {
            if (random.nextBoolean()) {
              readings.add(Labels.of(Labels.NAME, "a", "job", prefix + i), time);
              wanted.put(prefix + i, (double) time);
            }
          }
          assembly.read(parts[p], readings.at(time));
        }
      }
      Map<String, Double> tick = byJob(assembly.at(time));
      for (var sample : tick.entrySet()) {
        if (sample.getValue() == ENDED) {
          assertThat(alive.remove(sample.getKey())).as("%s at %s", sample, time).isNotNull();
        } else {
          alive.put(sample.getKey(), sample.getValue());
        }
      }
      assertThat(alive).as("at %s", time).isEqualTo(wanted);
    }
  }

  private Map<String, Double> tick(String... jobs) {
    assembly.read(gpus, readings("a", jobs));
    return byJob(assembly.at(1));
  }

  private static Tick readings(String name, String... jobs) {
    return readings(1, name, jobs);
  }

  private static Tick readings(double value, String name, String... jobs) {
    Tick.Builder readings = new Tick.Builder();
    for (String job : jobs) {
      readings.add(Labels.of(Labels.NAME, name, "job", job), value);
    }
    return readings.at(0);
  }

  private static Map<String, Double> byJob(Tick tick) {
    Map<String, Double> values = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      double value = tick.values()[i];
      String job = tick.series().get(i).value("job");
      assertThat(values.put(job, Staleness.isMarker(value) ? ENDED : value)).as(job).isNull();
    }
    return values;
  }
}
