package io.fleetgauge.query.faults.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Episodes of a job as they are told while it is looked at again. */
class ToldEpisodesTest {
  private static final String JOB = "train";

  private final ToldEpisodes told = new ToldEpisodes();
  private final Map<String, String> renamed = new HashMap<>();

  private static Episode hang(long since) {
    return new Episode(
        "hang-" + since,
        FaultKind.HANG,
        Severity.CRITICAL,
        new Subject("", "", "", JOB, Labels.of("job", JOB)),
        "collective",
        true,
        since,
        since + 30_000,
        since + 30_000,
        OptionalLong.empty(),
        "",
        0,
        "",
        List.of(),
        List.of(),
        "",
        List.of(),
        false);
  }

  private void take(long time, boolean isCatchingUp, Episode... episodes) {
    told.takeAll(JOB, List.of(episodes), time, !isCatchingUp, isCatchingUp, renamed::put);
  }

  @Test
  void anEpisodeThatEndsAndGoesOnKeepsTheIdentityThatWasTold() {
    take(60_000, false, hang(30_000));
    assertThat(told.changes(60_000)).hasSize(1);
    Episode earlier = hang(15_000);
    take(120_000, false, earlier.over(45_000, "not seen"), earlier);
    assertThat(told.open()).extracting(Episode::id).containsExactly("hang-30000");
    assertThat(told.entries()).hasSize(1);
    assertThat(renamed).containsExactly(Map.entry("hang-15000", "hang-30000"));
    assertThat(told.changes(120_000))
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.isOpen()).isTrue();
              assertThat(each.since()).isEqualTo(15_000);
            });
  }

  @Test
  void nothingEndsWhileLateSamplesComeAndSomeAreMissing() {
    take(60_000, false, hang(30_000));
    told.changes(60_000);
    take(75_000, true, hang(30_000).over(45_000, "not seen"));
    assertThat(told.changes(75_000)).isEmpty();
    take(90_000, false, hang(30_000).over(45_000, "not seen"));
    assertThat(told.changes(90_000)).singleElement().matches(each -> !each.isOpen());
  }
}
