package io.fleetgauge.probe.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.faults.FaultWindows.Result;
import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuEvent;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which faults keep a window, by a clock that the test turns. */
class FaultWindowsTest {
  private static final long T = 1_700_000_000_000L;
  private static final long LENGTH = 600_000;
  private static final long AFTER = 30_000;
  private static final Labels POWER = gpu(0).with(Labels.NAME, "gpu_recent_power_watts");

  private final Ring ring = new Ring(631, 1_000);
  private final FaultWindows windows = new FaultWindows(ring, LENGTH, AFTER, 3, 2);
  private long now = T;

  @BeforeEach
  void fill() {
    for (int second = -900; second <= 0; second++) {
      ring.begin(T + second * 1_000L);
      ring.put(POWER, second);
    }
  }

  private static Labels gpu(int index) {
    return Labels.of("gpu", Integer.toString(index), "UUID", "GPU-" + index);
  }

  private static GpuFault xid(int gpu, int code, long time) {
    return new GpuFault(GpuEvent.XID, code, gpu(gpu), time);
  }

  /** Time passes, second by second; answers the window that ended. */
  private Optional<FaultWindow> pass(int seconds) {
    Optional<FaultWindow> ended = Optional.empty();
    for (int i = 0; i < seconds; i++) {
      now += 1_000;
      ring.begin(now);
      ring.put(POWER, (now - T) / 1_000.0);
      ended = ended.or(() -> windows.at(now));
    }
    return ended;
  }

  @Test
  void aWindowHasTheTimeBeforeTheFaultAndSomeTimeAfterIt() {
    assertThat(windows.on(xid(0, 79, T))).isEqualTo(Result.KEPT);
    assertThat(pass(29)).isEmpty();
    FaultWindow window = pass(1).orElseThrow();
    assertThat(window.id()).isEqualTo("20231114T221320Z-xid79-gpu0");
    assertThat(window.readings().first()).isEqualTo(T - LENGTH);
    assertThat(window.readings().rows()).isEqualTo(631);
    assertThat(window.readings().values()[0]).startsWith(-600, -599).endsWith(29, 30);
    assertThat(windows.kept()).containsExactly(window);
    assertThat(windows.find(window.id())).contains(window);
    pass(100);
    assertThat(window.readings().values()[0]).as("frozen").endsWith(29, 30);
  }

  @Test
  void faultsUntilItsEndBelongToTheWindow() {
    windows.on(xid(0, 79, now));
    pass(1);
    GpuFault lost = new GpuFault(GpuEvent.GPU_LOST, 0, gpu(0), now);
    assertThat(windows.on(lost)).isEqualTo(Result.JOINED);
    for (int i = 0; i < 100; i++) {
      windows.on(xid(1, 74, now));
    }
    FaultWindow window = pass(30).orElseThrow();
    assertThat(window.faults()).hasSize(32).startsWith(xid(0, 79, T), lost);
    assertThat(windows.count(Result.JOINED)).isEqualTo(101);
    assertThat(window.isSent(gpu(0))).isTrue();
    assertThat(window.isSent(gpu(1))).isTrue();
    assertThat(window.isSent(gpu(2))).isFalse();
    assertThat(window.isSent(Labels.EMPTY)).as("the host's").isTrue();
  }

  @Test
  void theSameFaultSoonAfterHasNoSecondWindowAndAnotherOneHas() {
    windows.on(xid(0, 119, now));
    pass(45);
    assertThat(windows.on(xid(0, 119, now))).isEqualTo(Result.REPEATED);
    assertThat(windows.on(xid(1, 119, now))).isEqualTo(Result.KEPT);
    pass(600);
    assertThat(windows.on(xid(0, 119, now))).isEqualTo(Result.KEPT);
    pass(31);
    assertThat(windows.kept()).as("the newest two").hasSize(2);
    assertThat(windows.kept().getFirst().first().uuid()).isEqualTo("GPU-1");
  }

  @Test
  void moreWindowsThanMayBeginWithinAnHourAreCountedAndAnHourLaterTheyBegin() {
    for (int gpu = 0; gpu < 3; gpu++) {
      assertThat(windows.on(xid(gpu, 48, now))).isEqualTo(Result.KEPT);
      pass(31);
    }
    assertThat(windows.on(xid(3, 48, now))).isEqualTo(Result.LIMITED);
    assertThat(pass(31)).isEmpty();
    windows.overflow();
    assertThat(windows.count(Result.LIMITED)).isEqualTo(2);
    now += 3_600_000;
    assertThat(windows.on(xid(3, 48, now))).isEqualTo(Result.KEPT);
  }

  @Test
  void faultsOfOneSecondHaveDifferentIds() {
    windows.on(xid(0, 48, T));
    FaultWindow first = windows.at(Long.MAX_VALUE).orElseThrow();
    windows.on(new GpuFault(GpuEvent.XID, 48, gpu(0).with("UUID", "GPU-x"), T));
    FaultWindow second = windows.at(Long.MAX_VALUE).orElseThrow();
    assertThat(second.id()).isEqualTo(first.id() + "-2");
    assertThat(windows.at(Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void aClockThatIsSetBackDoesNotKeepAWindowOpen() {
    windows.on(xid(0, 48, T));
    assertThat(windows.at(T - LENGTH)).isEmpty();
    assertThat(windows.at(T - LENGTH - 1)).isPresent();
  }

  @Test
  void aCallThatHangsIsOneFaultThatBeganWithTheCallAndWhoseWindowHasAllGpus() {
    FaultSigns signs = new FaultSigns();
    Optional<GpuThread.Hung> stuck = Optional.of(new GpuThread.Hung("power", 3, 61_000_000_000L));
    assertThat(signs.of(Optional.empty(), T)).isEmpty();
    GpuFault fault = signs.of(stuck, T).orElseThrow();
    assertThat(fault).isEqualTo(new GpuFault(GpuEvent.DRIVER_HUNG, 0, Labels.EMPTY, T - 61_000));
    assertThat(signs.of(stuck, T + 1_000)).isEmpty();
    assertThat(signs.of(Optional.empty(), T + 2_000)).isEmpty();
    assertThat(signs.of(stuck, T + 3_000)).isPresent();
    windows.on(fault);
    FaultWindow window = windows.at(T).orElseThrow();
    assertThat(window.id()).isEqualTo("20231114T221219Z-driver_hung");
    assertThat(window.isSent(gpu(5))).isTrue();
    assertThat(List.of(window.readings().values()[0]).getFirst()).endsWith(-32, -31);
  }
}
