package io.fleetgauge.distribution.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.key.Key;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code values.schema.json} of the chart. */
class ValuesSchemaTest {
  private static final Path FILE = FleetgaugeChart.FOLDER.resolve("values.schema.json");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Map<String, List<Key<?>>> PROCESSES =
      Map.of(
          "probe", ProbeConfig.keys(),
          "gateway", GatewayConfig.keys(),
          "query", QueryConfig.keys());

  @Test
  void theConfigurationsOfProcessesHaveTheKeysThatTheProcessesRead() throws IOException {
    ObjectNode schema = schema();
    ObjectNode definitions = (ObjectNode) schema.path("definitions");
    PROCESSES.forEach(
        (process, keys) ->
            definitions.set(
                process + "Config",
                ConfigSchema.of(
                    "Configuration of a " + process + "; written from its keys.", keys)));
    DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
    printer.indentArraysWith(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE);
    String expected = JSON.writer(printer).writeValueAsString(schema) + "\n";
    if ("write".equals(System.getProperty("fleetgauge.docs"))) {
      Files.writeString(FILE, expected);
    }
    assertThat(JSON.readTree(FILE.toFile()))
        .as(
            "write the schema anew: ./fleetgauge test -pl distribution -am -Dtest=ValuesSchemaTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dfleetgauge.docs=write")
        .isEqualTo(JSON.readTree(expected));
  }

  @Test
  void everyObjectRefusesUnknownKeysAndEveryValueIsDescribed() throws IOException {
    assertThat(ConfigSchema.gaps(schema())).isEmpty();
  }

  @Test
  void itIsASchemaOfDraft7() throws IOException {
    assertThat(
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
                .getSchema(SchemaLocation.of("http://json-schema.org/draft-07/schema#"))
                .validate(schema()))
        .isEmpty();
  }

  @Test
  void theDefaultsAreAllowedAndEveryValueHasADefault() throws IOException {
    JsonNode values =
        Manifests.tree(Files.readString(FleetgaugeChart.FOLDER.resolve("values.yaml")));
    assertThat(
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
                .getSchema(schema())
                .validate(values))
        .isEmpty();
    assertHasDefaults("", schema(), values);
  }

  private static void assertHasDefaults(String path, JsonNode schema, JsonNode values) {
    for (var each : schema.path("properties").properties()) {
      String at = path + each.getKey();
      if (!at.equals("global")) {
        assertThat(values.has(each.getKey())).as(at + " in values.yaml").isTrue();
        assertHasDefaults(at + ".", each.getValue(), values.path(each.getKey()));
      }
    }
  }

  private static ObjectNode schema() throws IOException {
    return (ObjectNode) JSON.readTree(FILE.toFile());
  }
}
