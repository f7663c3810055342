package io.fleetgauge.distribution.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.fleetgauge.distribution.process.Programs;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code gpu-check} with the probe as it is packaged, over stand-ins for the driver, for CUDA, and
 * for nvidia-smi, which reads the same stand-in another way.
 */
class GpuCheckTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final Path SCRIPT = ROOT.resolve("distribution/src/main/gpu/gpu-check");
  private static final Path LAUNCHER =
      ROOT.resolve("distribution/target/processes/probe/bin/fleetgauge");
  private static final String GPUS =
      """
      gpus 2
      0 text.uuid GPU-1
      0 text.name NVIDIA H100 80GB HBM3
      0 gpu_percent 87
      0 memory_percent 12
      0 total 85520809984
      0 used 1048576000
      0 reserved 577765376
      0 bar1_total 137438953472
      0 bar1_used 1048576
      0 celsius 64
      0 power 687125
      0 energy 9000000000123
      0 limit 700000
      0 limit_enforced 700000
      0 limit_default 700000
      0 limit_min 200000
      0 limit_max 700000
      0 threshold.0 95
      0 threshold.1 92
      0 clock.1 1980
      0 clock.2 2619
      0 max_clock.1 1980
      0 pstate 0
      0 replays 3
      0 generation 5
      0 width 16
      0 persistence 1
      0 ecc 1
      1 text.uuid GPU-2
      1 text.name NVIDIA L40S
      1 gpu_percent 5
      1 total 48305799168
      1 celsius 54
      1 fan 30
      1 power 110000
      """;

  @TempDir private static Path folder;
  private static Path nvml;
  private static Path cuda;
  private static Path gpus;

  /** Its exit status and output. */
  private record CommandResult(int status, String output) {}

  @BeforeAll
  static void build() throws Exception {
    PackagedProbe.assumeBuilt();
    assumeThat(Files.isExecutable(Path.of("/usr/bin/python3"))).as("Python is here").isTrue();
    gpus = Files.writeString(folder.resolve("gpus"), GPUS);
    nvml = StandInDriver.compile(ROOT.resolve("node-probe/src/test/c/nvml_stand_in.c"), folder);
    cuda = folder.resolve("libcuda.so");
    Programs.run(
        folder,
        System.getenv().getOrDefault("CC", "cc"),
        "-shared",
        "-fPIC",
        "-o",
        cuda.toString(),
        ROOT.resolve("distribution/src/test/c/cuda_stand_in.c").toString());
  }

  private static CommandResult run(String out, Map<String, String> environment, String... options)
      throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                LAUNCHER.toString(),
                "gpu-check",
                "--out",
                folder.resolve(out).toString(),
                "--library",
                nvml.toString(),
                "--nvidia-smi",
                ROOT.resolve("distribution/src/test/gpu/nvidia-smi").toString()));
    command.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("NVML_STAND_IN", gpus.toString());
    builder.environment().put("NVML_STAND_IN_LIBRARY", nvml.toString());
    builder.environment().put("CUDA_STAND_IN", folder.resolve("calls").toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new CommandResult(process.waitFor(), output);
  }

  @Test
  void equalReadingsAreNoDifferencesIdleAndUnderALoadOnEachGpu() throws Exception {
    CommandResult ended = run("equal", Map.of(), "--cuda", cuda.toString());
    assertThat(ended.output).contains("of 2 GPUs, 0 differences");
    assertThat(ended.status).isZero();
    assertThat(folder.resolve("calls")).content().contains("GPU-1 launch", "GPU-2 launch");
    for (String phase : List.of("idle", "load")) {
      assertThat(folder.resolve("equal/readings/" + phase + ".metrics"))
          .content()
          .contains("DCGM_FI_DEV_POWER_USAGE{");
      Path fixture =
          folder.resolve("equal/fixtures/nvidia-h100-80gb-hbm3__590.48.01__" + phase + ".metrics");
      assertThat(fixture)
          .content()
          .contains(
              "# TYPE nvidia_smi_clocks_current_sm_clock_hz gauge\n"
                  + "nvidia_smi_clocks_current_sm_clock_hz"
                  + "{uuid=\"00000000-0000-0000-0000-000000000000\"} 1980000000\n")
          .doesNotContain("GPU-1");
    }
  }

  @Test
  void eachWrongReadingUnitAndLabelIsNamedWithBothValues() throws Exception {
    CommandResult ended =
        run(
            "wrong",
            Map.of("SMI_WRONG", "total=1 MiB,gpu_temp=640 C,id=00000000:99:00.0,fan_speed=50 %"),
            "--no-load");
    assertThat(ended.status).isEqualTo(1);
    assertThat(ended.output)
        .contains(
            "GPU-1: DCGM_FI_DEV_FB_TOTAL is 81559 MiB, expected 1 (nvidia-smi",
            "GPU-1: DCGM_FI_DEV_GPU_TEMP is 64 celsius, expected 640 (nvidia-smi",
            "GPU-2: DCGM_FI_DEV_FAN_SPEED is 30 percent, expected 50 (nvidia-smi",
            "label pci_bus_id is 00000000:3B:00.0 , expected 00000000:99:00.0")
        .doesNotContain("GPU-1: DCGM_FI_DEV_POWER_USAGE ");
    assertThat(folder.resolve("wrong/differences.txt"))
        .content()
        .contains("DCGM_FI_DEV_FB_TOTAL", "differences");
  }

  @Test
  void withoutACudaDriverIdleGpusAreComparedAndItSaysSo() throws Exception {
    CommandResult ended = run("no-load", Map.of(), "--cuda", folder.resolve("none.so").toString());
    assertThat(ended.output).contains("Idle GPUs only: no load", "0 differences");
    assertThat(ended.status).isZero();
  }

  @Test
  void whereThereIsNoDriverOrNoNvidiaSmiItSaysWhatIsMissing() throws Exception {
    CommandResult none = run("none", Map.of(), "--library", folder.resolve("none.so").toString());
    assertThat(none.output).contains("NVML cannot be loaded").contains("--library");
    assertThat(none.status).isEqualTo(2);
    CommandResult smi = run("smi", Map.of(), "--nvidia-smi", folder.resolve("no-smi").toString());
    assertThat(smi.output).contains(" cannot be run: ").contains("--nvidia-smi names it");
    assertThat(smi.status).isEqualTo(2);
  }

  @Test
  void eachMetricOfAGpuIsComparedOrHasAReasonWhyNot() throws IOException {
    String script = Files.readString(SCRIPT);
    List<String> compared = found(script, "Row\\('(\\w+)'");
    List<String> reasons = found(script, "\\n    \\('(\\w+)', '");
    TreeSet<String> left = new TreeSet<>();
    TreeSet<String> known = new TreeSet<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                GpuMetrics.class.getResourceAsStream("gpu-metrics.tsv"), StandardCharsets.UTF_8))) {
      lines
          .lines()
          .skip(1)
          .map(line -> line.split("\t")[0])
          .forEach(
              metric -> {
                known.add(metric);
                if (!compared.contains(metric) && reasons.stream().noneMatch(metric::startsWith)) {
                  left.add(metric);
                }
              });
    }
    assertThat(left).isEmpty();
    assertThat(known).containsAll(compared);
  }

  private static List<String> found(String text, String pattern) {
    return Pattern.compile(pattern).matcher(text).results().map(each -> each.group(1)).toList();
  }
}
