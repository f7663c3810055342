package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The page to begin with, and the description of the API against the API. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PagesTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SOURCES =
      Path.of(System.getProperty("fleetgauge.root"))
          .resolve("query-api/src/main/java/io/fleetgauge/query");

  private FleetAndPrometheus servers;
  private JsonNode description;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    servers = new FleetAndPrometheus(folder);
    servers.write(
        RemoteWriteBody.v1()
            .series(FleetAndPrometheus.gpu("up", 0, 0), System.currentTimeMillis() - 1_000, 1));
    description = new YAMLMapper().readTree(servers.asker().get("/api/openapi.yaml").body());
  }

  @AfterAll
  void stop() {
    servers.close();
  }

  @Test
  void thePageShowsTheFleet() throws Exception {
    HttpResponse<String> page = servers.asker().get("/");
    assertThat(page.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/html");
    // All that it links to and asks for is there.
    var links = Pattern.compile("(?:href=\"|ask\\('|\\?)(/[a-zA-Z0-9/._-]+)").matcher(page.body());
    int found = 0;
    while (links.find()) {
      String path = links.group(1);
      String more = path.endsWith("query_range") ? "?query=1&start=1&end=2&step=1" : "";
      assertThat(servers.asker().get(path + more).statusCode()).as(path).isEqualTo(200);
      found++;
    }
    assertThat(found).isGreaterThanOrEqualTo(7);
    JsonNode overview =
        JSON.readTree(servers.asker().get("/api/v1/status/overview").body()).path("data");
    assertThat(overview.path("hosts").path("expected").asInt()).isEqualTo(1);
    assertThat(overview.path("cluster").path("gateways")).hasSize(2);
    assertThat(overview.path("tenants").get(0).path("name").asText()).isEqualTo("anonymous");
  }

  /** What asks other stores mounts no routes. */
  private static boolean answers(Path file) {
    return !file.toString().contains("/query/store/");
  }

  /** The routes that the sources mount. */
  private static Set<String> mounted() throws Exception {
    Set<String> paths = new TreeSet<>();
    Pattern route =
        Pattern.compile(
            "\\.(?:get|post|getOrPost|getText|postText|postJson|text)\\(\\s*\"(/[^\"]*)\"");
    Pattern named = Pattern.compile(" PATH = (\"/[^\"]*\")");
    try (var files = Files.walk(SOURCES)) {
      for (Path file : files.filter(Files::isRegularFile).filter(PagesTest::answers).toList()) {
        String source = Files.readString(file);
        var path = named.matcher(source);
        var matcher =
            route.matcher(path.find() ? source.replace("(PATH", "(" + path.group(1)) : source);
        while (matcher.find()) {
          paths.add(matcher.group(1).replaceAll(":(\\w+)", "{$1}"));
        }
      }
    }
    return paths;
  }

  @Test
  void everyRouteIsDescribedAndNothingElse() throws Exception {
    Set<String> described = new TreeSet<>();
    description.path("paths").fieldNames().forEachRemaining(described::add);
    Set<String> mounted = mounted();
    mounted.remove("/grafana/");
    described.removeAll(Set.of("/-/healthy", "/-/ready", "/metrics"));
    assertThat(described).isEqualTo(mounted);
  }

  @Test
  void everyDescribedWayOfAskingIsAnsweredAsDescribedAndNoOtherIs() throws Exception {
    int asked = 0;
    for (var path : description.path("paths").properties()) {
      String address =
          path.getKey()
                  .replace("{name}", "rack")
                  .replace("{id}", "1")
                  .replace("{namespace}", "n")
                  .replace("{group}", "g")
                  .replace("{page}", "NodeDown.md")
              + "?query=up&match%5B%5D=up&start=1&end=2&step=1";
      for (String method : Set.of("get", "post")) {
        HttpResponse<String> answer =
            servers.client.send(
                HttpRequest.newBuilder(servers.address().resolve(address))
                    .method(
                        method.toUpperCase(),
                        HttpRequest.BodyPublishers.ofByteArray(
                            method.equals("post") && path.getKey().startsWith("/grafana")
                                ? "{\"key\": \"rack\"}".getBytes(StandardCharsets.UTF_8)
                                : new byte[0]))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        JsonNode operation = path.getValue().path(method);
        String what = method + " " + path.getKey() + ": " + answer.body();
        if (operation.isMissingNode()) {
          assertThat(answer.statusCode()).as(what).isIn(404, 405);
          continue;
        }
        asked++;
        JsonNode response = operation.path("responses").path("" + answer.statusCode());
        assertThat(response.isMissingNode()).as(what).isFalse();
        JsonNode content = response.path("content");
        if (answer.statusCode() == 200) {
          String type = answer.headers().firstValue("Content-Type").orElseThrow().split(";")[0];
          assertThat(content.has(type)).as(what + type).isTrue();
          if (type.equals("application/json")) {
            fits(schema(content.path(type).path("schema")), JSON.readTree(answer.body()), what);
          }
        }
      }
    }
    assertThat(asked).isGreaterThan(45);
  }

  private JsonNode schema(JsonNode schema) {
    String reference = schema.path("$ref").asText("");
    return reference.isEmpty() ? schema : description.at(reference.substring(1));
  }

  /** The part of JSON Schema that the description uses. */
  private void fits(JsonNode schema, JsonNode value, String what) {
    switch (schema.path("type").asText("")) {
      case "object" -> assertThat(value.isObject()).as(what).isTrue();
      case "array" -> assertThat(value.isArray()).as(what).isTrue();
      case "string" -> assertThat(value.isTextual()).as(what).isTrue();
      default -> {}
    }
    for (JsonNode name : schema.path("required")) {
      assertThat(value.has(name.asText())).as(what + " has " + name).isTrue();
    }
    if (schema.has("const")) {
      assertThat(value).as(what).isEqualTo(schema.path("const"));
    }
    if (schema.has("enum")) {
      assertThat(schema.path("enum")).as(what).contains(value);
    }
    for (var property : schema.path("properties").properties()) {
      if (value.has(property.getKey())) {
        fits(schema(property.getValue()), value.path(property.getKey()), what);
      }
    }
  }
}
