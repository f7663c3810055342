package io.fleetgauge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DiskWatchTest {
  private static final long START = 1_000_000;

  private final DiskWatch watch = new DiskWatch();

  @Test
  void hostsAreGivenAwayOnceWhenTheTroubleLasts() {
    assertThat(watch.look(false, START)).isEmpty();
    assertThat(watch.look(true, START + 100)).isEmpty();
    assertThat(watch.look(true, START + 99 + DiskWatch.FAILING_MILLIS)).isEmpty();
    assertThat(watch.look(true, START + 100 + DiskWatch.FAILING_MILLIS)).contains(false);
    assertThat(watch.look(true, START + 900_000)).isEmpty();
  }

  @Test
  void aTroubleThatPassesChangesNothing() {
    long now = START;
    for (int i = 0; i < 100; i++) {
      assertThat(watch.look(true, now)).isEmpty();
      assertThat(watch.look(true, now + DiskWatch.FAILING_MILLIS - 1)).isEmpty();
      assertThat(watch.look(false, now + DiskWatch.FAILING_MILLIS)).isEmpty();
      now += DiskWatch.FAILING_MILLIS + 1;
    }
  }

  @Test
  void hostsAreTakenAgainWhenTheDiskHasWorkedForAWhile() {
    watch.look(true, START);
    assertThat(watch.look(true, START + DiskWatch.FAILING_MILLIS)).contains(false);
    long works = START + 60_000;
    assertThat(watch.look(false, works)).isEmpty();
    assertThat(watch.look(true, works + DiskWatch.WORKING_MILLIS - 1)).isEmpty();
    long again = works + 30_000;
    assertThat(watch.look(false, again)).isEmpty();
    assertThat(watch.look(false, again + DiskWatch.WORKING_MILLIS - 1)).isEmpty();
    assertThat(watch.look(false, again + DiskWatch.WORKING_MILLIS)).contains(true);
    assertThat(watch.look(false, again + 900_000)).isEmpty();
  }
}
