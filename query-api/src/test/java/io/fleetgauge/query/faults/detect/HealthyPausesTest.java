package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.detect.PlayedJob.IDLE;
import static io.fleetgauge.query.faults.detect.PlayedJob.SPIN;
import static io.fleetgauge.query.faults.detect.PlayedJob.WORK;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.faults.detect.PlayedJob.Act;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What looks like a hang and is none. */
class HealthyPausesTest {
  private static final Act DECODE = new Act(88, 330, 0.06, 0.5, 2e8, 1.1, 2_000, 0, 1, 0, 0.5);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void checkpointsOfAnyLengthAndForm(long seed) {
    Random random = new Random(seed);
    PlayedJob job =
        new PlayedJob(1 + random.nextInt(4), 8, random.nextBoolean(), random.nextBoolean(), seed);
    for (int i = 0; i < 12; i++) {
      assertThat(job.all(WORK, 5 + random.nextInt(40))).isEmpty();
      double minutes = Math.exp(Math.log(10) + random.nextDouble() * Math.log(60)) / 60;
      Act writes = IDLE.cpu(1.2).io(4e8);
      Act waits = random.nextBoolean() ? SPIN : IDLE;
      switch (random.nextInt(4)) {
        case 0 -> assertThat(job.all(writes, minutes)).isEmpty();
        case 1 -> assertThat(job.but(0, writes.behind(1), waits, minutes)).isEmpty();
        case 2 ->
            assertThat(job.but(0, writes.blocked(1).cpu(0.1).behind(1), waits, minutes)).isEmpty();
        default -> {
          // It is made ready on the CPU, and then written.
          assertThat(job.but(0, IDLE.cpu(3).behind(1), waits, minutes / 2)).isEmpty();
          assertThat(job.but(0, writes.behind(1), waits, minutes / 2)).isEmpty();
        }
      }
    }
  }

  @Test
  void aCheckpointOfHours() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 60);

    assertThat(job.but(0, IDLE.cpu(1).io(2e6).behind(1), SPIN, 180)).isEmpty();
    assertThat(job.all(WORK, 60)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anEvaluationThatHardlyWorksOnOneRank(boolean isProfiled) {
    PlayedJob job = new PlayedJob(8, 8, isProfiled, true, 1);
    Act weak = new Act(35, 140, 0.004, 0.03, 2e5, 0.3, 0, 0, 1, 1, 0.05);
    for (int i = 0; i < 5; i++) {
      assertThat(job.all(WORK, 30)).isEmpty();
      assertThat(job.but(0, weak, SPIN, 12)).isEmpty();
    }
  }

  @Test
  void preparationsOfOneRankBeforeTheFirstStep() {
    PlayedJob job = PlayedJob.large();

    assertThat(job.all(IDLE.cpu(3).io(2e8), 5)).isEmpty();
    assertThat(job.but(0, IDLE.behind(1), SPIN, 20)).isEmpty();
    assertThat(job.all(WORK, 30)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void sessionsOfPeopleWithLongPauses(long seed) {
    Random random = new Random(seed);
    PlayedJob job = new PlayedJob(1, random.nextBoolean() ? 1 : 8, true, false, seed);
    for (int i = 0; i < 40; i++) {
      assertThat(job.all(WORK, random.nextInt(20) + 1)).isEmpty();
      assertThat(job.all(IDLE.io(0), random.nextInt(90) + 1)).isEmpty();
    }
  }

  @Test
  void aSessionThatTrainedForHoursAndIsLeftAlone() {
    PlayedJob job = new PlayedJob(1, 8, true, false, 1);

    assertThat(job.all(WORK, 180)).isEmpty();
    assertThat(job.all(IDLE, 600)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void serversOfModelsWhoseLoadComesAndGoes(long seed) {
    Random random = new Random(seed);
    PlayedJob job = new PlayedJob(seed == 1 ? 1 : 2, 8, true, true, seed);
    for (int i = 0; i < 200; i++) {
      double load = random.nextDouble();
      assertThat(job.play(1, 900, rank -> DECODE.power(150 + 400 * load))).isEmpty();
    }
    assertThat(job.all(IDLE, 480)).isEmpty();
    assertThat(job.play(60, 900, rank -> DECODE)).isEmpty();
    assertThat(job.all(IDLE.cpu(1), 480)).isEmpty();
  }

  @Test
  void aServerThatIsFullyLoadedAndThenNotAskedAnyMore() {
    PlayedJob job = new PlayedJob(2, 8, true, true, 4);

    assertThat(job.play(180, 900, rank -> DECODE)).isEmpty();
    assertThat(job.all(IDLE, 480)).isEmpty();
  }

  @Test
  void aServerWhoseRanksWaitInABroadcastOfTheFirst() {
    PlayedJob job = new PlayedJob(1, 8, true, true, 5);
    Random random = new Random(5);
    for (int i = 0; i < 120; i++) {
      double load = random.nextDouble();
      assertThat(job.play(1, 900, rank -> DECODE.power(150 + 400 * load))).isEmpty();
    }

    assertThat(job.but(0, IDLE.behind(1), SPIN, 480)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 4, 12})
  void rolloutsDuringWhichTheGpusOfTheTrainerWait(double minutes) {
    PlayedJob job = PlayedJob.large();
    for (int i = 0; i < 20; i++) {
      assertThat(job.all(WORK.io(5_000), 3 * minutes)).isEmpty();
      assertThat(job.all(IDLE.io(5_000).cpu(0.05), minutes)).isEmpty();
    }
  }

  @Test
  void programsThatAreCompiledByOtherProcesses() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 60);

    job.ofHosts(60, 0);
    assertThat(job.all(IDLE, 10)).isEmpty();
    assertThat(job.but(0, IDLE.behind(1), SPIN, 10)).isEmpty();
    job.ofHosts(0, 0);
    assertThat(job.all(WORK, 60)).isEmpty();
  }

  @Test
  void anOptimizerThatRunsOnTheCpu() {
    PlayedJob job = PlayedJob.large();
    for (int i = 0; i < 30; i++) {
      assertThat(job.all(WORK, 2)).isEmpty();
      assertThat(job.all(IDLE.io(0).cpu(7), 4)).isEmpty();
    }
  }

  @Test
  void aJobThatIsSuspended() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 60);

    assertThat(job.all(IDLE.cpu(0).io(0), 120)).isEmpty();
    job.all(WORK, 60);
    // Some kernels wait for processes that are stopped.
    assertThat(job.play(120, 0, rank -> rank % 3 == 0 ? IDLE.cpu(0).io(0).behind(1) : SPIN.cpu(0)))
        .isEmpty();
    assertThat(job.all(WORK, 60)).isEmpty();
  }

  @Test
  void aDebuggerThatStopsAKernel() {
    PlayedJob job = new PlayedJob(1, 1, true, false, 6);
    job.all(WORK, 60);

    assertThat(job.all(SPIN.cpu(0), 120)).isEmpty();
  }

  @Test
  void aDebuggerThatStopsOneProcessForWhichTheOthersWait() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 60);

    assertThat(job.but(5, IDLE.cpu(0).io(0).behind(1), SPIN, 60)).isEmpty();
    assertThat(job.all(WORK, 60)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void breakpointsOfAJobThatSomebodyTriesOut(long seed) {
    Random random = new Random(seed);
    PlayedJob job = new PlayedJob(1, 4, true, random.nextBoolean(), seed);
    for (int i = 0; i < 20; i++) {
      assertThat(job.all(WORK, 1 + random.nextInt(9))).isEmpty();
      assertThat(job.but(0, IDLE.behind(1), SPIN, 1 + random.nextInt(25))).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {18, 40, 55})
  void theFirstBreakpointOfAJobOnOneHost(double minutes) {
    PlayedJob job = new PlayedJob(1, 8, true, false, 4);

    assertThat(job.all(WORK, minutes)).isEmpty();
    assertThat(job.but(0, IDLE.behind(1), SPIN, 25)).isEmpty();
    assertThat(job.all(WORK, 5)).isEmpty();
  }

  @Test
  void pausesOfEqualLengthForDays() {
    PlayedJob job = new PlayedJob(1, 4, true, true, 2);
    for (int i = 0; i < 3; i++) {
      assertThat(job.all(WORK, 3)).isEmpty();
      assertThat(job.but(0, IDLE.behind(1), SPIN, 15)).isEmpty();
    }
    for (int i = 0; i < 40; i++) {
      assertThat(job.all(WORK, 50)).isEmpty();
      assertThat(job.but(0, IDLE.behind(1), SPIN, 14)).isEmpty();
    }
  }

  @Test
  void aCompilerOfItsOwnWhileTheProcessesOfTheRanksComputeLess() {
    PlayedJob job = new PlayedJob(1, 8, true, true, 3);
    for (int i = 0; i < 6; i++) {
      assertThat(job.all(WORK.cpu(6), 40)).isEmpty();
      job.ofHosts(5, 0);
      assertThat(job.but(0, IDLE.behind(1), SPIN, 8)).isEmpty();
      job.ofHosts(0, 0);
    }
  }

  @Test
  void manySmallProcessesThatShareAGpu() {
    PlayedJob job = new PlayedJob(1, 4, true, false, 7);
    Act shared = new Act(100, 170, 0.003, 0.035, 3e5, 2, 0, 0, 9, 0, 0.1);
    job.all(WORK, 60);

    assertThat(job.all(shared, 120)).isEmpty();
  }

  @Test
  void operationsSoSmallThatNothingElseMoves() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 60);

    assertThat(job.play(60, 500_000, rank -> SPIN)).isEmpty();
  }

  @Test
  void anExchangeOverASlowNetwork() {
    PlayedJob job = new PlayedJob(4, 8, true, false, 8);
    job.all(WORK, 60);

    job.ofHosts(0, 3e8);
    assertThat(job.all(SPIN, 30)).isEmpty();
  }

  @Test
  void theEndOfAJobWhoseFirstRankIsTheLast() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 60);

    assertThat(job.but(0, IDLE.cpu(0.3).io(4_000), IDLE.gone(), 10)).isEmpty();
    assertThat(job.all(IDLE.gone(), 60)).isEmpty();
  }

  @Test
  void stepsOfMinutes() {
    PlayedJob job = PlayedJob.large();
    for (int i = 0; i < 40; i++) {
      // Ranks have begun the operation at the end of the step long before it.
      assertThat(job.play(4, 0, rank -> WORK.behind(rank % 2))).isEmpty();
      assertThat(job.play(0.5, 1, rank -> SPIN.links(8e9))).isEmpty();
    }
  }

  @Test
  void dataThatComeSlowly() {
    PlayedJob job = PlayedJob.large();
    Random random = new Random(9);
    job.all(WORK, 60);
    for (int i = 0; i < 240; i++) {
      boolean works = random.nextInt(6) == 0;
      Act now = works ? WORK : IDLE.cpu(0.2).io(3e5);
      assertThat(job.play(0.25, works ? 20 : 0, rank -> now)).isEmpty();
    }
  }

  @Test
  void ownPausesOfSimilarLengthAreWaitedFor() {
    PlayedJob job = new PlayedJob(2, 8, true, false, 10);
    job.all(WORK, 60);
    for (double minutes = 1.75; minutes < 20; minutes *= 1.4) {
      assertThat(job.all(SPIN, minutes)).isEmpty();
      assertThat(job.all(WORK, 20)).isEmpty();
    }
    assertThat(job.all(SPIN, 60)).isNotEmpty();
  }

  @Test
  void aHostThatIsSilentWhileTheOthersWork() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 60);
    job.silence(1);

    assertThat(job.all(WORK, 60)).isEmpty();
  }

  @Test
  void allHostsSilent() {
    PlayedJob job = PlayedJob.large();
    job.all(WORK, 60);
    for (int host = 0; host < 4; host++) {
      job.silence(host);
    }

    assertThat(job.all(WORK, 60)).isEmpty();
  }
}
