package io.fleetgauge.probe.dcgm;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.config.PageSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MetricsPageTest {
  private static final Tick READ =
      new Tick.Builder()
          .add(gpu("DCGM_FI_DEV_GPU_UTIL"), 57)
          .add(gpu("DCGM_FI_DEV_SM_CLOCK"), 1_410)
          .add(gpu("DCGM_FI_DEV_FB_USED"), 3)
          .add(gpu("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"), 2)
          .add(gpu("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"), 1_500)
          .add(Labels.of("__name__", "node_load1", "Hostname", "n1"), 0.5)
          .at(0);

  private static Labels gpu(String metric) {
    return Labels.of(
        "__name__", metric, "gpu", "0", "Hostname", "n1", "DCGM_FI_DRIVER_VERSION", "590.1");
  }

  private static String page(String vocabulary, boolean hostname, String list) {
    Counters counters = list.isEmpty() ? Counters.ALL : Counters.parse(list);
    return new MetricsPage(new PageSettings(vocabulary, hostname)).text(READ, Map.of(), counters);
  }

  @Test
  void theNamesUnitsAndLabelsAreThoseThatAreStored() {
    assertThat(page(PageSettings.STORED, true, ""))
        .contains(
            "DCGM_FI_DEV_GPU_UTIL{DCGM_FI_DRIVER_VERSION=\"590.1\",Hostname=\"n1\",gpu=\"0\"} 57")
        .doesNotContain("RATIO")
        .doesNotContain("hostname");
  }

  @Test
  void theSwitchShowsTheNamesUnitsAndLabelsSinceDcgmExporter49() {
    String labels = "{DCGM_FI_SYSTEM_DRIVER_VERSION=\"590.1\",gpu=\"0\",hostname=\"n1\"} ";
    assertThat(page(PageSettings.NEWER, true, "").lines())
        .contains(
            "# HELP DCGM_FI_DEV_GPU_UTIL_RATIO Share of time with at least one kernel running, 0"
                + " to 1.",
            "# TYPE DCGM_FI_DEV_GPU_UTIL_RATIO gauge",
            "DCGM_FI_DEV_GPU_UTIL_RATIO" + labels + "0.57",
            "DCGM_FI_DEV_SM_CLOCK_HERTZ" + labels + "1410000000",
            "DCGM_FI_DEV_FB_USED_BYTES" + labels + "3145728",
            "DCGM_FI_DEV_NVLINK_THROUGHPUT_BYTES_PER_SECOND" + labels + "2048000",
            "# TYPE DCGM_FI_DEV_GPU_ENERGY_JOULES_TOTAL counter",
            "DCGM_FI_DEV_GPU_ENERGY_JOULES_TOTAL" + labels + "1.5",
            "node_load1{Hostname=\"n1\"} 0.5")
        .noneMatch(line -> line.startsWith("DCGM_FI_DEV_GPU_UTIL{"));
  }

  @Test
  void aListOfCountersSaysNamesTypesAndHelp() {
    String page =
        page(
            PageSettings.STORED,
            true,
            """
            DCGM_FI_DEV_GPU_UTIL, gauge, Busy (in %).
            DCGM_FI_DEV_GPU_UTIL_RATIO, gauge, Busy as a ratio.
            DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL, counter, Bandwidth.
            """);
    assertThat(page.lines())
        .contains(
            "# HELP DCGM_FI_DEV_GPU_UTIL Busy (in %).",
            "# HELP DCGM_FI_DEV_GPU_UTIL_RATIO Busy as a ratio.",
            "# TYPE DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL counter")
        .anyMatch(line -> line.startsWith("DCGM_FI_DEV_GPU_UTIL{") && line.endsWith(" 57"))
        .anyMatch(line -> line.startsWith("DCGM_FI_DEV_GPU_UTIL_RATIO{") && line.endsWith(" 0.57"));
  }

  @Test
  void theHostNameCanBeLeftOutInBothSpellings() {
    for (String vocabulary : new String[] {PageSettings.STORED, PageSettings.NEWER}) {
      assertThat(page(vocabulary, false, "")).doesNotContain("n1");
    }
  }
}
