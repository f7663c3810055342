package io.fleetgauge.distribution.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All objects have only fields that Kubernetes and the Prometheus Operator know, of the right
 * types: by the models of Kubernetes' Java client, which refuse unknown fields, and by the schemas
 * of the operator's resources, in which unknown fields are refused here.
 */
class StrictSchemasTest {
  private static final String MODELS = "io.kubernetes.client.openapi.models.";
  private static final Map<String, String> VERSIONS =
      Map.of(
          "v1", "V1",
          "apps/v1", "V1",
          "policy/v1", "V1",
          "networking.k8s.io/v1", "V1",
          "rbac.authorization.k8s.io/v1", "V1",
          "autoscaling/v2", "V2");
  private static final String MONITORING = "monitoring.coreos.com/v1";

  /** Kinds without a schema here; they are in the overlay for production only. */
  private static final Set<String> UNCHECKED = Set.of("cert-manager.io/v1");

  @TempDir private Path folder;

  static Stream<String> kustomizations() throws IOException {
    return Kustomization.folders().stream();
  }

  @ParameterizedTest
  @MethodSource("kustomizations")
  void everyObjectOfAKustomizationIsKnownToKubernetes(String of) throws Exception {
    check(Kustomization.build(of));
  }

  @Test
  void everyObjectOfTheChartIsKnownToKubernetesWithAllValuesInUse() throws Exception {
    check(new FleetgaugeChart(folder).objects(EveryValue.YAML));
  }

  @Test
  void anUnknownFieldAtDepthIsFound() throws Exception {
    Manifests manifests =
        new FleetgaugeChart(folder).objects("monitoring: {monitors: {enabled: true}}");
    ObjectNode probe = manifests.get("DaemonSet", "fleetgauge-probe");
    ((ObjectNode) probe.at("/spec/template/spec/containers/0/readinessProbe")).put("periods", 3);
    assertThatThrownBy(() -> check(new Manifests(List.of(probe))))
        .rootCause()
        .hasMessageContaining("periods");
    ObjectNode monitor = manifests.get("PodMonitor", "fleetgauge-probe");
    ((ObjectNode) monitor.at("/spec/podMetricsEndpoints/0")).put("intervall", "15s");
    assertThat(problems(monitor)).anyMatch(each -> each.contains("intervall"));
    ((ObjectNode) monitor.at("/spec/podMetricsEndpoints/0"))
        .put("interval", "15 seconds")
        .remove("intervall");
    assertThat(problems(monitor)).anyMatch(each -> each.contains("interval"));
  }

  private static void check(Manifests manifests) throws Exception {
    assertThat(manifests.objects()).isNotEmpty();
    for (ObjectNode object : manifests.objects()) {
      String api = object.path("apiVersion").asText();
      if (api.equals(MONITORING)) {
        assertThat(problems(object)).as(Manifests.kind(object)).isEmpty();
      } else if (!UNCHECKED.contains(api)) {
        validate(object, VERSIONS.get(api) + Manifests.kind(object));
      }
    }
  }

  private static void validate(ObjectNode object, String model) throws Exception {
    JsonElement json = JsonParser.parseString(object.toString());
    try {
      Class.forName(MODELS + model)
          .getMethod("validateJsonElement", JsonElement.class)
          .invoke(null, json);
      Class.forName(MODELS + model)
          .getMethod("fromJson", String.class)
          .invoke(null, object.toString());
    } catch (InvocationTargetException e) {
      throw new AssertionError(
          Manifests.kind(object) + " " + Manifests.name(object) + ": " + e.getCause().getMessage(),
          e.getCause());
    }
  }

  private static Set<String> problems(ObjectNode object) throws IOException {
    String resource = Manifests.kind(object).toLowerCase(Locale.ROOT) + "s.json";
    ObjectMapper json = new ObjectMapper();
    try (InputStream in =
        StrictSchemasTest.class.getResourceAsStream("/kubernetes/crd/" + resource)) {
      JsonNode schema = json.readTree(in);
      refuseUnknown(schema);
      // The operator leaves the metadata to the API server.
      ((ObjectNode) schema.path("properties")).set("metadata", json.createObjectNode());
      Schema validator =
          SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7).getSchema(schema);
      return validator.validate(object).stream()
          .map(Object::toString)
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static void refuseUnknown(JsonNode schema) {
    if (schema instanceof ObjectNode map
        && map.path("properties").isObject()
        && !map.has("additionalProperties")
        && !map.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
      map.set("additionalProperties", BooleanNode.FALSE);
    }
    schema.forEach(StrictSchemasTest::refuseUnknown);
  }
}
