package io.fleetgauge.query.faults.episode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fleetgauge.query.faults.detect.Finding;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class LemonsTest {
  private static final long DAY = 86_400_000;
  private static final long START = 20_000 * DAY;
  private final Lemons lemons = new Lemons();

  private static Episode episode(FaultKind kind, String host, String uuid, double days) {
    long time = START + Math.round(days * DAY);
    Subject subject = new Subject(host, uuid, "", "", Labels.of("gpu", "3", "rack", "r1"));
    return new EpisodeTrack(Thresholds.defaults())
        .at(time, List.of(Finding.of(kind, subject, time, "", "text")))
        .getFirst();
  }

  private double score(String host, String uuid, double days) {
    return lemons.at(START + Math.round(days * DAY)).stream()
        .filter(each -> each.host().equals(host) && each.uuid().equals(uuid))
        .mapToDouble(Lemons.Lemon::score)
        .sum();
  }

  @Test
  void anEpisodeCountsForItsGpuAndItsHost() {
    lemons.add(episode(FaultKind.GPU_LOST, "h1", "GPU-1", 0));
    assertThat(score("h1", "GPU-1", 0)).isEqualTo(10);
    assertThat(score("h1", "", 0)).isEqualTo(10);
    assertThat(lemons.at(START).getLast().labels().value("rack")).isEqualTo("r1");
  }

  @Test
  void halfOfAScoreIsGoneAfterAWeek() {
    lemons.add(episode(FaultKind.GPU_LOST, "h1", "GPU-1", 0));
    assertThat(score("h1", "GPU-1", 7)).isCloseTo(5, within(1e-9));
    assertThat(score("h1", "GPU-1", 28)).isCloseTo(10 / 16.0, within(1e-9));
    assertThat(score("h1", "GPU-1", 100)).isZero();
  }

  @Test
  void aScoreGoesOnFromTheOneThatWasStored() {
    lemons.add(episode(FaultKind.GPU_LOST, "h1", "GPU-1", 0));
    Lemons next = new Lemons();
    next.restore("h1", "GPU-1", Labels.EMPTY, score("h1", "GPU-1", 3), START + 3 * DAY);
    assertThat(next.at(START + 7 * DAY).getFirst().score()).isCloseTo(5, within(1e-9));
  }

  @Test
  void theSameFaultAgainAddsLessThanAnotherOne() {
    lemons.add(episode(FaultKind.GPU_LOST, "h1", "GPU-1", 0));
    lemons.add(episode(FaultKind.GPU_LOST, "h1", "GPU-1", 0.01));
    lemons.add(episode(FaultKind.GPU_LOST, "h2", "GPU-2", 0));
    lemons.add(episode(FaultKind.NVLINK_DOWN, "h2", "GPU-2", 0.01));
    assertThat(score("h1", "GPU-1", 0.01)).isGreaterThan(12).isLessThan(score("h2", "GPU-2", 0.01));
  }

  @Test
  void repeatedOffendersAreListedTheWorstFirst() {
    lemons.add(episode(FaultKind.GPU_LOST, "h1", "GPU-1", 0));
    lemons.add(episode(FaultKind.GPU_LOST, "h2", "GPU-2", 0));
    lemons.add(episode(FaultKind.GPU_LOST, "h2", "GPU-2", 2));
    lemons.add(episode(FaultKind.ECC_STORM, "h2", "GPU-2", 3));
    assertThat(lemons.repeated(START + 3 * DAY)).extracting(Lemons.Lemon::host).containsOnly("h2");
    assertThat(lemons.repeated(START + 3 * DAY).getFirst().episodes()).isEqualTo(3);
  }

  @Test
  void whatApplicationsDoToAnyGpuDoesNotCount() {
    lemons.add(episode(FaultKind.XID_APPLICATION, "h1", "GPU-1", 0));
    lemons.add(episode(FaultKind.IDLE_ALLOCATION, "h1", "GPU-1", 0));
    assertThat(lemons.at(START)).isEmpty();
  }

  @Test
  void theFirstSuspectOfAJobsFaultCountsALittle() {
    Subject job = new Subject("", "", "", "j", Labels.EMPTY);
    Episode hang =
        new EpisodeTrack(Thresholds.defaults())
            .at(START, List.of(Finding.of(FaultKind.HANG, job, START, "", "text")))
            .getFirst()
            .related(List.of(new Suspect("h1", "GPU-1", 3, "missing")), "", List.of(), false);
    lemons.add(hang);
    assertThat(score("h1", "GPU-1", 0)).isEqualTo(2);
  }

  @Test
  void whatIsInShadowModeDoesNotCount() {
    Episode lost = episode(FaultKind.GPU_LOST, "h1", "GPU-1", 0);
    lemons.add(lost.related(List.of(), "", List.of(), true));
    assertThat(lemons.at(START)).isEmpty();
  }
}
