package io.fleetgauge.probe.dcgm;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.ProbeCommand;
import io.fleetgauge.probe.config.AttributionSettings;
import io.fleetgauge.probe.config.KubeletSettings;
import io.fleetgauge.probe.config.ProbeConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DcgmOptionsTest {
  @CommandLine.Command(name = "fleetgauge")
  private static final class Above {}

  /** As {@code fleetgauge probe} reads them. */
  private static DcgmOptions.Result read(Map<String, String> environment, String... flags) {
    CommandLine line = new CommandLine(new Above());
    line.addSubcommand(new ProbeCommand());
    List<String> all = new ArrayList<>(List.of("probe"));
    all.addAll(List.of(flags));
    line.parseArgs(all.toArray(String[]::new));
    return DcgmOptions.read(
        DcgmFlags.given(line.getSubcommands().get("probe").getCommandSpec()), environment::get);
  }

  @Test
  void flagsOfDcgmExporterSetKeys() {
    DcgmOptions.Result result =
        read(
            Map.of(),
            "-f",
            "/etc/counters.csv",
            "--address=:9401",
            "-c",
            "10000",
            "-d",
            "g:0,1",
            "-n",
            "--replace-blanks-in-model-name",
            "--log-format",
            "json",
            "--debug");
    assertThat(result.warnings()).isEmpty();
    assertThat(result.keys())
        .isEqualTo(
            Map.of(
                "gpu.collectors",
                "/etc/counters.csv",
                "http.port",
                9401,
                "tick",
                "10000ms",
                "gpu.devices",
                "g:0,1",
                "metrics.hostname",
                false,
                "gpu.replaceBlanksInModelName",
                true,
                "log.format",
                "json",
                "log.level",
                "debug"));
  }

  @Test
  void aFlagGoesBeforeItsVariable() {
    Map<String, String> environment =
        Map.of(
            "DCGM_EXPORTER_COLLECTORS", "/a",
            "DCGM_EXPORTER_LISTEN", "10.0.0.1:9400",
            "DCGM_EXPORTER_NO_HOSTNAME", "false",
            "DCGM_EXPORTER_INTERVAL", "");
    assertThat(read(environment, "--collectors", "/b").keys())
        .isEqualTo(Map.of("gpu.collectors", "/b", "http.host", "10.0.0.1", "http.port", 9400));
    assertThat(read(environment).keys()).containsEntry("gpu.collectors", "/a");
    assertThat(read(Map.of(), "-a", "[::1]:1").keys())
        .isEqualTo(Map.of("http.host", "::1", "http.port", 1));
  }

  @Test
  void whatHasNoEffectIsAcceptedAndSaidWithTheReason() {
    assertThat(read(Map.of("KUBERNETES_VIRTUAL_GPUS", "true"), "-r", "localhost:5555").warnings())
        .containsExactlyInAnyOrder(
            "--kubernetes-virtual-gpus has no effect: every form of devices is understood without"
                + " it",
            "--remote-hostengine-info has no effect: GPUs are read through NVML, without a host"
                + " engine");
    assertThat(read(Map.of("KUBERNETES_ENABLE_DRA", "false"), "--debug=false").warnings())
        .isEmpty();
  }

  @Test
  void flagsAboutOwnersSetWhereOwnersAreLookedFor() throws Exception {
    DcgmOptions.Result result =
        read(
            Map.of("DCGM_HPC_JOB_MAPPING_DIR", "/run/jobs"),
            "-k",
            "--pod-resources-kubelet-socket",
            "/k/kubelet.sock",
            "--nvidia-resource-names",
            "nvidia.com/a100, example.com/gpu");
    assertThat(result.warnings()).isEmpty();
    AttributionSettings settings = ProbeConfig.read("f", "{}", result.keys()).attribution();
    assertThat(settings.kubelet().enabled()).isTrue();
    assertThat(settings.kubelet().socket()).isEqualTo(Path.of("/k/kubelet.sock"));
    assertThat(settings.kubelet().resources())
        .containsAll(KubeletSettings.GPU_RESOURCES)
        .endsWith("nvidia\\.com/a100", "example\\.com/gpu");
    assertThat(settings.slurm().mapping()).contains(Path.of("/run/jobs"));
  }

  @Test
  void everyFlagAndVariableIsThereOnce() {
    Set<String> names = new HashSet<>();
    for (DcgmOptions.Option option : DcgmOptions.ALL) {
      option.names().forEach(name -> assertThat(names.add(name)).as(name).isTrue());
      assertThat(names.add(option.variable())).as(option.variable()).isTrue();
      assertThat(option.meaning()).endsWith(".");
    }
  }
}
