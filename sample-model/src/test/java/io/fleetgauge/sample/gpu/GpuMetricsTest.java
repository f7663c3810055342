package io.fleetgauge.sample.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.gpu.GpuMetric.Entity;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GpuMetricsTest {
  @Test
  void aMetricSaysHowOftenItIsReadAndWhatItIsOf() {
    GpuMetric used = GpuMetrics.of("DCGM_FI_DEV_FB_USED");
    assertThat(used.tier()).isEqualTo(Tier.CORE);
    assertThat(used.entities()).containsExactly(Entity.GPU, Entity.MIG);
    assertThat(used.unit()).isEqualTo("MiB");
    assertThat(used.inDcgmDefault()).isTrue();
    GpuMetric limit = GpuMetrics.of("DCGM_FI_DEV_POWER_MGMT_LIMIT_MAX");
    assertThat(limit.tier()).isEqualTo(Tier.STATIC);
    assertThat(limit.inDcgmDefault()).isFalse();
  }

  @Test
  void whereDcgmExporterDeclaresAnotherTypeTheTableHasBoth() {
    GpuMetric bandwidth = GpuMetrics.of("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL");
    assertThat(bandwidth.type()).isEqualTo("gauge");
    assertThat(bandwidth.dcgmType()).isEqualTo("counter");
    assertThat(GpuMetrics.of("DCGM_FI_DEV_POWER_USAGE").dcgmType()).isEqualTo("gauge");
    assertThat(GpuMetrics.of("gpu_lost").dcgmType()).isEmpty();
  }

  @Test
  void noNameIsUsedTwice() {
    Set<String> names = new HashSet<>();
    for (GpuMetric metric : GpuMetrics.all()) {
      assertThat(names.add(metric.name())).as(metric.name()).isTrue();
    }
  }

  @Test
  void everyDefaultOfDcgmExporterIsInATierThatIsReadWithoutAsking() {
    assertThat(GpuMetrics.all())
        .filteredOn(GpuMetric::inDcgmDefault)
        .hasSizeGreaterThan(20)
        .allSatisfy(metric -> assertThat(metric.tier()).isNotEqualTo(Tier.LINK))
        .allSatisfy(metric -> assertThat(metric.dcgmType()).as(metric.name()).isNotEmpty());
  }

  @Test
  void aMetricThatTheTableLacksIsAMistakeThatNamesIt() {
    assertThat(GpuMetrics.find("gpu_nothing")).isEmpty();
    assertThatThrownBy(() -> GpuMetrics.of("gpu_nothing"))
        .hasMessage("gpu-metrics.tsv has no metric gpu_nothing; add it");
  }
}
