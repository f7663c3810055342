package io.fleetgauge.distribution.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may reach whom, by the meaning that Kubernetes gives to NetworkPolicies. */
class NetworkPoliciesTest {
  private static final Map<String, Pod> PODS =
      Map.of(
          "probe", ours("probe"),
          "gateway", ours("gateway"),
          "query", ours("query"),
          "neighbour", new Pod("fleetgauge", Map.of("app", "other")),
          "grafana", new Pod("monitoring", Map.of("app", "grafana")));

  @TempDir private Path folder;
  private Manifests manifests;

  private record Pod(String namespace, Map<String, String> labels) {}

  private static Pod ours(String component) {
    return new Pod(
        "fleetgauge",
        Map.of(
            "app.kubernetes.io/name", "fleetgauge",
            "app.kubernetes.io/instance", "fleetgauge",
            "app.kubernetes.io/component", component));
  }

  @BeforeEach
  void render() throws IOException {
    manifests = new FleetgaugeChart(folder).objects("{}");
  }

  @ParameterizedTest
  @CsvSource({
    "probe, gateway, 9500, true",
    "probe, gateway, 5701, false",
    "probe, query, 9090, false",
    "gateway, gateway, 9500, true",
    "gateway, gateway, 5701, true",
    "gateway, gateway, 41234, true",
    "gateway, query, 41234, true",
    "query, gateway, 9500, true",
    "query, query, 5701, true",
    "query, probe, 9400, false",
    "gateway, probe, 9400, false",
    "grafana, query, 9090, true",
    "grafana, query, 5701, false",
    "grafana, gateway, 5701, false",
    "grafana, gateway, 9500, true",
    "grafana, probe, 9400, true",
    "grafana, neighbour, 80, false",
    "neighbour, gateway, 5701, false",
    "neighbour, query, 9090, false"
  })
  void connectionsAreAllowedAsTheyAreDocumented(String from, String to, int port, boolean allowed) {
    assertThat(mayConnect(PODS.get(from), PODS.get(to), port)).isEqualTo(allowed);
  }

  @Test
  void everyPodOfOursMayAskDnsAndNothingElseOutside() {
    Pod dns = new Pod("kube-system", Map.of("k8s-app", "kube-dns"));
    for (String each : List.of("probe", "gateway", "query")) {
      assertThat(leaves(PODS.get(each), dns, 53)).as(each).isTrue();
      assertThat(leaves(PODS.get(each), dns, 443)).as(each).isFalse();
    }
  }

  private boolean mayConnect(Pod from, Pod to, int port) {
    return leaves(from, to, port) && enters(from, to, port);
  }

  private boolean leaves(Pod from, Pod to, int port) {
    List<ObjectNode> policies = policies(from, "Egress");
    return policies.isEmpty()
        || policies.stream().anyMatch(each -> allows(each.at("/spec/egress"), "to", to, port));
  }

  private boolean enters(Pod from, Pod to, int port) {
    List<ObjectNode> policies = policies(to, "Ingress");
    return policies.isEmpty()
        || policies.stream().anyMatch(each -> allows(each.at("/spec/ingress"), "from", from, port));
  }

  private List<ObjectNode> policies(Pod of, String direction) {
    return manifests
        .ofKind("NetworkPolicy")
        .filter(each -> each.at("/spec/policyTypes").toString().contains(direction))
        .filter(each -> of.namespace().equals(each.at("/metadata/namespace").asText()))
        .filter(each -> selects(each.at("/spec/podSelector"), of.labels()))
        .toList();
  }

  private static boolean allows(JsonNode rules, String side, Pod peer, int port) {
    List<JsonNode> all = new ArrayList<>();
    rules.forEach(all::add);
    return all.stream()
        .anyMatch(rule -> hasPort(rule.path("ports"), port) && hasPeer(rule.path(side), peer));
  }

  private static boolean hasPort(JsonNode ports, int port) {
    boolean has = ports.isEmpty();
    for (JsonNode each : ports) {
      has |= each.path("port").asInt() == port;
    }
    return has;
  }

  private static boolean hasPeer(JsonNode peers, Pod pod) {
    boolean has = peers.isEmpty();
    for (JsonNode each : peers) {
      boolean inNamespace =
          each.has("namespaceSelector")
              ? selects(
                  each.path("namespaceSelector"),
                  Map.of("kubernetes.io/metadata.name", pod.namespace()))
              : pod.namespace().equals("fleetgauge");
      has |= inNamespace && !each.has("ipBlock") && selects(each.path("podSelector"), pod.labels());
    }
    return has;
  }

  private static boolean selects(JsonNode selector, Map<String, String> labels) {
    for (var each : selector.path("matchLabels").properties()) {
      if (!each.getValue().asText().equals(labels.get(each.getKey()))) {
        return false;
      }
    }
    for (JsonNode each : selector.path("matchExpressions")) {
      assertThat(each.path("operator").asText()).isEqualTo("In");
      boolean in = false;
      for (JsonNode value : each.path("values")) {
        in |= value.asText().equals(labels.get(each.path("key").asText()));
      }
      if (!in) {
        return false;
      }
    }
    return true;
  }
}
