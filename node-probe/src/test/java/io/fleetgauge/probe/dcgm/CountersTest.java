package io.fleetgauge.probe.dcgm;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.Damage;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CountersTest {
  /** In the form of dcgm-exporter's own lists, with what users write. */
  private static final String LIST =
      """
      # Format
      # If line starts with a '#' it is considered a comment
      # DCGM FIELD, Prometheus metric type, help message

      DCGM_FI_DEV_SM_CLOCK,  gauge, SM clock frequency (in MHz).
      DCGM_FI_DEV_DEC_UTIL ,     gauge, Decoder utilization (in %).
      DCGM_FI_DEV_GPU_UTIL_RATIO, gauge, "GPU utilization, 0 to 1."
        # DCGM_FI_DEV_ENC_UTIL, gauge, commented out
      DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL, counter, Bandwidth, all lanes.
      DCGM_FI_DRIVER_VERSION, label, Driver Version
      """;

  @Test
  void aListChoosesMetricsTypesHelpAndLabels() {
    Counters counters = Counters.parse(LIST);
    assertThat(counters.warnings()).isEmpty();
    assertThat(counters.metrics())
        .containsExactly(
            "DCGM_FI_DEV_SM_CLOCK",
            "DCGM_FI_DEV_DEC_UTIL",
            "DCGM_FI_DEV_GPU_UTIL",
            "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL");
    assertThat(counters.of("DCGM_FI_DEV_GPU_UTIL"))
        .contains(
            List.of(
                new Counter("DCGM_FI_DEV_GPU_UTIL_RATIO", "gauge", "GPU utilization, 0 to 1.")));
    assertThat(counters.of("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL").orElseThrow().getFirst())
        .isEqualTo(
            new Counter("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "counter", "Bandwidth,all lanes."));
    assertThat(counters.labels()).containsExactly("DCGM_FI_DRIVER_VERSION");
    assertThat(counters.has("DCGM_FI_DEV_ENC_UTIL")).isFalse();
    assertThat(counters.has("gpu_xid_total")).as("not dcgm-exporter's").isTrue();
    assertThat(counters.hasLinks()).isFalse();
    assertThat(Counters.parse("DCGM_FI_DEV_NVLINK_BANDWIDTH_L3,gauge,x").hasLinks()).isTrue();
  }

  @Test
  void aLineThatCannotBeFollowedIsToldByNumberAndField() {
    Counters counters =
        Counters.parse(
            """
            DCGM_FI_DEV_POWER_USAGE, gauge, Power
            DCGM_FI_DEV_VGPU_UTILIZATIONS, gauge, unknown here
            utilization,memory,power
            DCGM_FI_DEV_GPU_TEMP, guage, Temperature
            DCGM_FI_DEV_BRAND, label, Brand
            DCGM_FI_DEV_POWER_USAGE, gauge, Power
            DCGM_FI_DEV_FB_USED
            gpu_info, gauge, not dcgm-exporter's
            """);
    assertThat(counters.metrics()).containsExactly("DCGM_FI_DEV_POWER_USAGE");
    assertThat(counters.warnings())
        .containsExactly(
            "line 2: this probe does not read the field DCGM_FI_DEV_VGPU_UTILIZATIONS",
            "line 3: the type \"memory\" of utilization is none of counter, gauge, histogram, label"
                + " and summary",
            "line 4: the type \"guage\" of DCGM_FI_DEV_GPU_TEMP is none of counter, gauge,"
                + " histogram, label and summary",
            "line 5: this probe does not know the label DCGM_FI_DEV_BRAND",
            "line 6: the field DCGM_FI_DEV_POWER_USAGE is chosen twice; this line is ignored",
            "line 7: \"DCGM_FI_DEV_FB_USED\" has no field, type and help separated by commas",
            "line 8: this probe does not read the field gpu_info");
  }

  @Test
  void aListThatChoosesNothingSaysThatAllMetricsAreSent() {
    for (String list : List.of("", "# nothing\n", "x,y\n")) {
      Counters counters = Counters.parse(list);
      assertThat(counters.has("DCGM_FI_DEV_ENC_UTIL")).isTrue();
      assertThat(counters.warnings())
          .last()
          .isEqualTo("no line chooses a metric that is read, so all metrics are sent");
    }
  }

  @Test
  void whatIsBeyondALimitIsToldAndNotRead() {
    String much = "DCGM_FI_DEV_FB_USED,gauge,x\n" + "\n".repeat(Counters.MAX_LINES);
    assertThat(Counters.parse(much).warnings())
        .containsExactly("line 10000: the lines after this one are not read; the limit is 10000");
    assertThat(Counters.parse("a".repeat(5_000) + ",gauge,x").warnings())
        .contains("line 1: it has 5008 characters; the limit is 4096");
    assertThat(Counters.parse("x\n".repeat(150)).warnings()).hasSize(102).contains("and 50 more");
  }

  @Test
  void noDamageToAListCrashesOrChoosesWhatIsNotRead() {
    SplittableRandom random = new SplittableRandom(22);
    byte[] whole = LIST.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 100_000; i++) {
      byte[] bytes = whole.clone();
      int damages = 1 + random.nextInt(8);
      for (int n = 0; n < damages; n++) {
        int at = random.nextInt(bytes.length);
        switch (random.nextInt(4)) {
          case 0 -> bytes[at] = (byte) random.nextInt(256);
          case 1 -> bytes[at] = (byte) ",\"\n\r#\t \0".charAt(random.nextInt(8));
          case 2 -> bytes[at] = bytes[random.nextInt(bytes.length)];
          default -> {
            byte[] cut =
                new byte[bytes.length - 1 - random.nextInt(Math.min(40, bytes.length - 1))];
            System.arraycopy(bytes, 0, cut, 0, cut.length);
            bytes = cut.length == 0 ? new byte[] {','} : cut;
          }
        }
      }
      Counters counters = Counters.parse(new String(bytes, StandardCharsets.UTF_8));
      for (String stored : counters.metrics()) {
        assertThat(GpuMetrics.find(stored)).as("number %d", i).isPresent();
        for (Counter counter : counters.of(stored).orElseThrow()) {
          assertThat(Set.of("gauge", "counter", "histogram", "summary")).contains(counter.type());
        }
      }
      assertThat(GpuMetrics.labels()).as("number %d", i).containsAll(counters.labels());
      assertThat(counters.warnings())
          .allMatch(text -> text.startsWith("line ") || text.startsWith("no line "));
    }
  }

  @Test
  void aChangedFileIsFollowedAndAVanishedOneChangesNothing(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("counters.csv");
    Files.writeString(file, "DCGM_FI_DEV_FB_USED, gauge, x\n");
    CountersFile opened = CountersFile.open(file);
    Files.writeString(file, "DCGM_FI_DEV_FB_FREE, gauge, x\n");
    opened.look();
    assertThat(opened.counters().metrics()).containsExactly("DCGM_FI_DEV_FB_FREE");
    Files.delete(file);
    opened.look();
    assertThat(opened.counters().metrics()).containsExactly("DCGM_FI_DEV_FB_FREE");
  }

  @Test
  void aDamagedLineCostsNoOtherAndIsWarnedOf() {
    SplittableRandom random = Damage.random("counters");
    byte[] line =
        "DCGM_FI_DEV_SM_CLOCK, gauge, SM clock (in MHz).\n".getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < Damage.TIMES; i++) {
      Damage how = Damage.values()[i % Damage.values().length];
      String text =
          "DCGM_FI_DEV_GPU_TEMP, gauge, Temperature.\n"
              + new String(how.to(line, random), StandardCharsets.UTF_8)
              + "DCGM_FI_DEV_POWER_USAGE, gauge, Power.\n";
      Counters read = Counters.parse(text);
      assertThat(read.metrics())
          .as(text)
          .contains("DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_POWER_USAGE");
      boolean isChosen = read.metrics().contains("DCGM_FI_DEV_SM_CLOCK");
      assertThat(isChosen || !read.warnings().isEmpty() || how == Damage.CUT).as(text).isTrue();
    }
  }
}
