package io.fleetgauge.query.faults.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.query.faults.detect.Finding;
import io.fleetgauge.query.faults.detect.HostDetector;
import io.fleetgauge.query.faults.detect.JobDetector;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.query.faults.detect.Verdict;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.JobStep;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The engine with detectors that see a fault where power is low. It has more than 600 lines because
 * each way in which samples can come is a law of its own.
 */
class FaultEngineTest {
  private static final long STEP = 15_000;
  private static final long HOUR = 3_600_000;
  private static final List<String> OWNERS = List.of("job", "tenant", "namespace");

  private final FaultEngine engine = engine(List.of());

  /** A GPU with less than 50 W is lost. */
  private static final class LostBelow50 implements HostDetector {
    private final Map<String, Long> since = new HashMap<>();

    @Override
    public void on(HostTick tick, Consumer<Finding> out) {
      for (GpuTick gpu : tick.gpus()) {
        if (gpu.get(Signal.POWER) < 50) {
          long from = since.computeIfAbsent(gpu.uuid(), none -> tick.time());
          out.accept(
              Finding.of(FaultKind.GPU_LOST, Subject.of(tick, gpu), from, "", "lost at " + from));
        } else {
          since.remove(gpu.uuid());
        }
      }
    }
  }

  /** A job of which all GPUs, or all that are fresh, have less than 100 W for four steps hangs. */
  private static final class HangBelow100 implements JobDetector {
    private final boolean isOfFresh;
    private long since;

    HangBelow100(boolean isOfFresh) {
      this.isOfFresh = isOfFresh;
    }

    @Override
    public void on(JobStep step, Consumer<Finding> out) {
      boolean isLow =
          step.gpus().stream()
              .allMatch(each -> each.fresh() ? each.gpu().get(Signal.POWER) < 100 : isOfFresh);
      if (!isLow) {
        since = 0;
        return;
      }
      since = since == 0 ? step.time() : since;
      if (step.time() - since >= 3 * STEP) {
        Subject job = new Subject("", "", "", step.job(), step.owner());
        out.accept(Finding.of(FaultKind.HANG, job, since, "power", "hangs since " + since));
      }
    }

    @Override
    public JobDetector copy() {
      HangBelow100 copy = new HangBelow100(isOfFresh);
      copy.since = since;
      return copy;
    }
  }

  private static FaultEngine engine(List<ShadowRule> shadows) {
    return new FaultEngine(
        Thresholds.defaults(),
        OWNERS,
        shadows,
        () -> List.of(new LostBelow50()),
        () -> List.of(new HangBelow100(false)));
  }

  /** Two hosts with a GPU each, of one job. */
  private static final class Play {
    final Map<Long, Map<String, Double>> watts = new TreeMap<>();

    /** Sets the power of a host from a tick on. */
    Play from(long step, String host, double value) {
      for (long time = step * STEP; time <= 2 * HOUR; time += STEP) {
        watts.computeIfAbsent(time, none -> new TreeMap<>()).put(host, value);
      }
      return this;
    }

    List<Series> at(String host, long time, String job) {
      return List.of(power(host, time, watts.get(time).get(host), job));
    }
  }

  private static Series power(String host, long time, double watts, String job) {
    return new Series(
        Labels.of(
            Labels.NAME,
            "DCGM_FI_DEV_POWER_USAGE",
            "Hostname",
            host,
            "UUID",
            "GPU-" + host,
            "gpu",
            "0",
            "job",
            job,
            "tenant",
            job.isEmpty() ? "" : "t"),
        new long[] {time},
        new double[] {watts});
  }

  /** Plays steps from one to another; hosts that are late send from {@code until} on. */
  private static void play(
      FaultEngine engine, Play play, long from, long to, Set<String> late, long until) {
    for (long step = from; step <= to; step++) {
      for (String host : List.of("h1", "h2")) {
        if (late.contains(host) && step < until) {
          continue;
        }
        if (late.contains(host) && step == until) {
          for (long missed = from; missed < until; missed++) {
            engine.feed(host, play.at(host, missed * STEP, "j"));
          }
        }
        engine.feed(host, play.at(host, step * STEP, "j"));
      }
      engine.at(step * STEP);
    }
  }

  private static List<String> told(List<Episode> episodes) {
    return episodes.stream()
        .map(
            each ->
                each.kind().text()
                    + " "
                    + each.subject().job()
                    + each.subject().host()
                    + " "
                    + each.since() / STEP
                    + (each.isOpen() ? "" : "-" + each.over().getAsLong() / STEP))
        .toList();
  }

  @Test
  void aFaultOfAHostIsToldWhenItBeginsAndWhenItIsOver() {
    Play play =
        new Play().from(1, "h1", 500).from(1, "h2", 500).from(5, "h1", 10).from(9, "h1", 500);
    play(engine, play, 1, 5, Set.of(), 0);
    assertThat(told(engine.changes())).containsExactly("gpu_lost h1 5");
    play(engine, play, 6, 8, Set.of(), 0);
    assertThat(engine.changes()).isEmpty();
    assertThat(told(engine.open())).containsExactly("gpu_lost h1 5");
    play(engine, play, 9, 12, Set.of(), 0);
    assertThat(told(engine.changes())).containsExactly("gpu_lost h1 5-8");
    assertThat(engine.open()).isEmpty();
  }

  @Test
  void aJobThatHangsIsToldOnceAndItsEndToo() {
    Play play =
        new Play().from(1, "h1", 500).from(1, "h2", 500).from(5, "h1", 90).from(7, "h2", 90);
    play(engine, play, 1, 10, Set.of(), 0);
    List<Episode> found = engine.changes();
    assertThat(told(found)).containsExactly("hang j 7");
    play(engine, play.from(20, "h1", 500), 11, 30, Set.of(), 0);
    List<Episode> over = engine.changes();
    assertThat(told(over)).containsExactly("hang j 7-19");
    assertThat(over.getFirst().id()).isEqualTo(found.getFirst().id());
  }

  @Test
  void eachJobThatRunsHasTheVerdictsOfItsDetectors() {
    FaultEngine engine = new FaultEngine(Thresholds.defaults(), OWNERS);
    Play play = new Play().from(1, "h1", 500).from(1, "h2", 500);
    play(engine, play, 1, 10, Set.of(), 0);
    assertThat(engine.verdicts()).hasSize(1);
    JobVerdicts job = engine.verdicts().getFirst();
    assertThat(job.job()).isEqualTo("j");
    assertThat(job.owner().value("tenant")).isEqualTo("t");
    assertThat(job.host()).isEqualTo("h1");
    assertThat(job.verdicts())
        .extracting(Verdict::kind)
        .containsExactlyInAnyOrder(FaultKind.HANG, FaultKind.STRAGGLER);
    assertThat(job.verdicts())
        .filteredOn(each -> each.kind() == FaultKind.STRAGGLER)
        .containsExactly(Verdict.unknown(FaultKind.STRAGGLER, "the job has just begun"));
    for (long step = 11; step <= 20; step++) {
      engine.at(step * STEP);
    }
    assertThat(engine.verdicts().getFirst().verdicts())
        .extracting(Verdict::reason)
        .containsOnly("no new samples have come of its GPUs");
    for (long step = 21; step <= 30; step++) {
      engine.feed("h1", play.at("h1", step * STEP, ""));
      engine.feed("h2", play.at("h2", step * STEP, ""));
      engine.at(step * STEP);
    }
    assertThat(engine.verdicts()).isEmpty();
  }

  @Test
  void lateSamplesThatComeInPartsEndNothingUntilAllAreThere() {
    FaultEngine engine =
        new FaultEngine(
            Thresholds.defaults(),
            OWNERS,
            List.of(),
            () -> List.of(new LostBelow50()),
            () -> List.of(new HangBelow100(true)));
    Play play =
        new Play().from(1, "h1", 500).from(5, "h1", 90).from(1, "h2", 500).from(19, "h2", 90);
    play(engine, play, 1, 4, Set.of(), 0);
    for (long step = 5; step <= 20; step++) {
      engine.feed("h1", play.at("h1", step * STEP, "j"));
      engine.at(step * STEP);
    }
    List<Episode> found = engine.changes();
    assertThat(told(found)).contains("hang j 7");
    // With these alone, no GPU has been still for long enough.
    for (long step = 5; step <= 18; step++) {
      engine.feed("h2", play.at("h2", step * STEP, "j"));
    }
    engine.feed("h1", play.at("h1", 21 * STEP, "j"));
    engine.at(21 * STEP);
    assertThat(told(engine.changes())).doesNotContain("hang j 7-21");
    for (long step = 19; step <= 22; step++) {
      engine.feed("h2", play.at("h2", step * STEP, "j"));
    }
    engine.feed("h1", play.at("h1", 22 * STEP, "j"));
    engine.at(22 * STEP);
    assertThat(engine.changes())
        .filteredOn(each -> each.kind() == FaultKind.HANG)
        .allMatch(Episode::isOpen);
    assertThat(told(engine.open())).containsExactly("hang j 19");
    assertThat(found).extracting(Episode::id).contains(engine.open().getFirst().id());
  }

  @Test
  void aJobThatEndsEndsItsEpisodes() {
    Play play = new Play().from(1, "h1", 90).from(1, "h2", 90);
    play(engine, play, 1, 10, Set.of(), 0);
    assertThat(told(engine.changes())).containsExactly("hang j 1");
    for (long step = 11; step <= 16; step++) {
      engine.feed("h1", play.at("h1", step * STEP, ""));
      engine.feed("h2", play.at("h2", step * STEP, ""));
      engine.at(step * STEP);
    }
    List<Episode> over = engine.changes();
    assertThat(told(over)).containsExactly("hang j 1-11");
    assertThat(over.getFirst().overReason()).isEqualTo("the job has ended");
  }

  @Test
  void aJobThatLosesAHostGoesOn() {
    Play play = new Play().from(1, "h1", 90).from(1, "h2", 90);
    play(engine, play, 1, 10, Set.of(), 0);
    String id = engine.changes().getFirst().id();
    for (long step = 11; step <= 30; step++) {
      engine.feed("h1", play.at("h1", step * STEP, "j"));
      engine.feed("h2", play.at("h2", step * STEP, ""));
      engine.at(step * STEP);
    }
    assertThat(engine.changes()).isEmpty();
    assertThat(engine.open()).extracting(Episode::id).containsExactly(id);
  }

  @Test
  void jobsOfTwoTenantsWithOneNameAreTwo() {
    for (long step = 1; step <= 10; step++) {
      for (String tenant : List.of("a", "b")) {
        Series one = power("h" + tenant, step * STEP, tenant.equals("a") ? 90 : 500, "j");
        engine.feed(
            "h" + tenant,
            List.of(new Series(one.labels().with("tenant", tenant), one.times(), one.values())));
      }
      engine.at(step * STEP);
    }
    List<Episode> found = engine.changes();
    assertThat(told(found)).containsExactly("hang j 1");
    assertThat(found.getFirst().subject().labels().value("tenant")).isEqualTo("a");
  }

  @Test
  void lateTicksOfAnHourGiveTheSameEpisodesAsNoneAndNothingIsToldTwice() {
    // What h2 does from step 21 on is known at step 235 only.
    Play play =
        new Play()
            .from(1, "h1", 90)
            .from(1, "h2", 500)
            .from(40, "h2", 90)
            .from(80, "h2", 500)
            .from(120, "h2", 10)
            .from(150, "h2", 500)
            .from(200, "h2", 90);
    FaultEngine inTime = engine(List.of());
    play(inTime, play, 1, 260, Set.of(), 0);
    List<String> expected = told(inTime.changes());
    assertThat(expected)
        .containsExactlyInAnyOrder(
            "hang j 40-79", "gpu_lost h2 120-149", "hang j 120-149", "hang j 200");

    play(engine, play, 1, 20, Set.of(), 0);
    play(engine, play, 21, 260, Set.of("h2"), 235);
    List<Episode> told = engine.changes();
    assertThat(told(told.stream().filter(each -> each.kind() != FaultKind.HOST_SILENT).toList()))
        .containsExactlyInAnyOrderElementsOf(expected);
    assertThat(engine.replayedSteps()).isPositive();
    assertThat(engine.changes()).isEmpty();
  }

  @Test
  void whatWasToldWhileTicksWereMissingKeepsItsIdentityAndGetsItsTrueStart() {
    // Only what h1 sends is known from step 21 on; a job of stale GPUs is not judged.
    Play play =
        new Play().from(1, "h1", 500).from(1, "h2", 90).from(30, "h1", 90).from(60, "h1", 500);
    FaultEngine engine =
        new FaultEngine(
            Thresholds.defaults(), OWNERS, List.of(), List::of, () -> List.of(new FreshHang()));
    Map<String, List<Episode>> byId = new TreeMap<>();
    for (long step = 1; step <= 80; step++) {
      engine.feed("h1", play.at("h1", step * STEP, "j"));
      if (step <= 20 || step > 50) {
        engine.feed("h2", play.at("h2", step * STEP, "j"));
      }
      if (step == 50) {
        // What h2 did meanwhile: it worked until step 35, so the job hangs from then on.
        for (long missed = 21; missed <= 50; missed++) {
          engine.feed("h2", List.of(power("h2", missed * STEP, missed < 35 ? 500 : 90, "j")));
        }
      }
      engine.at(step * STEP);
      for (Episode each : engine.changes()) {
        if (each.kind() == FaultKind.HANG) {
          byId.computeIfAbsent(each.id(), none -> new ArrayList<>()).add(each);
        }
      }
    }
    assertThat(byId).hasSize(1);
    assertThat(told(byId.values().iterator().next()))
        .containsExactly("hang j 30", "hang j 35", "hang j 35-59");
  }

  /** A job of which all GPUs that are fresh have less than 100 W for four steps hangs. */
  private static final class FreshHang implements JobDetector {
    private final HangBelow100 of;

    FreshHang() {
      this(new HangBelow100(false));
    }

    private FreshHang(HangBelow100 of) {
      this.of = of;
    }

    @Override
    public void on(JobStep step, Consumer<Finding> out) {
      of.on(
          new JobStep(
              step.job(),
              step.owner(),
              step.time(),
              step.gpus().stream().filter(JobStep.JobGpu::fresh).toList()),
          out);
    }

    @Override
    public JobDetector copy() {
      return new FreshHang((HangBelow100) of.copy());
    }
  }

  @Test
  void anEpisodeThatLateTicksDoNotShowIsOver() {
    FaultEngine engine =
        new FaultEngine(
            Thresholds.defaults(), OWNERS, List.of(), List::of, () -> List.of(new FreshHang()));
    Play play = new Play().from(1, "h1", 90).from(1, "h2", 500);
    play(engine, play, 1, 20, Set.of(), 0);
    for (long step = 21; step <= 40; step++) {
      engine.feed("h1", play.at("h1", step * STEP, "j"));
      engine.at(step * STEP);
    }
    assertThat(told(engine.changes())).contains("hang j 23");
    for (long step = 21; step <= 41; step++) {
      engine.feed("h2", play.at("h2", step * STEP, "j"));
    }
    engine.feed("h1", play.at("h1", 41 * STEP, "j"));
    engine.at(41 * STEP);
    assertThat(engine.changes())
        .filteredOn(each -> each.kind() == FaultKind.HANG)
        .extracting(Episode::overReason)
        .containsExactly("samples that arrived late do not show it");
  }

  @Test
  void aHostThatSendsNothingIsSilentUntilItSendsAgain() {
    Play play = new Play().from(1, "h1", 500).from(1, "h2", 500);
    play(engine, play, 1, 20, Set.of(), 0);
    for (long step = 21; step <= 30; step++) {
      engine.feed("h1", play.at("h1", step * STEP, "j"));
      engine.at(step * STEP);
    }
    assertThat(told(engine.changes())).containsExactly("host_silent h2 20");
    engine.feed("h2", play.at("h2", 31 * STEP, "j"));
    engine.feed("h1", play.at("h1", 31 * STEP, "j"));
    engine.at(31 * STEP);
    List<Episode> over = engine.changes();
    assertThat(told(over)).containsExactly("host_silent h2 20-31");
    assertThat(over.getFirst().overReason()).isEqualTo("it sends again");
  }

  @Test
  void aHostWhoseTicksComeLateWasNotSilent() {
    Play play = new Play().from(1, "h1", 500).from(1, "h2", 500);
    play(engine, play, 1, 20, Set.of(), 0);
    for (long step = 21; step <= 30; step++) {
      engine.feed("h1", play.at("h1", step * STEP, "j"));
      engine.at(step * STEP);
    }
    assertThat(told(engine.changes())).containsExactly("host_silent h2 20");
    for (long step = 21; step <= 30; step++) {
      engine.feed("h2", play.at("h2", step * STEP, "j"));
    }
    assertThat(engine.changes())
        .extracting(Episode::overReason)
        .containsExactly("its samples arrived late");
  }

  @Test
  void aHostThatSendsWhatIsLongPastIsNotSilent() {
    Play play = new Play().from(1, "h1", 500).from(1, "h2", 500);
    play(engine, play, 1, 20, Set.of(), 0);
    for (long step = 121; step <= 130; step++) {
      engine.feed("h1", play.at("h1", step * STEP, "j"));
      engine.feed("h2", play.at("h2", (step - 100) * STEP, "j")); // it catches up
      engine.at(step * STEP);
    }
    assertThat(told(engine.changes())).isEmpty();
  }

  @Test
  void aHostThatIsExpectedAndNeverSentIsSilent() {
    Labels place = Labels.of("Hostname", "h9", "rack", "r1", "region", "eu");
    engine.expect(Map.of("h9", place));
    for (long step = 1; step <= 10; step++) {
      engine.at(step * STEP);
    }
    assertThat(engine.open()).extracting(each -> each.subject().labels()).containsExactly(place);
    assertThat(told(engine.changes())).containsExactly("host_silent h9 1");
  }

  @Test
  void aTakeoverTellsNothingTwiceAndEndsWhatItTookOver() {
    Play play =
        new Play()
            .from(1, "h1", 90)
            .from(1, "h2", 500)
            .from(20, "h2", 10)
            .from(30, "h2", 500)
            .from(100, "h2", 90);
    play(engine, play, 1, 150, Set.of(), 0);
    List<Episode> told = engine.changes();
    assertThat(told(told))
        .containsExactlyInAnyOrder("gpu_lost h2 20-29", "hang j 20-29", "hang j 100");

    FaultEngine next = engine(List.of());
    next.restore(told, 150 * STEP);
    play(next, play.from(160, "h1", 500), 110, 155, Set.of(), 0);
    assertThat(next.changes()).isEmpty();
    assertThat(next.open()).extracting(Episode::since).containsExactly(100 * STEP);
    play(next, play, 156, 170, Set.of(), 0);
    List<Episode> over = next.changes();
    assertThat(told(over)).containsExactly("hang j 100-159");
    assertThat(over.getFirst().id())
        .isEqualTo(told.stream().filter(Episode::isOpen).findFirst().orElseThrow().id());
  }

  @Test
  void aTakeoverTellsWhatTheOtherDidNotTell() {
    Play play = new Play().from(1, "h1", 500).from(1, "h2", 500).from(120, "h2", 10);
    FaultEngine next = engine(List.of());
    next.restore(List.of(), 150 * STEP);
    play(next, play, 110, 150, Set.of(), 0);
    assertThat(told(next.changes())).containsExactly("gpu_lost h2 120");
  }

  @Test
  void anEpisodeOfAJobThatEndedBeforeTheTakeoverIsOver() {
    Play play = new Play().from(1, "h1", 90).from(1, "h2", 90);
    play(engine, play, 1, 10, Set.of(), 0);
    FaultEngine next = engine(List.of());
    next.restore(engine.changes(), 30 * STEP);
    for (long step = 20; step <= 40; step++) {
      next.feed("h1", play.at("h1", step * STEP, ""));
      next.feed("h2", play.at("h2", step * STEP, ""));
      next.at(step * STEP);
    }
    assertThat(told(next.changes())).containsExactly("hang j 1-30");
  }

  @Test
  void aFaultOfAGpuAroundTheStartIsTheSuspectedCauseOfAHang() {
    Play play =
        new Play().from(1, "h1", 500).from(1, "h2", 500).from(20, "h2", 10).from(21, "h1", 90);
    play(engine, play, 1, 40, Set.of(), 0);
    Episode hang =
        engine.open().stream().filter(e -> e.kind() == FaultKind.HANG).findFirst().orElseThrow();
    assertThat(hang.suspectedCause()).isEqualTo("gpu_lost on h2, GPU 0");
    assertThat(hang.related())
        .containsExactly(
            engine.open().stream()
                .filter(each -> each.kind() == FaultKind.GPU_LOST)
                .findFirst()
                .orElseThrow()
                .id());
    assertThat(hang.suspects().getFirst().uuid()).isEqualTo("GPU-h2");
  }

  /** A job whose ranks NCCL names, that on the second host first. */
  private static final class NamedHang implements JobDetector {
    @Override
    public void on(JobStep step, Consumer<Finding> out) {
      Subject job = new Subject("", "", "", step.job(), step.owner());
      out.accept(
          new Finding(
              FaultKind.HANG,
              job,
              20 * STEP,
              Optional.empty(),
              "",
              true,
              0,
              "",
              List.of(),
              List.of(
                  new Suspect("h2", "GPU-h2", 1, "behind"),
                  new Suspect("h1", "GPU-h1", 0, "power differs"))));
    }

    @Override
    public JobDetector copy() {
      return this;
    }
  }

  @Test
  void aGpuThatNcclNamesFirstAndThatHasAFaultStaysTheFirstSuspect() {
    FaultEngine engine =
        new FaultEngine(
            Thresholds.defaults(),
            OWNERS,
            List.of(),
            () -> List.of(new LostBelow50()),
            () -> List.of(new NamedHang()));
    Play play = new Play().from(1, "h1", 500).from(1, "h2", 500).from(20, "h2", 10);
    play(engine, play, 1, 40, Set.of(), 0);
    Episode hang =
        engine.open().stream().filter(e -> e.kind() == FaultKind.HANG).findFirst().orElseThrow();
    assertThat(hang.suspectedCause()).isEqualTo("gpu_lost on h2, GPU 0");
    assertThat(hang.suspects()).extracting(Suspect::rank).containsExactly(1, 0);
  }

  @Test
  void whileAHostIsSilentItsOtherEpisodesAreRelatedToThat() {
    Play play = new Play().from(1, "h1", 500).from(1, "h2", 500).from(20, "h2", 10);
    play(engine, play, 1, 20, Set.of(), 0);
    for (long step = 21; step <= 30; step++) {
      engine.feed("h1", play.at("h1", step * STEP, "j"));
      engine.at(step * STEP);
    }
    Episode lost =
        engine.open().stream()
            .filter(each -> each.kind() == FaultKind.GPU_LOST)
            .findFirst()
            .orElseThrow();
    assertThat(lost.suspectedCause()).isEqualTo("host_silent on h2");
    assertThat(lost.related()).hasSize(1);
  }

  @Test
  void aKindOfAPoolMayBeInShadowMode() {
    FaultEngine engine =
        engine(
            List.of(
                new ShadowRule(
                    Optional.of(FaultKind.GPU_LOST), List.of(Matcher.equal("Hostname", "h2")))));
    Play play =
        new Play().from(1, "h1", 500).from(1, "h2", 500).from(3, "h2", 10).from(4, "h1", 10);
    play(engine, play, 1, 4, Set.of(), 0);
    assertThat(engine.changes())
        .extracting(each -> each.subject().host() + " " + each.shadow())
        .containsExactlyInAnyOrder("h1 false", "h2 true");
  }

  @Test
  void ticksOfAHostThatWasGivenUpAfterAnHourAreNotKept() {
    Play play = new Play().from(1, "h1", 500).from(1, "h2", 500);
    play(engine, play, 1, 5, Set.of(), 0);
    for (long step = 6; step <= 300; step++) {
      engine.feed("h1", play.at("h1", step * STEP, "j"));
      engine.at(step * STEP);
    }
    assertThat(engine.givenUp()).isEqualTo(1);
    assertThat(engine.gpuTicks()).isLessThan(5);
  }
}
