package io.fleetgauge.runtime.discovery;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.runtime.discovery.BadAnswer.Reason;

/** Reads what Consul answers at {@code /v1/health/service/NAME}. */
final class ConsulAnswer {
  private ConsulAnswer() {}

  /**
   * @param defaultPort of an instance that is registered without one
   */
  static Lookup.Addresses addresses(byte[] body, int defaultPort, int max) throws BadAnswer {
    JsonNode tree = JsonAnswer.tree(body);
    if (!tree.isArray()) {
      throw new BadAnswer(
          Reason.MALFORMED, "the response is " + AddressList.shown(body) + "; a list is expected");
    }
    AddressList list = new AddressList(max);
    for (JsonNode instance : tree) {
      JsonNode service = instance.path("Service");
      if (!service.isObject()) {
        list.leaveOut(
            "an instance is "
                + AddressList.shown(instance.toString())
                + "; a map with Service is expected");
      } else if (isPassing(instance)) {
        String own = service.path("Address").asText("");
        int port = service.path("Port").asInt(0);
        list.add(
            own.isEmpty() ? instance.path("Node").path("Address").asText("") : own,
            port == 0 ? defaultPort : port);
      }
    }
    return list.found();
  }

  private static boolean isPassing(JsonNode instance) {
    for (JsonNode check : instance.path("Checks")) {
      if (!check.path("Status").asText("passing").equals("passing")) {
        return false;
      }
    }
    return true;
  }
}
