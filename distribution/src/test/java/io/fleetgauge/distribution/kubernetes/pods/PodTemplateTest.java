package io.fleetgauge.distribution.kubernetes.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.distribution.kubernetes.FleetgaugeChart;
import io.fleetgauge.distribution.kubernetes.Manifests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options of Podman for a Pod's template. */
class PodTemplateTest {
  @TempDir private Path folder;

  @Test
  void theProbeOfTheChartHasWhatItsTemplateSays() throws Exception {
    PodTemplate probe = translate(manifests());
    assertThat(probe.options())
        .contains(
            "--pid=host",
            "--runtime-of=nvidia",
            "--hostname=node-1",
            "--user=0:0",
            "--env=NODE_NAME=node-1",
            "--env=NODE_IP=10.0.0.1",
            "--cpu-shares=102",
            "--memory=402653184b",
            "--memory-swap=402653184b",
            "--security-opt=no-new-privileges",
            "--read-only",
            "--cap-drop=ALL",
            "--volume=/proc:/host/proc:ro",
            "--volume=/:/host/root:ro,rslave",
            "--volume=" + folder.resolve("node/var/lib/fleetgauge") + ":/var/lib/fleetgauge:rw");
    assertThat(probe.arguments()).containsExactly("--config", "/etc/fleetgauge/probe.yaml");
    assertThat(folder.resolve("pod/config/secrets/token")).hasContent("a token");
    assertThat(folder.resolve("pod/config/probe.yaml")).content().contains("tokenFile:");
    assertThat(probe.volumeLimits()).containsEntry(folder.resolve("pod/tmp"), 64L << 20);
    assertThat(probe.readiness().path()).isEqualTo("/-/ready");
    assertThat(probe.readiness().port()).isEqualTo(9400);
    assertThat(probe.grace()).hasSeconds(30);
  }

  @ParameterizedTest
  @CsvSource({
    "/metadata, finalizers, metadata.finalizers",
    "/spec, initContainers, spec.initContainers",
    "/spec, dnsConfig, spec.dnsConfig",
    "/spec, runtimeClassName, spec.runtimeClassName",
    "/spec, dnsPolicy, spec.dnsPolicy",
    "/spec/securityContext, supplementalGroups, spec.securityContext.supplementalGroups",
    "/spec/containers/0, envFrom, spec.containers[0].envFrom",
    "/spec/containers/0/env/0/valueFrom, secretKeyRef,"
        + " spec.containers[0].env[0].valueFrom.secretKeyRef",
    "/spec/containers/0/securityContext, privileged, spec.containers[0].securityContext.privileged",
    "/spec/containers/0/readinessProbe, successThreshold,"
        + " spec.containers[0].readinessProbe.successThreshold",
    "/spec/containers/0/volumeMounts/0, subPath, spec.containers[0].volumeMounts[0].subPath",
    "/spec/containers/0/resources/limits, ephemeral-storage,"
        + " spec.containers[0].resources.limits.ephemeral-storage",
    "/spec/volumes/1/emptyDir, medium, spec.volumes[1].emptyDir.medium",
  })
  void aFieldThatIsNotTranslatedIsNamed(String at, String field, String named) throws Exception {
    Manifests manifests = manifests();
    ObjectNode probe = manifests.get("DaemonSet", "fleetgauge-probe");
    ((ObjectNode) probe.at("/spec/template" + at)).put(field, "something");
    assertThatThrownBy(() -> translate(manifests))
        .hasMessageContaining("fleetgauge-probe-0." + named + ": \"something\" is not translated");
  }

  private Manifests manifests() throws Exception {
    List<ObjectNode> objects = new ArrayList<>(new FleetgaugeChart(folder).objects("{}").objects());
    objects.addAll(
        Manifests.of(
                """
                kind: Secret
                metadata: {name: fleetgauge-probe-token}
                stringData: {token: a token}
                """)
            .objects());
    return new Manifests(objects);
  }

  private PodTemplate translate(Manifests manifests) throws Exception {
    JsonNode template = manifests.podTemplates().get("fleetgauge-probe");
    PodTemplate.Node node =
        new PodTemplate.Node(
            "node-1",
            "10.0.0.1",
            Files.createDirectories(folder.resolve("node")),
            Map.of("nvidia", List.of("--runtime-of=nvidia")),
            "10.0.0.2");
    return PodTemplate.of(
        template,
        new PodTemplate.Place(
            "fleetgauge-probe-0", "10.0.0.1", node, manifests, folder.resolve("pod"), Map.of()));
  }
}
