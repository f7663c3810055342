package io.fleetgauge.query.faults.running;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.query.faults.engine.FaultEngine;
import io.fleetgauge.query.faults.record.FaultSeries;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.gpu.OwnerLabels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What steps store and tell, of hosts with one GPU each that is lost or not. */
class EvaluationTest {
  private static final long STEP = 15_000;

  /** A full hour. */
  private static final long BEGIN = 1_795_298_400_000L;

  /** All that was stored. */
  private final Map<Labels, TreeMap<Long, Double>> stored = new HashMap<>();

  private final List<String> news = new ArrayList<>();
  private Evaluation evaluation;
  private Evaluation.Outcome last;
  private long now = BEGIN + STEP;

  @BeforeEach
  void begin() {
    evaluation = evaluation(new Stored(List.of(), Map.of(), Set.of(), OptionalLong.empty()));
  }

  private Evaluation evaluation(Stored from) {
    FaultEngine engine = new FaultEngine(Thresholds.defaults(), OwnerLabels.KNOWN);
    return new Evaluation(engine, STEP, from, now);
  }

  /**
   * What a host sends at a time.
   *
   * @param tenant empty for no job
   */
  private static List<Series> sent(String host, long time, String tenant, boolean isLost) {
    Labels gpu = Labels.of("Hostname", host, "UUID", "GPU-" + host, "gpu", "0", "tenant", tenant);
    gpu = tenant.isEmpty() ? gpu : gpu.with("job", "j");
    return List.of(
        new Series(
            gpu.with(Labels.NAME, "gpu_lost"), new long[] {time}, new double[] {isLost ? 1 : 0}),
        new Series(
            gpu.with(Labels.NAME, "DCGM_FI_DEV_POWER_USAGE"),
            new long[] {time},
            new double[] {500}));
  }

  /** Goes on by a step, at which h1 sends. */
  private void step(boolean isLost) {
    now += STEP;
    step(Map.of("h1", sent("h1", now - 1_000, "a", isLost)), Set.of());
  }

  private void step(Map<String, List<Series>> hosts, Set<String> missing) {
    last = evaluation.step(hosts, Long.MIN_VALUE, now, true, missing);
    for (DerivedSample each : last.samples()) {
      stored.computeIfAbsent(each.labels(), none -> new TreeMap<>()).put(each.time(), each.value());
    }
    for (FaultNews each : last.news()) {
      news.add(each.episode().kind().text() + (each.episode().isOpen() ? " open" : " over"));
    }
  }

  /** The last step's samples of a metric, with their values. */
  private List<Double> samples(String metric) {
    return last.samples().stream()
        .filter(each -> each.labels().metric().equals(metric))
        .map(DerivedSample::value)
        .toList();
  }

  private Stored restored() {
    List<List<Series>> read = new ArrayList<>();
    for (String metric :
        List.of(
            FaultSeries.EPISODE, FaultSeries.TOTAL, FaultSeries.DELIVERED, FaultSeries.EVALUATED)) {
      List<Series> all = new ArrayList<>();
      stored.forEach(
          (labels, samples) -> {
            if (labels.metric().equals(metric)) {
              long[] times = samples.keySet().stream().mapToLong(each -> each).toArray();
              double[] values = samples.values().stream().mapToDouble(each -> each).toArray();
              all.add(new Series(labels, times, values));
            }
          });
      read.add(all);
    }
    return Restoration.stored(read);
  }

  @Test
  void aFaultIsStoredWhenItBeginsAndCountedFromZeroOn() {
    step(false);
    assertThat(news).isEmpty();
    assertThat(samples(FaultSeries.EVALUATED)).containsExactly(now / 1e3);
    step(true);
    assertThat(news).containsExactly("gpu_lost open");
    assertThat(last.open()).containsExactly(Map.entry("gpu_lost", 1L));
    assertThat(samples(FaultSeries.ACTIVE)).containsExactly(1.0);
    assertThat(samples(FaultSeries.EPISODE)).containsExactly(1.0);
    assertThat(last.samples())
        .filteredOn(each -> each.labels().metric().equals(FaultSeries.TOTAL))
        .extracting(each -> (now - each.time()) / STEP + ": " + each.value())
        .containsExactly("1: 0.0", "0: 1.0");
  }

  @Test
  void anOpenFaultIsActiveAtEachStepAndStoredAgainEachHour() {
    step(true);
    int again = 0;
    for (long end = now + Evaluation.AGAIN_MILLIS; now < end; ) {
      step(true);
      assertThat(samples(FaultSeries.ACTIVE)).containsExactly(1.0);
      again += samples(FaultSeries.EPISODE).size();
    }
    assertThat(again).isOne();
    assertThat(news).containsExactly("gpu_lost open");
  }

  @Test
  void aFaultThatIsOverEndsItsSeriesAndIsToldOnce() {
    step(true);
    for (int i = 0; i < 10; i++) {
      step(false);
      if (last.open().isEmpty() && news.size() == 2 && !last.news().isEmpty()) {
        assertThat(samples(FaultSeries.ACTIVE)).hasSize(1).allMatch(Staleness::isMarker);
        assertThat(samples(FaultSeries.EPISODE)).hasSize(2).contains(0.0);
      }
    }
    assertThat(news).containsExactly("gpu_lost open", "gpu_lost over");
    assertThat(samples(FaultSeries.ACTIVE)).isEmpty();
    assertThat(restored().episodes()).hasSize(1);
    assertThat(restored().episodes().getFirst().episode().isOpen()).isFalse();
    assertThat(restored().totals().values()).containsExactly(1L);
  }

  @Test
  void whoTakesOverTellsAndCountsNothingAgainAndEndsTheEpisodeOnce() {
    step(true);
    String id = last.news().getFirst().episode().id();
    for (int i = 0; i < 5; i++) {
      step(true);
    }
    evaluation = evaluation(restored());
    for (int i = 0; i < 5; i++) {
      step(true);
      assertThat(samples(FaultSeries.ACTIVE)).containsExactly(1.0);
    }
    assertThat(news).containsExactly("gpu_lost open");
    for (int i = 0; i < 5; i++) {
      step(false);
    }
    assertThat(news).containsExactly("gpu_lost open", "gpu_lost over");
    assertThat(restored().episodes()).hasSize(1);
    assertThat(restored().episodes().getFirst().episode().id()).isEqualTo(id);
    assertThat(restored().totals().values()).containsExactly(1L);
  }

  @Test
  void aFaultThatEndedWhileNobodyLookedIsToldAsOver() {
    step(true);
    Stored before = restored();
    now += 4 * STEP;
    evaluation = evaluation(before);
    for (int i = 0; i < 5; i++) {
      step(false);
    }
    assertThat(news).containsExactly("gpu_lost open", "gpu_lost over");
  }

  @Test
  void aHostThatCannotBeReadIsNotSilent() {
    step(false);
    for (int i = 0; i < 6; i++) {
      now += STEP;
      step(Map.of(), Set.of("h1"));
      assertThat(last.open()).isEmpty();
    }
    now += STEP;
    step(Map.of(), Set.of());
    assertThat(news).containsExactly("host_silent open");
  }

  @Test
  void anEpisodeOfAHostHasTheLabelsThatAllItsJobsShare() {
    step(false);
    evaluation.expect(Map.of("h1", Labels.EMPTY, "h2", Labels.EMPTY));
    for (int i = 0; i < 6; i++) {
      now += STEP;
      step(Map.of(), Set.of());
    }
    assertThat(restored().episodes())
        .extracting(each -> each.home() + " " + each.labels().value("tenant"))
        .containsExactlyInAnyOrder("h1 a", "h2 ");
  }

  @Test
  void verdictsOnJobsAreStoredEachMinuteAndEndWithTheJob() {
    int times = 0;
    for (int i = 0; i < 8; i++) {
      step(false);
      if (now % 60_000 == 0) {
        times++;
        assertThat(last.samples())
            .filteredOn(each -> each.labels().metric().equals(FaultSeries.VERDICT))
            .allSatisfy(each -> assertThat(each.labels().value("tenant")).isEqualTo("a"))
            .extracting(each -> each.labels().value("kind"))
            .contains("hang", "straggler");
      } else {
        assertThat(samples(FaultSeries.VERDICT)).isEmpty();
      }
    }
    assertThat(times).isEqualTo(2);
    for (int i = 0; i < 12; i++) {
      now += STEP;
      step(Map.of("h1", sent("h1", now - 1_000, "", false)), Set.of());
    }
    assertThat(stored.keySet()).anyMatch(each -> each.metric().equals(FaultSeries.VERDICT));
    stored.forEach(
        (labels, samples) -> {
          if (labels.metric().equals(FaultSeries.VERDICT)) {
            assertThat(Staleness.isMarker(samples.lastEntry().getValue())).isTrue();
          }
        });
  }

  @Test
  void totalsAndScoresAreStoredEachMinute() {
    step(true);
    for (int i = 0; i < 8; i++) {
      step(true);
      boolean isMinute = now % 60_000 == 0;
      assertThat(samples(FaultSeries.TOTAL)).hasSize(isMinute ? 1 : 0);
      assertThat(samples(FaultSeries.LEMON)).hasSize(isMinute ? 2 : 0);
    }
  }

  @Test
  void theHomeOfAJobIsAHostOfItsOwnTenant() {
    GpuOwners owners = new GpuOwners();
    owners.take("h1", sent("h1", now, "a", false));
    owners.take("h2", sent("h2", now, "b", false));
    assertThat(owners.firstHost("j", Labels.of("tenant", "a"))).isEqualTo("h1");
    assertThat(owners.firstHost("j", Labels.of("tenant", "b"))).isEqualTo("h2");
    assertThat(owners.firstHost("j", Labels.of("tenant", "c"))).isEmpty();
  }
}
