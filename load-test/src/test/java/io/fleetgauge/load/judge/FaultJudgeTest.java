package io.fleetgauge.load.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.load.nodes.Trace;
import io.fleetgauge.load.nodes.TraceSpec;
import io.fleetgauge.sample.gpu.FaultKind;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The short form of {@code judge-faults}: some seeds, and laws on delay and takeover. */
class FaultJudgeTest {
  private static final long HOUR = 3_600_000;

  private static TraceSpec hangs() {
    return TraceSpec.of(2, 3, Duration.ofHours(3), FaultKind.HANG);
  }

  private static List<TracePlay.Told> play(
      TraceSpec spec, TracePlay.Delivery delivery, long takeover) throws InterruptedException {
    try (Trace trace = Trace.of(spec)) {
      return new TracePlay(trace).play(delivery, takeover, HOUR);
    }
  }

  /** Kind, place and times of episodes, without what is told of silent hosts. */
  private static Set<String> episodes(List<TracePlay.Told> told) {
    return told.stream()
        .map(TracePlay.Told::episode)
        .filter(each -> each.kind() != FaultKind.HOST_SILENT)
        .map(
            each ->
                each.kind().text()
                    + " "
                    + each.subject().job()
                    + each.subject().host()
                    + each.subject().uuid()
                    + each.subject().part()
                    + " "
                    + each.since()
                    + " "
                    + each.over())
        .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void noHealthyJobIsCalledHungOrSlow(long seed) throws InterruptedException {
    Scores scores = TraceJudge.judge(TraceSpec.healthy(seed, 4, Duration.ofHours(4)));
    assertThat(scores.healthyJobDays()).isPositive();
    assertThat(scores.falseAlarms()).as("%s", scores.remarks()).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      value = FaultKind.class,
      names = {"HOST_SILENT", "DRIVER_HANG", "GPU_LOST", "XID", "ECC_STORM", "NVLINK_DOWN", "HANG"})
  void everyFaultOfAKindIsFoundAndNothingElse(FaultKind kind) throws InterruptedException {
    Scores scores = TraceJudge.judge(TraceSpec.of(3, 3, Duration.ofHours(2), kind));
    assertThat(scores.found(kind)).isPositive();
    assertThat(scores.missed(kind)).as("%s", scores.remarks()).isZero();
    assertThat(scores.wrong(kind)).as("%s", scores.remarks()).isZero();
  }

  @Test
  void lateTicksOfAnHourGiveTheSameEpisodesAsNone() throws InterruptedException {
    Set<String> inTime = episodes(play(hangs(), TracePlay.Delivery.AT_ONCE, Long.MAX_VALUE));
    assertThat(inTime).isNotEmpty();
    long[] start = new long[1];
    String[] host = new String[1];
    try (Trace trace = Trace.of(hangs())) {
      start[0] = trace.start() + HOUR / 2;
      host[0] = trace.nodes().getFirst().hostname();
    }
    TracePlay.Delivery late =
        (name, time) ->
            name.equals(host[0]) && time > start[0] && time < start[0] + HOUR - 60_000
                ? start[0] + HOUR - 60_000
                : time;
    assertThat(episodes(play(hangs(), late, Long.MAX_VALUE))).isEqualTo(inTime);
  }

  @Test
  void aTakeoverInTheMiddleTellsNothingTwice() throws InterruptedException {
    List<TracePlay.Told> alone = play(hangs(), TracePlay.Delivery.AT_ONCE, Long.MAX_VALUE);
    long middle =
        alone.stream()
            .filter(each -> each.episode().kind() == FaultKind.HANG)
            .mapToLong(each -> each.toldAt() + 60_000)
            .findFirst()
            .orElseThrow();
    try (Trace trace = Trace.of(hangs())) {
      TracePlay play = new TracePlay(trace);
      List<TracePlay.Told> told = play.play(TracePlay.Delivery.AT_ONCE, middle, HOUR);
      assertThat(episodes(told)).isEqualTo(episodes(alone));
      assertThat(play.begun()).allSatisfy((id, times) -> assertThat(times).as(id).isEqualTo(1));
    }
  }
}
