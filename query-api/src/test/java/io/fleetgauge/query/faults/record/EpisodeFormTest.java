package io.fleetgauge.query.faults.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.faults.detect.Evidence;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Episodes as JSON, and as they are read of stored series. */
class EpisodeFormTest {
  private static final Subject SUBJECT =
      new Subject("h1", "GPU-1", "3", "", Labels.of("gpu", "0", "job", "train", "rack", "r1"));

  private static Episode episode(OptionalLong over, List<Evidence> evidence) {
    return new Episode(
        "e1",
        FaultKind.NVLINK_DOWN,
        Severity.CRITICAL,
        SUBJECT,
        "down",
        true,
        1_000,
        16_000,
        31_000,
        over,
        over.isPresent() ? "it is up again" : "",
        3,
        "link 3 is \"down\"",
        evidence,
        List.of(new Suspect("h1", "GPU-1", -1, "its link")),
        "gpu_lost on h1",
        List.of("e0"),
        true);
  }

  @Test
  void anEpisodeThatIsReadIsTheOneThatWasWritten() {
    List<Evidence> evidence = List.of(new Evidence("links, number", Double.NaN, 17.5));
    for (OptionalLong over : List.of(OptionalLong.empty(), OptionalLong.of(46_000))) {
      Episode of = episode(over, evidence);
      Episode read = EpisodeForm.read(EpisodeForm.write(of)).orElseThrow();
      assertThat(read).isEqualTo(of);
      assertThat(read.subject().labels()).isEqualTo(SUBJECT.labels());
    }
  }

  @Test
  void evidenceIsLeftOutOfWhatIsLongerThanALabel() {
    List<Evidence> many = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      many.add(new Evidence("reading é number " + i, i, -i));
    }
    String text = EpisodeForm.write(episode(OptionalLong.empty(), many));
    assertThat(text.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(16_384);
    Episode read = EpisodeForm.read(text).orElseThrow();
    assertThat(read.evidence()).isNotEmpty().isEqualTo(many.subList(0, read.evidence().size()));
    assertThat(read.suspects()).hasSize(1);
    assertThat(EpisodeForm.write(read)).isEqualTo(text);
  }

  @Test
  void whatIsNoEpisodeIsNone() {
    for (String text : List.of("", "{", "{}", "[1]", "{\"kind\":\"unknown\",\"since\":1}")) {
      assertThat(EpisodeForm.read(text)).isEmpty();
    }
  }

  private static Series series(Episode of, double value, long... times) {
    double[] values = new double[times.length];
    Arrays.fill(values, value);
    return new Series(FaultSeries.episode(of, "h1"), times, values);
  }

  @Test
  void theNewestVersionOfAnEpisodeCounts() {
    Episode open = episode(OptionalLong.empty(), List.of());
    Episode over = episode(OptionalLong.of(46_000), List.of());
    List<StoredEpisode> stored =
        StoredEpisode.of(List.of(series(over, 0, 60_000), series(open, 1, 16_000, 31_000)));
    assertThat(stored).hasSize(1);
    assertThat(stored.getFirst().episode()).isEqualTo(over);
    assertThat(stored.getFirst().home()).isEqualTo("h1");
    assertThat(StoredEpisode.of(List.of(series(open, 1, 16_000, 31_000))).getFirst().told())
        .isEqualTo(16_000);
  }
}
