package io.fleetgauge.query.faults.episode;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.faults.detect.Finding;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EpisodeTrackTest {
  private static final Subject GPU =
      new Subject("h1", "GPU-1", "", "", Labels.of("gpu", "0", "rack", "r1"));
  private static final long STEP = 15_000;
  private final EpisodeTrack track = new EpisodeTrack(Thresholds.defaults());

  private static Finding finding(FaultKind kind, long since, String cause) {
    return Finding.of(kind, GPU, since * STEP, cause, "text");
  }

  private static Finding proven(long since, int count) {
    return new Finding(
        FaultKind.GPU_LOST,
        GPU,
        since * STEP,
        Optional.of(Severity.WARNING),
        "ras",
        true,
        count,
        "proven",
        List.of(),
        List.of());
  }

  private List<Episode> at(long step, Finding... findings) {
    return track.at(step * STEP, List.of(findings));
  }

  @Test
  void whileItsSignLastsThereIsOneEpisode() {
    String id = at(10, finding(FaultKind.GPU_LOST, 8, "")).getFirst().id();
    Episode now = at(11, finding(FaultKind.GPU_LOST, 9, "")).getFirst();
    assertThat(now.id()).isEqualTo(id);
    assertThat(now.since()).isEqualTo(8 * STEP);
    assertThat(now.foundAt()).isEqualTo(10 * STEP);
    assertThat(now.lastSeen()).isEqualTo(11 * STEP);
    assertThat(track.open()).containsExactly(now);
  }

  @Test
  void itIsOverWhenItsSignHasBeenMissingForLongEnough() {
    at(10, finding(FaultKind.GPU_LOST, 10, ""));
    assertThat(at(11)).isEmpty();
    Episode over = at(12).getFirst();
    assertThat(over.over()).hasValue(10 * STEP);
    assertThat(over.overReason()).isEqualTo("its sign has been missing for 30 s");
    assertThat(track.open()).isEmpty();
    assertThat(at(13)).isEmpty();
  }

  @Test
  void twoDetectorsThatFindTheSameMakeOneEpisodeAndTheProvenOneCounts() {
    Episode one = at(10, finding(FaultKind.GPU_LOST, 8, ""), proven(9, 1)).getFirst();
    assertThat(track.open()).hasSize(1);
    assertThat(one.cause()).isEqualTo("ras");
    Episode weaker = at(11, finding(FaultKind.GPU_LOST, 8, "")).getFirst();
    assertThat(weaker.proven()).isTrue();
    assertThat(weaker.cause()).isEqualTo("ras");
    assertThat(weaker.severity()).isEqualTo(Severity.WARNING);
    assertThat(weaker.text()).isEqualTo("proven");
  }

  @Test
  void xidsAreToldApartByTheirCode() {
    at(10, finding(FaultKind.XID, 10, "79"), finding(FaultKind.XID, 10, "48"));
    assertThat(track.open()).hasSize(2);
    assertThat(track.open()).extracting(Episode::id).doesNotHaveDuplicates();
  }

  @Test
  void eventsAreCountedOnceEvenIfTheirTimesAreLookedAtAgain() {
    at(10, proven(10, 2));
    Episode before = at(11, proven(10, 3)).getFirst();
    assertThat(before.count()).isEqualTo(5);
    EpisodeTrack next = new EpisodeTrack(Thresholds.defaults());
    next.restore(List.of(before));
    assertThat(next.at(11 * STEP, List.of(proven(11, 3))).getFirst().count()).isEqualTo(5);
    assertThat(next.at(12 * STEP, List.of(proven(12, 3))).getFirst().count()).isEqualTo(8);
  }

  @Test
  void whatIsSeenAfterALongSilenceIsAnotherFaultUnlessItHasLastedSince() {
    at(10, finding(FaultKind.GPU_LOST, 10, ""));
    assertThat(at(1_000, finding(FaultKind.GPU_LOST, 10, ""))).hasSize(1);
    assertThat(track.open().getFirst().since()).isEqualTo(10 * STEP);
    List<Episode> changed = at(2_000, finding(FaultKind.GPU_LOST, 2_000, ""));
    assertThat(changed).extracting(Episode::isOpen).containsExactly(false, true);
    assertThat(track.open().getFirst().since()).isEqualTo(2_000 * STEP);
  }

  @Test
  void aCopyGoesOnByItself() {
    at(10, finding(FaultKind.GPU_LOST, 10, ""));
    EpisodeTrack copy = track.copy();
    assertThat(copy.end(11 * STEP, "the job has ended")).hasSize(1);
    assertThat(copy.open()).isEmpty();
    assertThat(track.open()).hasSize(1);
  }

  @Test
  void whoeverFindsAFaultGivesItTheSameIdentity() {
    String id = at(10, finding(FaultKind.XID, 8, "79")).getFirst().id();
    assertThat(id).isEqualTo("19700101T000200Z-xid79-h1-gpu0");
    assertThat(
            new EpisodeTrack(Thresholds.defaults())
                .at(12 * STEP, List.of(finding(FaultKind.XID, 8, "79")))
                .getFirst()
                .id())
        .isEqualTo(id);
  }
}
