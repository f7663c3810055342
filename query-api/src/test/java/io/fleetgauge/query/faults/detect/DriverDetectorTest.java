package io.fleetgauge.query.faults.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.query.faults.reading.Ticks;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class DriverDetectorTest {
  private final Ticks ticks =
      Ticks.host("h1")
          .with(Signal.DRIVER_RESPONSIVE, 1)
          .with(Signal.CALL_STATE, 0)
          .with(Signal.THREAD_BLOCKED, 0)
          .with(Signal.SLOW_CALLS, 0)
          .with(Signal.EXPECTED, 2)
          .with(Signal.COUNTED, 2)
          .gpu(0)
          .with(Signal.POWER, 600)
          .with(Signal.LOST, 0)
          .gpu(1)
          .with(Signal.POWER, 600)
          .with(Signal.LOST, 0)
          .onHost();
  private final HostWatch watch = new HostWatch(ticks);

  @Test
  void aCallThatDoesNotReturnIsAHang() {
    assertThat(watch.all(10)).isEmpty();
    ticks.with(Signal.CALL_STATE, 2).with(Signal.DRIVER_RESPONSIVE, 0);
    assertThat(watch.next()).isEmpty();
    long since = watch.time();
    Finding late = watch.next().getFirst();
    assertThat(late.kind()).isEqualTo(FaultKind.DRIVER_HANG);
    assertThat(late.cause()).isEqualTo("late");
    assertThat(late.since()).isEqualTo(since);
    assertThat(late.subject().uuid()).isEmpty();
    ticks.with(Signal.CALL_STATE, 3).with(Signal.THREAD_BLOCKED, 1);
    Finding hung = watch.next().getFirst();
    assertThat(hung.cause()).isEqualTo("hung");
    assertThat(hung.text()).contains("blocked in the kernel");
    ticks
        .with(Signal.CALL_STATE, 0)
        .with(Signal.THREAD_BLOCKED, 0)
        .with(Signal.DRIVER_RESPONSIVE, 1);
    assertThat(watch.all(4)).isEmpty();
  }

  @Test
  void aThreadThatIsBlockedInCallsThatAreInTimeIsHealthy() {
    ticks.with(Signal.THREAD_BLOCKED, 1);
    assertThat(watch.all(20)).isEmpty();
    ticks.with(Signal.CALL_STATE, 1);
    assertThat(HostWatch.kinds(watch.ticks(2))).containsExactly(FaultKind.DRIVER_HANG);
  }

  @Test
  void slowCallsInOneTickAfterTheOtherAreASlowDriverAndThoseOfOneStartAreNot() {
    for (int i = 0; i < 10; i++) {
      ticks.with(Signal.SLOW_CALLS, 3);
      assertThat(watch.all(2)).isEmpty();
      ticks.with(Signal.SLOW_CALLS, 0);
      assertThat(watch.all(4)).isEmpty();
    }
    long since = watch.time() + Ticks.STEP;
    ticks.with(Signal.SLOW_CALLS, 1);
    assertThat(watch.all(2)).isEmpty();
    List<Finding> found = watch.next();
    assertThat(HostWatch.kinds(found)).containsExactly(FaultKind.DRIVER_SLOW);
    assertThat(found.getFirst().since()).isEqualTo(since);
    ticks.with(Signal.SLOW_CALLS, 0);
    assertThat(watch.all(10)).isEmpty();
  }

  @Test
  void fewerGpusThanExpectedAreNamed() {
    assertThat(watch.all(10)).isEmpty();
    ticks.with(Signal.COUNTED, 1).withoutGpu(1);
    watch.next();
    Finding found = watch.next().getFirst();
    assertThat(found.kind()).isEqualTo(FaultKind.GPU_MISSING);
    assertThat(found.text())
        .isEqualTo("The driver counts 1 GPU of 2. Missing: GPU 1 " + Ticks.uuid("h1", 1) + ".");
    assertThat(found.evidence().getFirst().before()).isEqualTo(2);
  }

  @Test
  void aGpuThatIsMissingFromTheStartCounts() {
    ticks.with(Signal.COUNTED, 1).withoutGpu(1);
    assertThat(HostWatch.kinds(watch.ticks(2))).containsExactly(FaultKind.GPU_MISSING);
  }

  @Test
  void aGpuThatIsLostIsNotMissingToo() {
    ticks.with(Signal.COUNTED, 1).gpu(1).with(Signal.LOST, 1);
    assertThat(HostWatch.kinds(watch.ticks(4))).containsExactly(FaultKind.GPU_LOST);
  }
}
