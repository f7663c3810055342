package io.fleetgauge.cluster.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A member looks at the registry every second while something changes, and then every five. */
class PollScheduleTest {
  private static final long JOINED = -7_000; // a steady clock may begin anywhere
  private static final long QUIET = JOINED + 30_000;

  private final PollSchedule schedule = new PollSchedule(JOINED);

  /** The times of the looks from one time to another, both included. */
  private List<Long> looks(long from, long to) {
    List<Long> looks = new ArrayList<>();
    for (long now = from; now <= to; now += PollSchedule.TICK_MILLIS) {
      if (schedule.isDue(now)) {
        looks.add(now);
      }
    }
    return looks;
  }

  @Test
  void aMemberThatJoinsLooksEverySecond() {
    assertThat(looks(JOINED + 1_000, QUIET - 1_000)).hasSize(29);
  }

  @Test
  void whenNothingHasChangedForHalfAMinuteItLooksEveryFiveSeconds() {
    looks(JOINED + 1_000, QUIET - 1_000);
    assertThat(looks(QUIET, QUIET + 14_000))
        .containsExactly(QUIET + 4_000, QUIET + 9_000, QUIET + 14_000);
  }

  @Test
  void aChangeMakesItLookEverySecondAgainFromTheNextSecondOn() {
    looks(JOINED + 1_000, QUIET + 4_000);
    schedule.changed(QUIET + 4_500);
    assertThat(looks(QUIET + 5_000, QUIET + 34_000)).hasSize(30);
    assertThat(looks(QUIET + 35_000, QUIET + 40_000)).containsExactly(QUIET + 39_000);
  }

  @Test
  void whileSomethingChangesEachTimeItNeverBecomesQuiet() {
    for (long now = JOINED + 1_000; now < JOINED + 3_600_000; now += 20_000) {
      assertThat(looks(now, now + 19_000)).hasSize(20);
      schedule.changed(now + 19_500);
    }
  }
}
