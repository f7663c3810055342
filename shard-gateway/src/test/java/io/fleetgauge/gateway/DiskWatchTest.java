package io.fleetgauge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DiskWatchTest {
  private static final long START = 1_000_000;

  private final DiskWatch watch = new DiskWatch();

  @Test
  void hostsAreGivenAwayOnceWhenTheTroubleLasts() {
    assertThat(look(false, START)).isEmpty();
    assertThat(look(true, START + 100)).isEmpty();
    assertThat(look(true, START + 99 + DiskWatch.FAILING_MILLIS)).isEmpty();
    assertThat(look(true, START + 100 + DiskWatch.FAILING_MILLIS)).contains(false);
    assertThat(look(true, START + 900_000)).isEmpty();
  }

  @Test
  void aTroubleThatPassesChangesNothing() {
    long now = START;
    for (int i = 0; i < 100; i++) {
      assertThat(look(true, now)).isEmpty();
      assertThat(look(true, now + DiskWatch.FAILING_MILLIS - 1)).isEmpty();
      assertThat(look(false, now + DiskWatch.FAILING_MILLIS)).isEmpty();
      now += DiskWatch.FAILING_MILLIS + 1;
    }
  }

  @Test
  void hostsAreTakenAgainWhenTheDiskHasWorkedForAWhile() {
    look(true, START);
    assertThat(look(true, START + DiskWatch.FAILING_MILLIS)).contains(false);
    long works = START + 60_000;
    assertThat(look(false, works)).isEmpty();
    assertThat(look(true, works + DiskWatch.WORKING_MILLIS - 1)).isEmpty();
    long again = works + 30_000;
    assertThat(look(false, again)).isEmpty();
    assertThat(look(false, again + DiskWatch.WORKING_MILLIS - 1)).isEmpty();
    assertThat(look(false, again + DiskWatch.WORKING_MILLIS)).contains(true);
    assertThat(look(false, again + 900_000)).isEmpty();
  }

  @Test
  void aGatewayThatLeavesTakesNoHostsAgainWhenItsDiskBeginsToWork() {
    look(true, START);
    assertThat(look(true, START + DiskWatch.FAILING_MILLIS)).contains(false);
    long works = START + 60_000;
    assertThat(look(false, works)).isEmpty();
    watch.leave();
    assertThat(look(false, works + DiskWatch.WORKING_MILLIS)).isEmpty();
    assertThat(look(false, works + 900_000)).isEmpty();
  }

  /** Whether the gateway takes hosts from now on; empty if that stays as it is. */
  private Optional<Boolean> look(boolean failing, long millis) {
    List<Boolean> changes = new ArrayList<>();
    watch.look(failing, millis, changes::add);
    assertThat(changes).hasSizeLessThan(2);
    return changes.stream().findFirst();
  }
}
