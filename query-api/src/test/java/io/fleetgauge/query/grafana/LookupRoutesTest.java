package io.fleetgauge.query.grafana;

import static io.fleetgauge.query.ApiServer.TEMPERATURE;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.query.ApiServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
@ExtendWith(VertxExtension.class)
class LookupRoutesTest {
  private ApiServer api;

  @BeforeEach
  void start(Vertx vertx, @TempDir Path folder) throws Exception {
    api = new ApiServer(vertx, folder);
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  private List<String> texts(String tenant, String path, String body, String field)
      throws Exception {
    return api.post(tenant, path, body).findValuesAsText(field);
  }

  @Test
  void aDataSourceIsTestedByGet() throws Exception {
    for (String path : new String[] {"/grafana", "/grafana/"}) {
      assertThat(api.http.get("a", path).body()).isEqualTo("{\"status\":\"ok\"}");
    }
    assertThat(api.http.get("", "/grafana").statusCode()).isEqualTo(401);
  }

  @Test
  void metricsHaveTheirHelpAndTheOptionsOfTheEditor() throws Exception {
    JsonNode metrics = api.post("a", "/grafana/metrics", "{\"metric\": \"TEMP\"}");
    assertThat(metrics).hasSize(1);
    assertThat(metrics.get(0).path("value").asText()).isEqualTo(TEMPERATURE);
    assertThat(metrics.get(0).path("label").asText()).startsWith(TEMPERATURE + " (");
    JsonNode payloads = metrics.get(0).path("payloads");
    assertThat(payloads.findValuesAsText("name"))
        .containsExactly("aggregate", "by", "rate", "filters", "format");
    assertThat(payloads.get(0).path("options").findValuesAsText("value"))
        .containsExactly("none", "avg", "sum", "min", "max", "count");
    assertThat(api.post("a", "/grafana/metrics", "{\"metric\": \"nosuch\"}")).isEmpty();
    assertThat(api.post("a", "/grafana/metrics", "")).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"aggregate, 6", "by, 6", "rate, 5", "format, 2", "other, 0"})
  void optionsOfOneFieldAreListed(String name, int count) throws Exception {
    assertThat(api.post("a", "/grafana/metric-payload-options", "{\"name\": \"" + name + "\"}"))
        .hasSize(count);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        " | DCGM_FI_DEV_GPU_TEMP",
        "metrics(GPU) | DCGM_FI_DEV_GPU_TEMP",
        "metrics(^x) | ",
        "label_values(Hostname) | n1,n2,n3",
        "label_values(DCGM_FI_DEV_GPU_TEMP{rack='r1'}, Hostname) | n2,n3",
        "Hostname | n1,n2,n3"
      })
  void aVariableHasTheValuesThatItsQueryMeans(String target, String values) throws Exception {
    List<String> expected = values == null ? List.of() : List.of(values.split(","));
    String text = target == null ? "" : target;
    assertThat(
            ApiServer.texts(api.post("root", "/grafana/search", "{\"target\": \"" + text + "\"}")))
        .isEqualTo(expected);
    for (String payload : List.of("\"" + text + "\"", "{\"target\": \"" + text + "\"}")) {
      assertThat(texts("root", "/grafana/variable", "{\"payload\": " + payload + "}", "__value"))
          .isEqualTo(expected);
    }
  }

  @Test
  void deeplyNestedJsonGetsAnErrorThatNamesTheDepth() throws Exception {
    HttpResponse<String> answer = api.http.post("a", "/grafana/metrics", "{\"a\":".repeat(100_000));
    assertThat(ApiServer.failure(answer))
        .startsWith("400 bad_data: the body is not JSON: ")
        .contains("nesting depth (1001) exceeds the maximum allowed (1000");
  }

  @Test
  void tagsAreLabelsAndTheirValues() throws Exception {
    assertThat(texts("root", "/grafana/tag-keys", "", "text"))
        .containsExactly("Hostname", "gpu", "job", "rack", "tenant");
    assertThat(texts("root", "/grafana/tag-values", "{\"key\": \"rack\"}", "text"))
        .containsExactly("r0", "r1");
  }

  @Test
  void everyListIsWithinTheScope() throws Exception {
    assertThat(texts("a", "/grafana/tag-values", "{\"key\": \"Hostname\"}", "text"))
        .containsExactly("n1", "n2");
    assertThat(ApiServer.texts(api.post("a", "/grafana/search", "{\"target\": \"tenant\"}")))
        .containsExactly("a");
    assertThat(texts("a", "/grafana/variable", "{\"payload\": \"Hostname\"}", "__value"))
        .containsExactly("n1", "n2");
    assertThat(api.post("b", "/grafana/metrics", "{}")).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/metrics | not json | the body is not JSON: ",
        "/search | [1] | the body is not a JSON object",
        "/tag-values | {} | key is missing; set it to the label whose values are wanted",
        "/search | {\"target\": \"label_values(a{, b)\"} | the variable label_values(a{, b) cannot"
            + " be read: ",
        "/variable | {\"payload\": \"metrics(()\"} | the variable metrics(() cannot be read: "
      })
  void errorsHaveTheMessageThatGrafanaShows(String path, String body, String message)
      throws Exception {
    HttpResponse<String> answer = api.http.post("a", "/grafana" + path, body);
    assertThat(ApiServer.failure(answer)).startsWith("400 bad_data: " + message);
    assertThat(answer.body()).contains("\"message\":\"");
  }

  @Test
  void aMissingHostIsAnErrorWhereStrictIsSet() throws Exception {
    api.fleet.damage("n2");
    assertThat(api.http.post("root", "/grafana/tag-keys", "{}").statusCode()).isEqualTo(200);
    HttpResponse<String> strict = api.http.post("strict", "/grafana/tag-keys", "{}");
    assertThat(ApiServer.failure(strict)).startsWith("503 unavailable: ");
    assertThat(strict.headers().firstValue("Retry-After")).isPresent();
  }
}
