package io.fleetgauge.load.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.probe.ProbeProcess;
import io.fleetgauge.probe.config.ProbeConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The descriptions in {@code docs/api}. That of the query API is compared with its routes by {@code
 * PagesTest}.
 */
class ApiDescriptionsTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final Set<String> METHODS = Set.of("get", "post", "put", "delete");

  /** Would end the gateway, or wait for the other side. */
  private static final Set<String> NOT_ASKED = Set.of("post /v1/leave", "get /v1/stream");

  @TempDir Path folder;

  private static JsonNode description(String process) throws IOException {
    return new YAMLMapper().readTree(ROOT.resolve("docs/api/" + process + ".yaml").toFile());
  }

  private static Set<String> operations(JsonNode description) {
    Set<String> operations = new TreeSet<>();
    for (var path : description.path("paths").properties()) {
      for (var operation : path.getValue().properties()) {
        operations.add(operation.getKey() + " " + path.getKey());
      }
    }
    return operations;
  }

  private static JsonNode resolved(JsonNode description, JsonNode node) {
    return node.has("$ref") ? description.at(node.path("$ref").asText().substring(1)) : node;
  }

  @ParameterizedTest
  @CsvSource({"gateway, shard-gateway", "probe, node-probe"})
  void everyRouteIsDescribedAndNothingElse(String process, String module) throws Exception {
    MountedRoutes routes =
        new MountedRoutes(
            ROOT.resolve(module),
            ROOT.resolve("runtime"),
            ROOT.resolve("cluster-config"),
            ROOT.resolve("sample-model"),
            ROOT.resolve("promql"));
    Set<String> mounted = routes.below("io.fleetgauge." + process);
    mounted.addAll(routes.below("io.fleetgauge.runtime.http"));
    assertThat(mounted).contains("get /metrics", "get /-/ready").hasSizeGreaterThan(6);
    assertThat(operations(description(process))).isEqualTo(mounted);
  }

  @ParameterizedTest
  @ValueSource(strings = {"query", "gateway", "probe"})
  void theDescriptionIsOfOpenApi(String process) throws Exception {
    JsonNode description = description(process);
    assertThat(description.path("openapi").asText()).startsWith("3.1.");
    assertThat(description.at("/info/title").asText()).isNotBlank();
    assertThat(description.at("/info/version").asText()).isNotBlank();
    for (JsonNode reference : description.findValues("$ref")) {
      assertThat(reference.asText()).startsWith("#/components/");
      assertThat(description.at(reference.asText().substring(1)).isMissingNode())
          .as(reference.asText())
          .isFalse();
    }
    Set<String> ids = new HashSet<>();
    for (var path : description.path("paths").properties()) {
      assertThat(path.getKey()).startsWith("/");
      for (var each : path.getValue().properties()) {
        String what = process + ": " + each.getKey() + " " + path.getKey();
        assertThat(METHODS).as(what).contains(each.getKey());
        JsonNode operation = each.getValue();
        assertThat(operation.path("summary").asText()).as(what).matches("[A-Z].*\\.");
        assertThat(ids.add(operation.path("operationId").asText())).as(what).isTrue();
        assertThat(operation.path("responses").size()).as(what).isPositive();
        for (var response : operation.path("responses").properties()) {
          assertThat(response.getKey()).as(what).matches("[1-5]\\d\\d|default");
          assertThat(resolved(description, response.getValue()).path("description").asText())
              .as(what)
              .isNotBlank();
        }
        Set<String> inPath = new TreeSet<>();
        for (JsonNode parameter : operation.path("parameters")) {
          JsonNode its = resolved(description, parameter);
          assertThat(its.path("in").asText()).as(what).isIn("path", "query", "header");
          assertThat(its.has("schema")).as(what).isTrue();
          if (its.path("in").asText().equals("path")) {
            assertThat(its.path("required").asBoolean()).as(what).isTrue();
            inPath.add(its.path("name").asText());
          }
        }
        Set<String> named = new TreeSet<>();
        Pattern.compile("\\{(\\w+)}")
            .matcher(path.getKey())
            .results()
            .forEach(match -> named.add(match.group(1)));
        assertThat(inPath).as(what).isEqualTo(named);
      }
    }
  }

  @Test
  void gatewaysAndProbesAnswerAsDescribed() throws Exception {
    try (LocalFleet fleet =
        new LocalFleet("descriptions", LocalPorts.free(1), folder, System::currentTimeMillis)) {
      fleet.startGateway(0, Duration.ofHours(1));
      URI gateway = fleet.gatewayAddresses().getFirst();
      Path token = Files.writeString(folder.resolve("token"), "a-token-of-enough-characters");
      answersAsDescribed("gateway", gateway);
      ProbeConfig config =
          ProbeConfig.read(
              "probe",
              "{http: {host: 127.0.0.1, port: 0}, spool: {enabled: false}, gateways: ['"
                  + gateway
                  + "'], attribution: {allocations: {tokenFile: '"
                  + token
                  + "'}}}");
      try (ProbeProcess probe = ProbeProcess.start(config, System::currentTimeMillis)) {
        answersAsDescribed("probe", URI.create("http://127.0.0.1:" + probe.port()));
      }
    }
  }

  private static void answersAsDescribed(String process, URI address) throws Exception {
    JsonNode description = description(process);
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      for (String operation : operations(description)) {
        if (NOT_ASKED.contains(operation)) {
          continue;
        }
        List<String> words = List.of(operation.split(" "));
        HttpResponse<String> answer =
            client.send(
                HttpRequest.newBuilder(address.resolve(words.get(1).replaceAll("\\{\\w+}", "1")))
                    .method(
                        words.get(0).toUpperCase(Locale.ROOT), HttpRequest.BodyPublishers.noBody())
                    .timeout(Duration.ofMinutes(2))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        String what = process + ": " + operation + ": " + answer;
        assertThat(answer.body()).as(what).isNotEqualTo("404 page not found\n");
        JsonNode responses =
            description.path("paths").path(words.get(1)).path(words.get(0)).path("responses");
        String status = "" + answer.statusCode();
        assertThat(responses.has(status) || responses.has("default")).as(what).isTrue();
        JsonNode content = resolved(description, responses.path(status)).path("content");
        if (answer.statusCode() == 200 && !content.isEmpty()) {
          String type = answer.headers().firstValue("Content-Type").orElse("").split(";")[0];
          assertThat(content.has(type)).as(what + " " + type).isTrue();
        }
      }
    }
  }
}
