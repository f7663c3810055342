package io.fleetgauge.runtime.discovery;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.runtime.discovery.BadAnswer.Reason;
import java.util.Optional;

/** Reads a list of EndpointSlices of the Kubernetes API, {@code discovery.k8s.io/v1}. */
final class KubernetesAnswer {
  private static final String KIND = "EndpointSliceList";

  private KubernetesAnswer() {}

  /**
   * @param portName of the Service; empty for {@code port}
   * @param hasNotReady whether pods count that are not ready
   */
  static Lookup.Addresses addresses(
      byte[] body, Optional<String> portName, int port, boolean hasNotReady, int max)
      throws BadAnswer {
    JsonNode tree = JsonAnswer.tree(body);
    if (!tree.path("kind").asText().equals(KIND)) {
      throw new BadAnswer(
          Reason.MALFORMED,
          "the response is " + AddressList.shown(body) + "; expected is the kind " + KIND);
    }
    AddressList list = new AddressList(max);
    boolean hasPort = false;
    boolean hasSlice = false;
    for (JsonNode slice : JsonAnswer.list(tree, "items")) {
      hasSlice = true;
      Optional<Integer> found =
          portName.isEmpty() ? Optional.of(port) : port(slice, portName.get());
      if (found.isEmpty()) {
        continue;
      }
      hasPort = true;
      for (JsonNode endpoint : slice.path("endpoints")) {
        if (isUsed(endpoint.path("conditions"), hasNotReady)) {
          // All addresses of an endpoint are of the same pod: the API asks to use the first.
          JsonNode address = endpoint.path("addresses").path(0);
          list.add(address.isTextual() ? address.textValue() : "", found.get());
        }
      }
    }
    if (hasSlice && !hasPort) {
      throw new BadAnswer(
          Reason.EMPTY, "the Service has no port named " + AddressList.shown(portName.get()));
    }
    return list.found();
  }

  private static Optional<Integer> port(JsonNode slice, String name) {
    for (JsonNode port : slice.path("ports")) {
      if (port.path("name").asText().equals(name) && port.path("port").canConvertToInt()) {
        return Optional.of(port.path("port").asInt());
      }
    }
    return Optional.empty();
  }

  /** A condition that is not there is unknown: the API says that this means ready. */
  private static boolean isUsed(JsonNode conditions, boolean hasNotReady) {
    return !conditions.path("terminating").asBoolean(false)
        && (hasNotReady || conditions.path("ready").asBoolean(true));
  }
}
