package io.fleetgauge.distribution.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.gateway.GatewayCommand;
import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.probe.ProbeCommand;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.query.QueryCommand;
import io.fleetgauge.query.config.QueryConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Arguments and files of every container, read as the processes read them: the arguments by the
 * commands, the configuration by the configuration reader, with the files that the pod mounts and
 * the variables that the container has.
 */
class ConfigurationsTest {
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Za-z_][A-Za-z0-9_]*)}");
  private static final Map<String, Object> COMMANDS =
      Map.of(
          "probe",
          new ProbeCommand(),
          "gateway",
          new GatewayCommand(),
          "query",
          new QueryCommand());

  @TempDir private Path folder;

  static Stream<String> kustomizations() throws IOException {
    return Kustomization.folders().stream();
  }

  @ParameterizedTest
  @MethodSource("kustomizations")
  void everyContainerOfAKustomizationStarts(String of) throws Exception {
    check(Kustomization.build(of));
  }

  @Test
  void everyContainerOfTheChartStarts() throws Exception {
    FleetgaugeChart chart = new FleetgaugeChart(folder);
    check(chart.objects("{}"));
    check(chart.objects(EveryValue.YAML));
    check(chart.objects("{insecure: true, secrets: {enabled: false}}"));
    check(
        chart.objects("{probe: {host: {network: false, processes: false, podResources: false}}}"));
  }

  @Test
  void valuesWinOverWhatFollowsFromThem() throws Exception {
    GatewayConfig config =
        (GatewayConfig) check(new FleetgaugeChart(folder).objects(EveryValue.YAML)).get("gateway");
    assertThat(config.store().maxSeries()).isEqualTo(50_000_000);
    assertThat(config.drainTimeout()).hasSeconds(90);
    assertThat(config.cluster().replication()).isEqualTo(3);
    assertThat(config.http().tls()).isPresent();
  }

  @Test
  void aGatewayIsKilledLongAfterItHasDrainedAndItsVolumeHasRoomForItsSamples() throws Exception {
    for (String of : Kustomization.folders()) {
      Manifests manifests = Kustomization.build(of);
      GatewayConfig config = (GatewayConfig) check(manifests).get("gateway");
      JsonNode gateways = manifests.get("StatefulSet", "fleetgauge-gateway");
      assertThat(gateways.at("/spec/template/spec/terminationGracePeriodSeconds").asLong())
          .as(of)
          .isGreaterThanOrEqualTo(config.drainTimeout().toSeconds() + 30);
      String size =
          gateways.at("/spec/volumeClaimTemplates/0/spec/resources/requests/storage").asText();
      long bytes = Long.parseLong(size.replace("Gi", "")) << 30;
      assertThat(config.store().maxDiskBytes() + config.journal().maxBytes())
          .as(of)
          .isLessThan(bytes);
      assertThat(config.cluster().replication())
          .isLessThanOrEqualTo(gateways.at("/spec/replicas").asInt());
    }
  }

  /** The configurations by the names of their processes. */
  private Map<String, Object> check(Manifests manifests) throws Exception {
    Map<String, Object> configs = new HashMap<>();
    for (JsonNode template : manifests.podTemplates().values()) {
      for (JsonNode container : template.at("/spec/containers")) {
        String process = container.path("name").asText();
        Map<String, String> files = files(manifests, template);
        List<String> arguments = new ArrayList<>();
        container.path("args").forEach(each -> arguments.add(each.asText()));
        CommandLine command = new CommandLine(COMMANDS.get(process));
        command.parseArgs(arguments.toArray(String[]::new));
        Path file = command.getParseResult().matchedOptionValue("--config", Path.of(""));
        String text = files.get(file.toString());
        assertThat(text).as(process + ": " + file + " is mounted").isNotNull();
        Object config = read(process, withFiles(withVariables(text, container), files));
        assertPorts(container, config);
        configs.put(process, config);
      }
    }
    return configs;
  }

  private static Object read(String process, String yaml) throws Exception {
    return switch (process) {
      case "probe" -> ProbeConfig.read("probe.yaml", yaml);
      case "gateway" -> GatewayConfig.read("gateway.yaml", yaml);
      case "query" -> QueryConfig.read("query.yaml", yaml);
      default -> throw new IllegalArgumentException(process);
    };
  }

  private static void assertPorts(JsonNode container, Object config) {
    Map<String, Integer> ports = new HashMap<>();
    container
        .path("ports")
        .forEach(each -> ports.put(each.path("name").asText(), each.path("containerPort").asInt()));
    switch (config) {
      case ProbeConfig probe -> assertThat(ports).containsEntry("metrics", probe.http().port());
      case GatewayConfig gateway ->
          assertThat(ports)
              .containsEntry("http", gateway.http().port())
              .containsEntry("cluster", gateway.cluster().port());
      case QueryConfig query ->
          assertThat(ports)
              .containsEntry("http", query.http().port())
              .containsEntry("cluster", query.cluster().port());
      default -> throw new IllegalArgumentException(config.toString());
    }
  }

  /** Files that the volume of the configuration has, by path, with their content. */
  private static Map<String, String> files(Manifests manifests, JsonNode template) {
    Map<String, String> files = new HashMap<>();
    for (JsonNode volume : template.at("/spec/volumes")) {
      for (JsonNode source : volume.at("/projected/sources")) {
        if (source.has("configMap")) {
          String name = source.at("/configMap/name").asText();
          ObjectNode data = (ObjectNode) manifests.get("ConfigMap", name).path("data");
          data.properties()
              .forEach(
                  each -> files.put("/etc/fleetgauge/" + each.getKey(), each.getValue().asText()));
        }
        for (JsonNode item : source.at("/secret/items")) {
          files.put("/etc/fleetgauge/" + item.path("path").asText(), "some text, longer than 16");
        }
      }
    }
    return files;
  }

  /** As the kubelet sets the variables and the process replaces them. */
  private static String withVariables(String text, JsonNode container) {
    Map<String, String> variables = new HashMap<>();
    for (JsonNode each : container.path("env")) {
      String value =
          switch (each.at("/valueFrom/fieldRef/fieldPath").asText()) {
            case "status.podIP", "status.hostIP" -> "10.0.0.7";
            case "" -> each.path("value").asText("secret");
            default -> "name";
          };
      variables.put(each.path("name").asText(), value);
    }
    return VARIABLE
        .matcher(text)
        .replaceAll(
            match -> {
              assertThat(variables).as(text).containsKey(match.group(1));
              return Matcher.quoteReplacement(variables.get(match.group(1)));
            });
  }

  /** With the mounted files where this test may write them. */
  private String withFiles(String text, Map<String, String> files) throws IOException {
    for (Map.Entry<String, String> each : files.entrySet()) {
      Path file = folder.resolve("pod" + each.getKey());
      Files.createDirectories(file.getParent());
      Files.writeString(file, each.getValue());
    }
    return text.replace("/etc/fleetgauge/", folder.resolve("pod/etc/fleetgauge") + "/");
  }
}
