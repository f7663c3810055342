package io.fleetgauge.probe.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.regexp.Regexp;
import io.fleetgauge.sample.relabel.RelabelAction;
import io.fleetgauge.sample.relabel.RelabelRule;
import io.fleetgauge.sample.relabel.Relabelling;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every key of a probe. */
class ProbeConfigTest {
  private static final Relabelling NO_PODS =
      new Relabelling(
          List.of(
              new RelabelRule(
                  RelabelAction.LABELDROP,
                  List.of(),
                  ";",
                  Regexp.anchored("pod|pod_.*"),
                  0,
                  "",
                  "$1")));

  private static final LogSettings LOG =
      new LogSettings(LogSettings.Format.TEXT, LogSettings.Level.INFO);

  @Test
  void anEmptyFileIsEveryDefault() throws ConfigException {
    ProbeConfig probe = ProbeConfig.read("f", "{}");
    assertThat(probe)
        .isEqualTo(
            new ProbeConfig(
                probe.hostname(),
                probe.instance(),
                Labels.EMPTY,
                "fleetgauge-probe",
                Relabelling.NONE,
                new HttpSettings("0.0.0.0", 9400),
                new PageSettings(PageSettings.STORED, true),
                List.of(URI.create("http://127.0.0.1:9500")),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                TrustSettings.NONE,
                TickSettings.every(Duration.ofSeconds(15)),
                probe.host(), // HostSettingsTest has its defaults
                new GpuSettings(
                    true,
                    "libnvidia-ml.so.1",
                    List.of(
                        Path.of("/run/nvidia/driver"),
                        Path.of("/host"),
                        Path.of("/home/kubernetes/bin/nvidia")),
                    Optional.empty(),
                    0,
                    Path.of("/dev/kmsg"),
                    Optional.empty(),
                    List.of(),
                    DeviceChoice.ALL,
                    false),
                new NcclSettings(
                    true,
                    List.of("127.0.0.1:28028"),
                    Duration.ofSeconds(15),
                    Duration.ofSeconds(10),
                    true,
                    16),
                new AttributionSettings(
                    Labels.EMPTY,
                    List.of("namespace", "account"),
                    new KubeletSettings(
                        true,
                        Path.of("/var/lib/kubelet/pod-resources/kubelet.sock"),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(5),
                        Duration.ofMinutes(1),
                        64 << 20,
                        List.of("nvidia\\.com/gpu(\\.shared)?", "nvidia\\.com/mig-.+"),
                        List.of("gpu.nvidia.com"),
                        Relabelling.NONE,
                        Path.of("/var/log/pods")),
                    new AllocationSettings(
                        Optional.empty(), Optional.empty(), Optional.empty(), 1_000),
                    new SlurmSettings(
                        Duration.ofSeconds(5),
                        true,
                        Optional.empty(),
                        SlurmSettings.Numbers.INDEX,
                        Optional.empty()),
                    new ProcessSettings(true, 64, true, true, Optional.empty()),
                    new RuntimeSettings(
                        List.of(Path.of("/run/docker.sock"), Path.of("/run/podman/podman.sock")),
                        List.of(
                            Path.of("/run/containerd/containerd.sock"),
                            Path.of("/run/crio/crio.sock"),
                            Path.of("/run/k3s/containerd/containerd.sock"),
                            Path.of("/run/cri-dockerd.sock")),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(5))),
                List.of(),
                new SpoolSettings(
                    Duration.ofMinutes(15),
                    12L << 20,
                    Optional.of(Path.of("fleetgauge-spool")),
                    Duration.ofHours(6),
                    1L << 30),
                new RecentSettings(
                    true,
                    Duration.ofSeconds(1),
                    Duration.ofMinutes(10),
                    Duration.ofSeconds(30),
                    8,
                    6,
                    true),
                LOG));
  }

  private static final String EVERY_KEY =
      """
      hostname: n7
      labels: {rack: r1, zone: 3}
      job: node
      relabel:
        - regex: pod|pod_.*
          action: labeldrop
      gateways: ["http://a:1", "http://b:2"]
      tick: 5s
      ticks: {other: 1m, static: 6h, of: {DCGM_FI_DEV_FAN_SPEED: 10m, hwmon: 2m}}
      host: {proc: /host/proc}
      gpu:
        enabled: false
        library: /opt/libnvidia-ml.so.1
        driverRoots: [/d]
        links: true
        expected: 8
        kernelLog: /k
        collectors: /dev/null
        labels: [DCGM_FI_DRIVER_VERSION]
        devices: g:0,3+i
        replaceBlanksInModelName: true
      metrics: {vocabulary: dcgm-exporter-4.9, hostname: false}
      nccl:
        ras:
          enabled: false
          addresses: ["10.0.0.1:4711", "[::1]:28028"]
          every: 30s
          timeout: 5s
          namespaces: false
          communicators: 4
      attribution:
        owner: {tenant: lab}
        tenantLabels: [team]
        kubelet:
          enabled: false
          socket: /s
          every: 20s
          timeout: 1s
          keep: 2m
          maxAnswer: 1MiB
          resources: [a/b]
          drivers: [d]
          relabel: [{action: drop, source_labels: [namespace], regex: ci}]
          podLogs: /l
        allocations: {socket: /run/p.sock, socketGroup: slurm, tokenFile: pom.xml, limit: 7}
        slurm:
          every: 9s
          cgroups: false
          mappingFolder: /m
          mappingNumbers: minor
          jobs:
            enabled: true
            command: /opt/squeue
            every: 2m
            timeout: 3s
            onlyGpus: false
            limit: 9
        processes: {enabled: false, limit: 8, perProcess: false, usedGpuMemory: false, port: 9900}
        runtimes: {docker: [/d.sock], cri: [], every: 20s, timeout: 1s}
      spool: {memory: 9m, maxMemory: 1GiB, folder: /spool, retention: 2h, maxDisk: 3GiB}
      recent:
        enabled: false
        step: 2s
        length: 5m
        faults: {after: 20s, kept: 3, perHour: 4, upload: false}
      """;

  @Test
  void theRasPortsOfJobsAreRead() throws ConfigException {
    ProbeConfig config = ProbeConfig.read("f", EVERY_KEY);
    assertThat(config.nccl())
        .isEqualTo(
            new NcclSettings(
                false,
                List.of("10.0.0.1:4711", "[::1]:28028"),
                Duration.ofSeconds(30),
                Duration.ofSeconds(5),
                false,
                4));
    assertThat(config.nccl().servers().getLast().toString()).endsWith("0:1]:28028");
  }

  @Test
  void everyKeyOfAProbeIsRead() throws ConfigException {
    ProbeConfig config = ProbeConfig.read("f", EVERY_KEY);
    assertThat(config.hostname()).isEqualTo("n7");
    assertThat(config.job()).isEqualTo("node");
    assertThat(config.labels()).isEqualTo(Labels.of("rack", "r1", "zone", "3"));
    assertThat(config.relabelling()).isEqualTo(NO_PODS);
    assertThat(config.gateways())
        .containsExactly(URI.create("http://a:1"), URI.create("http://b:2"));
    assertThat(config.ticks())
        .isEqualTo(
            new TickSettings(
                Duration.ofSeconds(5),
                Duration.ofMinutes(1),
                Duration.ofHours(6),
                Map.of(
                    "DCGM_FI_DEV_FAN_SPEED", Duration.ofMinutes(10),
                    "hwmon", Duration.ofMinutes(2))));
    assertThat(config.host().proc()).isEqualTo(Path.of("/host/proc"));
    assertThat(config.gpu())
        .isEqualTo(
            new GpuSettings(
                false,
                "/opt/libnvidia-ml.so.1",
                List.of(Path.of("/d")),
                Optional.of(true),
                8,
                Path.of("/k"),
                Optional.of(Path.of("/dev/null")),
                List.of("DCGM_FI_DRIVER_VERSION"),
                new DeviceChoice(true, Set.of("0", "3"), true),
                true));
    assertThat(config.page()).isEqualTo(new PageSettings("dcgm-exporter-4.9", false));
    assertThat(config.attribution())
        .isEqualTo(
            new AttributionSettings(
                Labels.of("tenant", "lab"),
                List.of("team"),
                new KubeletSettings(
                    false,
                    Path.of("/s"),
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(1),
                    Duration.ofMinutes(2),
                    1 << 20,
                    List.of("a/b"),
                    List.of("d"),
                    config.attribution().kubelet().relabelling(),
                    Path.of("/l")),
                new AllocationSettings(
                    Optional.of(Path.of("/run/p.sock")),
                    Optional.of("slurm"),
                    Optional.of(Path.of("pom.xml")),
                    7),
                new SlurmSettings(
                    Duration.ofSeconds(9),
                    false,
                    Optional.of(Path.of("/m")),
                    SlurmSettings.Numbers.MINOR,
                    Optional.of(
                        new SlurmSettings.Jobs(
                            Path.of("/opt/squeue"),
                            Duration.ofMinutes(2),
                            Duration.ofSeconds(3),
                            false,
                            9))),
                new ProcessSettings(false, 8, false, false, Optional.of(9900)),
                new RuntimeSettings(
                    List.of(Path.of("/d.sock")),
                    List.of(),
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(1))));
    assertThat(config.attribution().kubelet().relabelling().rules()).hasSize(1);
    assertThat(config.spool())
        .isEqualTo(
            new SpoolSettings(
                Duration.ofMinutes(9),
                1L << 30,
                Optional.of(Path.of("/spool")),
                Duration.ofHours(2),
                3L << 30));
    assertThat(config.recent())
        .isEqualTo(
            new RecentSettings(
                false,
                Duration.ofSeconds(2),
                Duration.ofMinutes(5),
                Duration.ofSeconds(20),
                3,
                4,
                false));
    assertThat(ProbeConfig.read("probe.yaml", "spool: {enabled: false}").spool().folder())
        .isEmpty();
  }

  @Test
  void aValueFromTheCommandLineTakesThePlaceOfThatInTheFile() throws ConfigException {
    ProbeConfig config =
        ProbeConfig.read(
            "f",
            "{tick: 5s, gpu: {links: true}}",
            Map.of("tick", "20s", "http.port", 9401, "gpu.replaceBlanksInModelName", true));
    assertThat(config.ticks().tick()).isEqualTo(Duration.ofSeconds(20));
    assertThat(config.http().port()).isEqualTo(9401);
    assertThat(config.gpu().dashes()).isTrue();
    assertThat(config.gpu().links()).contains(true);
    assertThatThrownBy(() -> ProbeConfig.read("f", "", Map.of("gpu.devices", "x")))
        .hasMessageContaining("gpu.devices: ");
  }

  @Test
  void aChoiceOfDevicesIsThatOfDcgmExporter() {
    DeviceChoice some = DeviceChoice.parse("g:0,07").orElseThrow();
    assertThat(some.has("7", "")).isTrue();
    assertThat(some.has("1", "")).isFalse();
    assertThat(some.has("0", "3")).isFalse();
    assertThat(DeviceChoice.parse("i").orElseThrow().has("0", "3")).isTrue();
    assertThat(DeviceChoice.parse("f")).contains(DeviceChoice.ALL);
    for (String wrong : List.of("", "g:", "g:a", "g+g", "i:1", "x", "g:0,", "+")) {
      assertThat(DeviceChoice.parse(wrong)).as(wrong).isEmpty();
    }
  }

  @Test
  void aRelabelRuleWithProblemsIsToldByItsPlaceAndField() {
    ConfigException failure =
        catchThrowableOfType(
            ConfigException.class,
            () ->
                ProbeConfig.read(
                    "probe.yaml",
                    """
                    relabel:
                      - {target_label: a}
                      - {action: hashmod, source_labels: [gpu]}
                      - {action: keep, regex: "a(b", label: c}
                      - {action: replace, source_labels: gpu, target_label: "", replacement: ""}
                      - 5
                    """));
    assertThat(failure.problems())
        .containsExactlyInAnyOrder(
            "relabel[1].modulus: the action hashmod requires a modulus other than 0",
            "relabel[1].target_label: the action hashmod requires a target label",
            "relabel[2].label: no such field; known here are source_labels, separator, regex,"
                + " modulus, target_label, replacement, action",
            "relabel[2].regex: a(b is not a regular expression (RE2): error parsing regexp: missing"
                + " closing ): `a(b`",
            "relabel[3].source_labels: gpu is not a list of label names",
            "relabel[4]: 5 is not allowed; allowed is a map of fields");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tick: 0s | tick: 0s",
        "tick: 15 | tick: 15",
        "tick: 6m | tick: 6m",
        "gateways: http://a:1 | gateways",
        "gateways: [ftp://a] | gateways: ftp://a",
        "gateways: [] | gateways",
        "labels: {a-b: c} | labels.a-b",
        "labels: {a: [1]} | labels.a",
        "labels: x | labels: x",
        "hostname: ' ' | hostname",
        "gpu: {enabled: maybe} | gpu.enabled: maybe",
        "log: {format: xml} | log.format: xml is not allowed; allowed is one of text, json",
        "spool: {maxMemory: 1.5} | spool.maxMemory: 1.5",
        "tick: 99999999999999999999h | tick"
      })
  void aWrongValueIsNamed(String yaml, String problem) {
    assertThatThrownBy(() -> ProbeConfig.read("f", yaml))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void gatewaysThatAreListedCountBesidesDiscoveredOnesOnlyWhenTheyAreGiven()
      throws ConfigException {
    String discovery = "discovery: {method: dns, dns: {names: [a]}}";
    assertThat(ProbeConfig.read("f", discovery).gateways()).isEmpty();
    assertThat(ProbeConfig.read("f", "{gateways: ['http://g:1'], " + discovery + "}").gateways())
        .containsExactly(URI.create("http://g:1"));
  }

  @Test
  void aProbeIsRegisteredByItsHostnameInstanceAndLabels() throws ConfigException {
    String yaml =
        "{hostname: n, instance: 10.0.0.1, labels: {rack: r}, registration: {consul: {enabled:"
            + " true}}}";
    assertThat(ProbeConfig.read("f", yaml).registration().orElseThrow())
        .satisfies(
            each -> {
              assertThat(each.id()).isEqualTo("fleetgauge-probe-n");
              assertThat(each.address()).isEqualTo("10.0.0.1");
              assertThat(each.meta()).isEqualTo(Map.of("hostname", "n", "rack", "r"));
            });
  }
}
