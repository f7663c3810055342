package io.fleetgauge.sample.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class GpuEventTest {
  @ParameterizedTest
  @CsvSource({"0, 79, true", "79, 79, false", "79, 31, true", "79, 0, false"})
  void anXidIsShownByAnotherCodeThanBefore(double before, double now, boolean isShown) {
    assertThat(GpuEvent.XID.isShown(before, now)).isEqualTo(isShown);
  }

  @ParameterizedTest
  @CsvSource({"0x0, false", "0x1, false", "0x103, false", "0x4, true", "0x41, true", "0x200, true"})
  void idlenessAndSettingsThrottleNothingAndWhatIsUnknownDoes(String mask, boolean isShown) {
    assertThat(GpuEvent.THROTTLE.isShown(0, Long.decode(mask))).isEqualTo(isShown);
  }

  @ParameterizedTest
  @EnumSource(names = {"GPU_LOST", "ECC_UNCORRECTED", "ROW_REMAP_FAILURE", "RECOVERY_ACTION"})
  void countsAndStatesShowAnEventWhenTheyRise(GpuEvent event) {
    assertThat(event.isShown(1, 2)).isTrue();
    assertThat(event.isShown(1, 1)).isFalse();
    assertThat(event.isShown(2, 1)).isFalse();
  }

  @Test
  void aDriverThatStopsAnsweringHangs() {
    assertThat(GpuEvent.DRIVER_HUNG.isShown(1, 0)).isTrue();
    assertThat(GpuEvent.DRIVER_HUNG.isShown(0, 0)).isFalse();
    assertThat(GpuEvent.DRIVER_HUNG.isShown(0, 1)).isFalse();
  }

  @Test
  void aCodeIsOfOneClass() {
    TreeSet<Integer> codes = new TreeSet<>();
    for (XidClass each : XidClass.values()) {
      assertThat(each.codes()).isSorted().isNotEmpty().allMatch(codes::add);
    }
    assertThat(XidClass.CRITICAL.codes()).contains(XidClass.OFF_THE_BUS);
    assertThat(codes)
        .allMatch(code -> XidClass.isCritical(code) == XidClass.CRITICAL.codes().contains(code));
  }
}
