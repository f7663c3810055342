package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.detect.PlayedJob.IDLE;
import static io.fleetgauge.query.faults.detect.PlayedJob.SPIN;
import static io.fleetgauge.query.faults.detect.PlayedJob.WORK;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.faults.detect.PlayedJob.Told;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HangDetectorTest {
  /** Two ticks after the counts are seen to stand still, and the tick that shows them first. */
  private static final long TWO_TICKS = 45_000;

  private static final long THREE_MINUTES = 180_000;

  private static Told only(List<Told> told) {
    assertThat(told).hasSize(1);
    return told.getFirst();
  }

  private static List<String> suspects(Finding finding) {
    return finding.suspects().stream().limit(3).map(Suspect::uuid).toList();
  }

  // --- as read on an H200, driver 580.159, NCCL 2.28.9: four ranks, of which one stops ---

  private static final PlayedJob.Act H200_WORK =
      new PlayedJob.Act(100, 361, 0.216, 0.0627, 5.1e9, 2, 22, 0, 1, 0, 0.2456);

  /** Its kernel polls a flag in the host's memory, over PCIe. */
  private static final PlayedJob.Act H200_WAITS =
      new PlayedJob.Act(100, 122.45, 0, 4.43e-6, 1.14e8, 2, 33, 0, 1, 0, 0.01422);

  /** Holds memory and clocks, and has no kernel. */
  private static final PlayedJob.Act H200_HELD =
      new PlayedJob.Act(0, 122.1, 0, 5e-6, 8e5, 0.01, 22, 0, 1, 0, 0);

  @Test
  void aHangOfRealKernelsThatPollTheHostIsFoundBySignature() {
    PlayedJob job = new PlayedJob(1, 4, true, false, 1);
    job.all(H200_WORK, 10);

    Told told = only(job.but(2, H200_HELD, H200_WAITS, 4));

    assertThat(told.afterMillis()).isLessThanOrEqualTo(THREE_MINUTES);
    assertThat(told.finding().text()).contains("CPU side");
    assertThat(suspects(told.finding())).startsWith(PlayedJob.uuid(0, 2));
  }

  @Test
  void aHangOfRealKernelsIsFoundByCountsWithinTwoTicks() {
    PlayedJob job = new PlayedJob(1, 4, true, true, 1);
    job.all(H200_WORK, 10);

    Told told = only(job.but(2, H200_HELD.behind(1), H200_WAITS, 1));

    assertThat(told.afterMillis()).isLessThanOrEqualTo(TWO_TICKS);
    assertThat(suspects(told.finding())).startsWith(PlayedJob.uuid(0, 2));
  }

  @Test
  void aCheckpointThatIsCopiedToTheHostIsNoHangThoughLittleOfTheMemoryIsBusy() {
    PlayedJob job = new PlayedJob(1, 4, true, true, 1);
    job.all(H200_WORK, 10);

    assertThat(job.all(new PlayedJob.Act(100, 130, 0, 2e-4, 1e9, 1, 0, 0, 1, 0, 0.01), 6))
        .isEmpty();
  }

  // --- taken over ---

  @ParameterizedTest
  @CsvSource({"collective, true", "cpu, false", "storage, true", "storage, false"})
  void aHangThatIsTakenOverGoesOnSinceItsStartUntilTheJobWorks(String cause, boolean spins) {
    HangDetector detector = new HangDetector(Thresholds.defaults());
    PlayedJob job = new PlayedJob(detector, 2, 8, true, false, 1);
    long since = job.time() - 3 * 3_600_000;
    detector.restore(
        FaultKind.HANG, new Subject("", "", "", PlayedJob.NAME, Labels.EMPTY), cause, since);

    Told told = only(job.all((spins ? SPIN : IDLE).blocked(cause.equals("storage") ? 1 : 0), 120));

    assertThat(told.finding().cause()).isEqualTo(cause);
    assertThat(told.finding().since()).isEqualTo(since);
    assertThat(job.last()).hasSize(1);
    job.all(WORK, 2);
    assertThat(job.last()).isEmpty();
  }

  // --- counts ---

  @Test
  void aRankThatIsBehindWhileNoneMovesIsTheFirstSuspectWithinTwoTicks() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 10);
    long stopped = job.time();

    Told told = only(job.but(19, IDLE.behind(1), SPIN, 2));

    assertThat(told.afterMillis()).isLessThanOrEqualTo(TWO_TICKS);
    assertThat(told.finding().proven()).isTrue();
    assertThat(told.finding().cause()).isEqualTo("collective");
    assertThat(told.finding().since()).isBetween(stopped, stopped + 15_000);
    assertThat(told.finding().text()).contains("1 of 32 ranks").contains("CPU side");
    Suspect first = told.finding().suspects().getFirst();
    assertThat(first.uuid()).isEqualTo(PlayedJob.uuid(2, 3));
    assertThat(first.rank()).isEqualTo(19);
  }

  @Test
  void aRankThatIsBehindAndWhoseKernelDoesNotEndHangsOnTheGpuSide() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 10);

    Told told = only(job.but(5, SPIN.behind(1).power(270).active(0.95), SPIN, 2));

    assertThat(told.finding().cause()).isEqualTo("kernel");
    assertThat(told.finding().text()).contains("GPU side");
    assertThat(suspects(told.finding())).startsWith(PlayedJob.uuid(0, 5));
  }

  @Test
  void aRankThatIsBehindInOneCommunicatorAndWaitsInAnotherIsNotTheFirstSuspect() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 10);
    // Rank 9 does not come; rank 8 waits for it in a group of two, and all others for rank 8.
    for (int gpu : new int[] {0, 1}) {
      job.host(1)
          .gpu(gpu)
          .rank("0xpair")
          .with(Signal.RANK_NUMBER, gpu)
          .with(Signal.RANKS, 2)
          .with(Signal.OPERATIONS, 77 - gpu);
    }

    Told told =
        only(
            job.play(2, 0, rank -> rank == 9 ? IDLE.behind(1) : rank == 8 ? SPIN.behind(1) : SPIN));

    assertThat(suspects(told.finding())).startsWith(PlayedJob.uuid(1, 1), PlayedJob.uuid(1, 0));
  }

  @Test
  void ranksThatNcclMissesAreTold() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 10);
    job.silence(3);

    List<Told> told =
        job.play(
            3,
            0,
            rank -> {
              job.host(rank / 8).gpu(rank % 8).rank(PlayedJob.WORLD).with(Signal.RANKS_MISSING, 8);
              return SPIN;
            });

    // The helper sets the number of missing ranks to 0 after that: silence alone is told then.
    assertThat(told).isNotEmpty();
    assertThat(told.getFirst().finding().suspects())
        .first()
        .satisfies(suspect -> assertThat(suspect.host()).isEqualTo("h3"));
  }

  @Test
  void countsOfHostsThatAreReadAtDifferentMomentsDifferWhileAllMove() {
    PlayedJob job = PlayedJob.large();

    assertThat(job.all(WORK, 120)).isEmpty();
  }

  @Test
  void equalCountsThatStandStillSayNothingOnTheirOwn() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK.io(0), 20);

    assertThat(job.all(IDLE.io(0), 60)).isEmpty();
  }

  @Test
  void aRankThatWorksWhileTheOthersWaitEvaluates() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 30);

    assertThat(job.but(0, WORK.power(300).io(0).behind(1), SPIN, 25)).isEmpty();
  }

  @Test
  void aRankThatWritesACheckpointWhileTheOthersWaitIsNoHang() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 30);

    assertThat(job.but(0, IDLE.io(300e6).behind(1), SPIN, 10)).isEmpty();
    assertThat(job.all(WORK, 30)).isEmpty();
  }

  @Test
  void aRankThatComputesOnTheCpuWhileTheOthersWaitIsNoHangForHalfAnHour() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 30);

    assertThat(job.but(0, IDLE.cpu(1.0).behind(1), SPIN, 29)).isEmpty();
    assertThat(job.but(0, IDLE.cpu(1.0).behind(1), SPIN, 5)).isNotEmpty();
  }

  @Test
  void communicatorsOfAnElasticJobComeAndGo() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 10);
    // What is left of a communicator of before stands still for good.
    for (int rank = 0; rank < 24; rank++) {
      job.host(rank / 8)
          .gpu(rank % 8)
          .rank("0xold")
          .with(Signal.RANK_NUMBER, rank)
          .with(Signal.RANKS, 32)
          .with(Signal.OPERATIONS, rank == 3 ? 10 : 12);
    }

    assertThat(job.all(WORK, 30)).isEmpty();
  }

  // --- verdicts ---

  @Test
  void aVerdictSaysThatAJobWorksThatItHangsOrWhyNobodyCanSay() {
    PlayedJob job = PlayedJob.large();
    assertThat(job.verdict().state()).isEqualTo(Verdict.State.NOT_ENOUGH_EVIDENCE);
    job.all(WORK, 10);
    assertThat(job.verdict())
        .isEqualTo(new Verdict(FaultKind.HANG, Verdict.State.NONE, "its GPUs work"));
    job.but(19, IDLE.behind(1), SPIN, 2);
    assertThat(job.verdict().state()).isEqualTo(Verdict.State.FOUND);
    assertThat(job.verdict().reason()).startsWith("collective: ");
    job.all(WORK, 1);
    assertThat(job.verdict().state()).isEqualTo(Verdict.State.NONE);
  }

  @Test
  void aPauseIsNotEnoughEvidenceOfAHangAndNoneOfItsAbsence() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK.io(0), 20);
    job.all(IDLE.io(0), 10);
    assertThat(job.verdict().state()).isEqualTo(Verdict.State.NOT_ENOUGH_EVIDENCE);
    assertThat(job.verdict().reason()).contains("a pause");
  }

  @Test
  void aJobWithoutProcessesSaysSo() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 10);
    job.all(IDLE.gone(), 3);
    assertThat(job.verdict())
        .isEqualTo(Verdict.unknown(FaultKind.HANG, "no process holds its GPUs"));
  }

  // --- the signature ---

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void allGpusThatSpinFarBelowTheirWorkAreToldWithinThreeMinutes(boolean isProfiled) {
    PlayedJob job = new PlayedJob(2, 8, isProfiled, false, 2);
    job.all(WORK, 10);
    long stopped = job.time();

    Told told = only(job.all(SPIN, 4));

    assertThat(told.afterMillis()).isLessThanOrEqualTo(THREE_MINUTES);
    assertThat(told.finding().proven()).isFalse();
    assertThat(told.finding().cause()).isEqualTo("symmetric");
    assertThat(told.finding().since()).isBetween(stopped, stopped + 15_000);
    assertThat(told.finding().text()).contains("GPU side");
  }

  @Test
  void oneIdleGpuAmongThoseThatSpinIsTheFirstSuspect() {
    PlayedJob job = new PlayedJob(2, 8, true, false, 3);
    job.all(WORK, 10);

    Told told = only(job.but(11, IDLE, SPIN, 4));

    assertThat(told.afterMillis()).isLessThanOrEqualTo(THREE_MINUTES);
    assertThat(told.finding().cause()).isEqualTo("collective");
    assertThat(told.finding().text()).contains("CPU side");
    assertThat(suspects(told.finding())).startsWith(PlayedJob.uuid(1, 3));
  }

  @Test
  void aKernelThatDoesNotEndOnOneGpuIsTheFirstSuspect() {
    PlayedJob job = new PlayedJob(2, 8, true, false, 4);
    job.all(WORK, 10);

    Told spinning = only(job.but(6, SPIN.power(260).active(0.95), SPIN, 4));
    assertThat(spinning.finding().cause()).isEqualTo("kernel");
    assertThat(suspects(spinning.finding())).startsWith(PlayedJob.uuid(0, 6));

    PlayedJob other = new PlayedJob(2, 8, true, false, 4);
    other.all(WORK, 10);
    Told idling = only(other.but(6, SPIN, IDLE, 4));
    assertThat(idling.finding().cause()).isEqualTo("kernel");
    assertThat(suspects(idling.finding())).startsWith(PlayedJob.uuid(0, 6));
  }

  @Test
  void aCriticalXidTellsWithinTwoTicksAndIsTheFirstSuspect() {
    PlayedJob job = new PlayedJob(2, 8, true, false, 5);
    job.all(WORK, 10);
    job.host(1).gpu(2).code(119).with(Signal.XIDS, 1);

    Told told = only(job.all(SPIN, 1));

    assertThat(told.afterMillis()).isLessThanOrEqualTo(TWO_TICKS);
    assertThat(suspects(told.finding())).startsWith(PlayedJob.uuid(1, 2));
    assertThat(told.finding().suspects().getFirst().why()).contains("XID 119");
  }

  @Test
  void aHostWhoseDriverDoesNotAnswerIsTheFirstSuspect() {
    PlayedJob job = new PlayedJob(4, 8, true, false, 6);
    job.all(WORK, 10);
    job.host(2).onHost().with(Signal.DRIVER_RESPONSIVE, 0);

    // Its GPUs show what was read last.
    Told told = only(job.play(4, 0, rank -> rank / 8 == 2 ? WORK.io(0) : SPIN));

    assertThat(told.afterMillis()).isLessThanOrEqualTo(TWO_TICKS);
    assertThat(told.finding().suspects())
        .hasSize(8)
        .allSatisfy(suspect -> assertThat(suspect.host()).isEqualTo("h2"));
  }

  @Test
  void processesThatAreBlockedOnOneHostAreToldAsStorage() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 10);

    Told told =
        job.play(4, 0, rank -> rank / 8 == 1 ? IDLE.cpu(0).io(0).blocked(2).behind(1) : SPIN)
            .getFirst();

    assertThat(told.finding().cause()).isEqualTo("storage");
    assertThat(told.finding().suspects().getFirst().host()).isEqualTo("h1");
  }

  @Test
  void aJobThatAlwaysRunsAtOneLevelDoesNotHang() {
    PlayedJob job = new PlayedJob(1, 8, true, false, 7);
    PlayedJob.Act burnIn = new PlayedJob.Act(100, 680, 0, 0.004, 0, 1, 0, 0, 1, 0, 1);

    assertThat(job.all(burnIn, 240)).isEmpty();
  }

  @Test
  void aJobThatNeverWorkedHasNoLevel() {
    PlayedJob job = new PlayedJob(2, 8, true, false, 8);

    assertThat(job.all(SPIN, 120)).isEmpty();
  }

  @Test
  void aPhaseThatComputesOutsideOfTensorCoresAndMemoryIsNoHang() {
    PlayedJob job = new PlayedJob(1, 8, true, false, 9);
    job.all(WORK, 30);
    PlayedJob.Act simulation = new PlayedJob.Act(100, 500, 0, 0.004, 0, 1, 0, 0, 1, 0, 0.97);

    assertThat(job.all(simulation, 30)).isEmpty();
  }

  // --- silence ---

  @Test
  void aJobOfIdleGpusWhoseProcessesAreBlockedIsToldAsStorage() {
    PlayedJob job = new PlayedJob(1, 8, true, false, 10);
    job.all(WORK, 10);

    Told told = only(job.all(IDLE.cpu(0).io(0).blocked(1), 4));

    assertThat(told.afterMillis()).isLessThanOrEqualTo(THREE_MINUTES);
    assertThat(told.finding().cause()).isEqualTo("storage");
    assertThat(told.finding().text()).contains("CPU side");
  }

  @Test
  void aSteadyJobThatReadDataAndIsSilentOnEveryChannelWaitsForData() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 40);

    Told told = only(job.all(IDLE, 4));

    assertThat(told.afterMillis()).isLessThanOrEqualTo(THREE_MINUTES);
    assertThat(told.finding().cause()).isEqualTo("cpu");
    assertThat(told.finding().text()).contains("data");
  }

  // --- ends ---

  @Test
  void aHangIsOverWhenWorkGoesOn() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 10);
    job.but(3, IDLE.behind(1), SPIN, 10);
    assertThat(job.last()).isNotEmpty();

    job.all(WORK, 1);

    assertThat(job.last()).isEmpty();
  }

  @Test
  void aHangIsOverWhenItsProcessesAreEnded() {
    PlayedJob job = new PlayedJob(2, 8, true, false, 11);
    job.all(WORK, 10);
    job.all(SPIN, 10);
    assertThat(job.last()).isNotEmpty();

    job.all(IDLE.gone(), 1);

    assertThat(job.last()).isEmpty();
  }

  @Test
  void somebodyWhoLooksAtAHungProcessDoesNotEndTheHang() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 10);
    job.but(3, IDLE.behind(1), SPIN, 5);

    job.but(3, IDLE.behind(1).cpu(2).io(200e6), SPIN, 1);

    assertThat(job.last()).anyMatch(Finding::proven).anyMatch(finding -> !finding.proven());
  }

  @Test
  void aHangThatLastsIsToldAtEveryStepWithTheSameBeginning() {
    PlayedJob job = new PlayedJob(2, 8, true, false, 12);
    job.all(WORK, 10);
    job.all(SPIN, 3);
    long since = job.last().getFirst().since();

    for (int hour = 0; hour < 8; hour++) {
      job.all(SPIN, 60);
      assertThat(job.last()).singleElement().extracting(Finding::since).isEqualTo(since);
    }
  }

  @Test
  void aCopyGoesOnAsTheOriginalDoes() {
    JobDetector original = new HangDetector(Thresholds.defaults());
    PlayedJob job = new PlayedJob(original, 2, 8, true, true, 13);
    job.all(WORK, 20);
    job.but(5, IDLE.behind(1), SPIN, 1.25);
    PlayedJob one = new PlayedJob(original.copy(), 2, 8, true, true, 14);
    PlayedJob other = new PlayedJob(original.copy(), 2, 8, true, true, 14);
    List<String> ofOne = new ArrayList<>();
    List<String> ofOther = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      one.but(5, IDLE.behind(1), SPIN, 0.25);
      ofOne.add(one.last().toString());
    }
    for (int i = 0; i < 40; i++) {
      other.but(5, IDLE.behind(1), SPIN, 0.25);
      ofOther.add(other.last().toString());
    }
    assertThat(ofOne).isEqualTo(ofOther);
  }
}
