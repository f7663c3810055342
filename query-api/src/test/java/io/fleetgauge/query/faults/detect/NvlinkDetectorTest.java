package io.fleetgauge.query.faults.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.query.faults.reading.Ticks;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class NvlinkDetectorTest {
  private final Ticks ticks =
      Ticks.host("h1").gpu(0).with(Signal.LINKS_ACTIVE, 18).with(Signal.LINKS_INACTIVE, 0);
  private final HostWatch watch = new HostWatch(ticks);

  @Test
  void fewerActiveLinksThanBeforeAreDown() {
    assertThat(watch.all(10)).isEmpty();
    ticks.with(Signal.LINKS_ACTIVE, 17).with(Signal.LINKS_INACTIVE, 1);
    Finding found = watch.ticks(2).getFirst();
    assertThat(found.kind()).isEqualTo(FaultKind.NVLINK_DOWN);
    assertThat(found.subject().part()).isEmpty();
    assertThat(found.text()).isEqualTo("17 of 18 NVLinks are active.");
    ticks.with(Signal.LINKS_ACTIVE, 18).with(Signal.LINKS_INACTIVE, 0);
    assertThat(watch.next()).isEmpty();
  }

  @Test
  void linksThatSleepAreHealthy() {
    assertThat(watch.all(10)).isEmpty();
    ticks.with(Signal.LINKS_ACTIVE, 4);
    assertThat(watch.all(10)).isEmpty();
  }

  @Test
  void aLinkWithASeriesOfItsOwnIsNamedAndToldOnce() {
    ticks.with(Signal.LINKS_ACTIVE, 2);
    for (int link = 0; link < 3; link++) {
      ticks.gpu(0).link(link).with(Signal.LINK_STATE, link == 2 ? 0 : 1);
    }
    assertThat(watch.all(10)).as("a link that never was active is not there").isEmpty();
    ticks.gpu(0).with(Signal.LINKS_ACTIVE, 1).with(Signal.LINKS_INACTIVE, 2);
    ticks.link(1).with(Signal.LINK_STATE, 0);
    List<Finding> found = watch.ticks(2);
    assertThat(HostWatch.kinds(found)).containsExactly(FaultKind.NVLINK_DOWN);
    assertThat(found.getFirst().subject().part()).isEqualTo("1");
    ticks.link(1).with(Signal.LINK_STATE, 2);
    assertThat(watch.next()).as("asleep").isEmpty();
  }

  @Test
  void aRecoveryThatFailsLeavesALinkDown() {
    ticks.with(Signal.LINK_RECOVERIES_FAILED, 1);
    Finding found = watch.next().getFirst();
    assertThat(found.kind()).isEqualTo(FaultKind.NVLINK_DOWN);
    assertThat(found.count()).isEqualTo(1);
  }

  @Test
  void errorsThatRiseAreToldAndSingleOnesAreNot() {
    for (int i = 0; i < 20; i++) {
      ticks.with(Signal.LINK_REPLAYS, 4);
      assertThat(watch.next()).isEmpty();
      ticks.with(Signal.LINK_REPLAYS, 0);
      assertThat(watch.all(20)).isEmpty();
    }
    ticks.with(Signal.LINK_REPLAYS, 4);
    watch.next();
    Finding found = watch.next().getFirst();
    assertThat(found.kind()).isEqualTo(FaultKind.NVLINK_ERRORS);
    assertThat(found.text()).isEqualTo("The NVLinks of the GPU count 8 errors in 5 min.");
  }

  @Test
  void errorsOfALinkAreToldOfTheLinkOnly() {
    ticks.link(5).with(Signal.LINK_ERRORS, 30).gpu(0).with(Signal.LINK_CRC_ERRORS, 30);
    List<Finding> found = watch.all(4);
    assertThat(HostWatch.kinds(found)).hasSize(4).containsOnly(FaultKind.NVLINK_ERRORS);
    assertThat(found).allMatch(each -> each.subject().part().equals("5"));
  }
}
