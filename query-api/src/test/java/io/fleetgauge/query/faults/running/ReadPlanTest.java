package io.fleetgauge.query.faults.running;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which samples are read for a step. */
class ReadPlanTest {
  private static final long STEP = 15_000;
  private static final long NOW = 1_795_300_200_000L;

  private static boolean selects(ReadPlan.Part part, String host) {
    Labels of = Labels.of(Labels.NAME, "DCGM_FI_DEV_POWER_USAGE", "Hostname", host);
    return part.selection().matchers().stream().allMatch(each -> each.matches(of));
  }

  @Test
  void aHostThatIsBehindIsReadSinceItsLastSampleForAnHourAtMost() {
    Map<String, Long> newest =
        Map.of("now", NOW - STEP, "late", NOW - 600_000, "gone", NOW - 86_400_000);
    List<ReadPlan.Part> plan =
        ReadPlan.of(newest.keySet(), newest, NOW - STEP, NOW, STEP + STEP / 2);
    assertThat(plan).hasSize(3);
    assertThat(plan.getFirst().behind()).isEmpty();
    assertThat(plan.getFirst().selection().to()).isEqualTo(NOW);
    assertThat(selects(plan.getFirst(), "unknown")).isTrue();
    for (ReadPlan.Part part : plan.subList(1, 3)) {
      boolean isGone = part.behind().contains("gone");
      assertThat(part.selection().from()).isEqualTo(isGone ? NOW - 3_600_000 : NOW - 600_000);
      assertThat(selects(part, isGone ? "gone" : "late")).isTrue();
      assertThat(selects(part, "now")).isFalse();
    }
  }

  @Test
  void manyHostsAreReadInParts() {
    List<String> hosts = new ArrayList<>();
    for (int i = 0; i < 450; i++) {
      hosts.add("gpu-" + i + ".rack(1)");
    }
    List<ReadPlan.Part> plan = ReadPlan.of(hosts, Map.of(), NOW - STEP, NOW, STEP);
    assertThat(plan).hasSize(3);
    for (String host : hosts) {
      assertThat(plan.stream().filter(part -> selects(part, host))).as(host).hasSize(1);
    }
  }
}
