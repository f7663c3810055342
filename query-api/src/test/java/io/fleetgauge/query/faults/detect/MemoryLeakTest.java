package io.fleetgauge.query.faults.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.query.faults.reading.Ticks;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

class MemoryLeakTest {
  private final Ticks ticks =
      Ticks.host("h1").gpu(0).job("7").with(Signal.MEMORY_TOTAL, 81_559).with(Signal.PROCESSES, 1);
  private final HostWatch watch = new HostWatch(ticks);

  /** Findings of so many hours of memory in use, MiB by hours. */
  private List<Finding> hours(double hours, DoubleUnaryOperator used) {
    List<Finding> found = new ArrayList<>();
    long begin = watch.time();
    while (watch.time() < begin + hours * 3_600_000) {
      ticks.with(Signal.MEMORY_USED, used.applyAsDouble((watch.time() - begin) / 3_600_000.0));
      found.addAll(watch.next());
    }
    return found;
  }

  @Test
  void memoryThatGrowsForHoursIsALeak() {
    Random random = new Random(1);
    List<Finding> found = hours(6, h -> 20_000 + 800 * h + 300 * random.nextDouble());
    assertThat(HostWatch.kinds(found)).isNotEmpty().containsOnly(FaultKind.MEMORY_LEAK);
    assertThat(found.getFirst().since()).isLessThanOrEqualTo(3_600_000);
    assertThat(found.getFirst().text()).contains("in 4 h");
    assertThat(found).extracting(Finding::since).containsOnly(found.getFirst().since());
    assertThat(hours(2, h -> 25_000).size()).as("until it has stopped").isLessThan(400);
    assertThat(hours(2, h -> 25_000)).isEmpty();
  }

  @Test
  void warmUpAndCachesThatReachALimitAreHealthy() {
    assertThat(hours(12, h -> h < 0.2 ? 2_000 + h * 200_000 : 60_000)).isEmpty();
    ticks.job("8");
    assertThat(hours(24, h -> 60_000 - 50_000 * Math.exp(-h / 2))).isEmpty();
    ticks.job("9");
    assertThat(hours(24, h -> 20_000 + 6_000 * Math.floor(h / 3))).as("by jumps").isEmpty();
    ticks.job("10");
    assertThat(hours(24, h -> 40_000 + 20_000 * Math.sin(h))).isEmpty();
  }

  @Test
  void jobsOneAfterTheOtherAreNoGrowth() {
    for (int job = 0; job < 12; job++) {
      ticks.job("j" + job);
      double used = 10_000 + 2_000 * job;
      assertThat(hours(1, h -> used)).isEmpty();
    }
  }
}
