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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NvlinkTrendTest {
  private static final long DAY = 86_400_000;

  /** A seed for recoveries that do not scatter. */
  private static final long REGULAR = 0;

  /**
   * Findings of a link of days with a rate of recoveries.
   *
   * @param tick of the host, ms
   * @param rate recoveries a day, by days
   */
  private static List<Finding> link(
      long seed, double days, long tick, Signal signal, DoubleUnaryOperator rate) {
    List<Finding> found = new ArrayList<>();
    NvlinkTrend trend = new NvlinkTrend(Thresholds.defaults());
    Ticks ticks = Ticks.host("h1").gpu(0).step(tick);
    Random random = new Random(seed);
    double whole = 0;
    int count = 0;
    for (long time = 0; time <= days * DAY; time += 15_000) {
      double expected = rate.applyAsDouble((double) time / DAY) * 15_000 / DAY;
      whole += expected;
      if (seed == REGULAR ? whole >= 1 : random.nextDouble() < expected) {
        whole -= seed == REGULAR ? 1 : 0;
        count++;
      }
      if (time % tick == 0) {
        (signal == Signal.LINK_RECOVERY ? ticks.gpu(0).link(7) : ticks.gpu(0)).with(signal, count);
        count = 0;
        trend.on(ticks.at(time).build(), found::add);
      }
    }
    return found;
  }

  /** Recoveries grow by a factor each day until the link fails. */
  private static DoubleUnaryOperator growing(double factor, double atFailure, double days) {
    return day -> atFailure * Math.pow(factor, day - days);
  }

  @ParameterizedTest
  @CsvSource({"1.6, 120", "2, 100", "2, 400", "3, 200"})
  void aTrendIsToldADayBeforeTheLinkFails(double factor, double atFailure) {
    for (long seed = 1; seed <= 5; seed++) {
      List<Finding> found =
          link(seed, 9, 60_000, Signal.LINK_RECOVERY, growing(factor, atFailure, 10));
      assertThat(HostWatch.kinds(found))
          .as("seed %s", seed)
          .isNotEmpty()
          .containsOnly(FaultKind.NVLINK_TREND);
      Finding first = found.getFirst();
      assertThat(first.subject().part()).isEqualTo("7");
      assertThat(first.text()).startsWith("NVLink 7 recovered ").contains(" in a day, after ");
      assertThat(first.since()).isLessThan(9 * DAY);
    }
  }

  @Test
  void aTrendOfTheWholeGpuIsToldWhereLinksHaveNoSeries() {
    List<Finding> found = link(3, 9, 60_000, Signal.LINK_RECOVERIES_5, growing(2, 200, 10));
    assertThat(found).isNotEmpty().allMatch(each -> each.subject().part().isEmpty());
  }

  /** Ten recoveries on the first day, and the link fails after two and a half. */
  @ParameterizedTest
  @ValueSource(doubles = {2, 2.5, 3})
  void aTrendOfFewDaysIsToldADayBeforeToo(double factor) {
    List<Finding> found =
        link(
            REGULAR,
            1.76,
            15_000,
            Signal.LINK_RECOVERY,
            day -> day < 0.25 ? 0 : 10 * Math.pow(factor, day - 0.25));
    assertThat(HostWatch.kinds(found)).isNotEmpty().containsOnly(FaultKind.NVLINK_TREND);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.3, 3, 10, 40, 200})
  void aLinkWithOneRateHasNoTrend(double rate) {
    for (long seed = 1; seed <= 10; seed++) {
      assertThat(link(seed, 20, 300_000, Signal.LINK_RECOVERY, day -> rate)).isEmpty();
    }
  }

  @Test
  void aBurstIsNoTrend() {
    assertThat(
            link(1, 12, 60_000, Signal.LINK_RECOVERY, day -> day > 8 && day < 8.05 ? 1_000 : 0.2))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void itIsTheSameWhetherReadEveryQuarterOfAMinuteOrOnceAnHour(long seed) {
    DoubleUnaryOperator rate = growing(2, 200, 10);
    List<Finding> often = link(seed, 9, 15_000, Signal.LINK_RECOVERY, rate);
    List<Finding> seldom = link(seed, 9, 3_600_000, Signal.LINK_RECOVERY, rate);
    assertThat(seldom).isNotEmpty();
    assertThat(often.stream().map(each -> each.since() + each.text()).distinct().toList())
        .isEqualTo(seldom.stream().map(each -> each.since() + each.text()).distinct().toList());
  }

  @Test
  void anIncreaseOverASilenceIsSpreadOverIt() {
    Growth growth = new Growth(6, 0);
    growth.add(0, 2 * DAY, 80);
    growth.forward(Growth.part(2 * DAY + 1));
    assertThat(growth.lastDay()).isEqualTo(40);
    assertThat(growth.dayBefore()).isEqualTo(40);
    assertThat(growth.isGrowing(new Growth.Limits(2, 8, 1.5, 4))).isFalse();
  }
}
