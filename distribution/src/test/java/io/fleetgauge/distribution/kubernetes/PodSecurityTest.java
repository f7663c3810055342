package io.fleetgauge.distribution.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules of the Pod Security Standards, level restricted, on every pod. */
class PodSecurityTest {
  private static final Set<String> VOLUMES =
      Set.of(
          "configMap",
          "csi",
          "downwardAPI",
          "emptyDir",
          "ephemeral",
          "persistentVolumeClaim",
          "projected",
          "secret");

  @TempDir private Path folder;

  static Stream<String> kustomizations() throws IOException {
    return Kustomization.folders().stream();
  }

  @ParameterizedTest
  @MethodSource("kustomizations")
  void gatewaysAndQueryApisKeepToRestricted(String of) throws Exception {
    Map<String, JsonNode> pods = Kustomization.build(of).podTemplates();
    assertThat(violations(pods.get("fleetgauge-gateway"))).isEmpty();
    assertThat(violations(pods.get("fleetgauge-query"))).isEmpty();
  }

  @Test
  void theProbeViolatesWhatItIsDocumentedToNeedAndNothingElse() throws Exception {
    assertThat(violations(probe("{}")))
        .containsExactlyInAnyOrder(
            "hostNetwork",
            "hostPID",
            "hostPort metrics",
            "hostPath pod-logs",
            "hostPath pod-resources",
            "hostPath proc",
            "hostPath root",
            "hostPath spool",
            "hostPath sys",
            "runAsNonRoot",
            "runAsUser 0");
  }

  @Test
  void eachNeedOfTheProbeCanBeGivenUp() throws Exception {
    assertThat(violations(probe("probe: {host: {network: false}}")))
        .doesNotContain("hostNetwork", "hostPort metrics");
    assertThat(violations(probe("probe: {host: {processes: false}}"))).doesNotContain("hostPID");
    for (String mount : Set.of("proc", "sys", "root")) {
      assertThat(violations(probe("probe: {host: {" + mount + ": false}}")))
          .doesNotContain("hostPath " + mount);
    }
    assertThat(
            violations(
                probe(
                    """
                    probe:
                      runAsUser: 65532
                      host: {network: false, processes: false, proc: false, sys: false, root: false, podResources: false, podLogs: false}
                      spool: {hostPath: ""}
                    """)))
        .isEmpty();
  }

  @Test
  void theKernelsLogNeedsAPrivilegedContainer() throws Exception {
    assertThat(violations(probe("probe: {privileged: true, host: {kernelLog: true}}")))
        .contains("privileged", "hostPath kernel-log");
  }

  @Test
  void noPodHasATokenOfTheApiServer() throws Exception {
    for (JsonNode template : new FleetgaugeChart(folder).objects("{}").podTemplates().values()) {
      assertThat(template.at("/spec/automountServiceAccountToken").isBoolean()).isTrue();
      assertThat(template.at("/spec/automountServiceAccountToken").asBoolean()).isFalse();
    }
    assertThat(new FleetgaugeChart(folder).objects("{}").objects())
        .noneMatch(each -> Manifests.kind(each).matches("(Cluster)?Role(Binding)?"));
  }

  @Test
  void onlyDiscoveryByKubernetesNeedsATokenAndItMayListEndpointsOnly() throws Exception {
    Manifests manifests = new FleetgaugeChart(folder).objects("discovery: kubernetes");
    manifests
        .podTemplates()
        .forEach(
            (name, template) ->
                assertThat(template.at("/spec/automountServiceAccountToken").asBoolean())
                    .as(name)
                    .isEqualTo(!name.equals("fleetgauge-probe")));
    assertThat(manifests.get("Role", "fleetgauge-discovery").path("rules").toString())
        .isEqualTo(
            "[{\"apiGroups\":[\"discovery.k8s.io\"],\"resources\":[\"endpointslices\"],"
                + "\"verbs\":[\"list\"]}]");
    assertThat(manifests.objects()).noneMatch(each -> Manifests.kind(each).startsWith("Cluster"));
  }

  @Test
  void noContainerCanWriteToItsImage() throws Exception {
    for (JsonNode template : new FleetgaugeChart(folder).objects("{}").podTemplates().values()) {
      for (JsonNode container : template.at("/spec/containers")) {
        assertThat(container.at("/securityContext/readOnlyRootFilesystem").asBoolean()).isTrue();
      }
    }
  }

  private JsonNode probe(String values) throws IOException {
    return new FleetgaugeChart(folder).objects(values).podTemplates().get("fleetgauge-probe");
  }

  /** Which rules a pod violates. */
  private static Set<String> violations(JsonNode template) {
    Set<String> violations = new TreeSet<>();
    JsonNode spec = template.path("spec");
    for (String field : Set.of("hostNetwork", "hostPID", "hostIPC")) {
      if (spec.path(field).asBoolean()) {
        violations.add(field);
      }
    }
    for (JsonNode volume : spec.path("volumes")) {
      volume
          .fieldNames()
          .forEachRemaining(
              kind -> {
                if (!kind.equals("name") && !VOLUMES.contains(kind)) {
                  violations.add(kind + " " + volume.path("name").asText());
                }
              });
    }
    JsonNode pod = spec.path("securityContext");
    for (JsonNode container : spec.path("containers")) {
      JsonNode own = container.path("securityContext");
      if (own.path("privileged").asBoolean()) {
        violations.add("privileged");
      }
      if (!own.has("allowPrivilegeEscalation")
          || own.path("allowPrivilegeEscalation").asBoolean()) {
        violations.add("allowPrivilegeEscalation");
      }
      if (!own.at("/capabilities/drop").toString().equals("[\"ALL\"]")
          || own.path("capabilities").has("add")) {
        violations.add("capabilities");
      }
      if (!own.path("runAsNonRoot").asBoolean(pod.path("runAsNonRoot").asBoolean())) {
        violations.add("runAsNonRoot");
      }
      if (own.path("runAsUser").asInt(pod.path("runAsUser").asInt(1)) == 0) {
        violations.add("runAsUser 0");
      }
      if (!pod.at("/seccompProfile/type").asText().equals("RuntimeDefault")) {
        violations.add("seccompProfile");
      }
      for (JsonNode port : container.path("ports")) {
        if (port.path("hostPort").asInt() != 0) {
          violations.add("hostPort " + port.path("name").asText());
        }
      }
    }
    return violations;
  }
}
