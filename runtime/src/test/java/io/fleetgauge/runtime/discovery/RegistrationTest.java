package io.fleetgauge.runtime.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.runtime.config.ConsulApi;
import io.fleetgauge.runtime.config.RegistrationSettings;
import io.fleetgauge.runtime.config.RegistrationSettings.Check;
import io.fleetgauge.runtime.process.Meters;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** With an agent that answers as Consul's does. */
@ExtendWith(VertxExtension.class)
class RegistrationTest {
  private static final String REGISTER =
      "PUT /v1/agent/service/register?replace-existing-checks=true";

  private Vertx vertx;
  private ReplayedApi api;

  @BeforeEach
  void start(Vertx loops) throws Exception {
    vertx = loops;
    api = ReplayedApi.plain(vertx);
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  private RegistrationSettings settings(Check check) {
    return new RegistrationSettings(
        new ConsulApi(
            api.address(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty()),
        "fleetgauge-probe",
        "fleetgauge-probe-n1",
        "fd00::1",
        List.of("gpu"),
        Map.of("hostname", "n1", "rack", "r1"),
        check,
        Duration.ofMillis(50),
        Duration.ofHours(1));
  }

  @Test
  void aProbeIsRegisteredAndDeregistered() throws Exception {
    Meters meters = new Meters("fleetgauge_probe");
    try (Registration probe = Registration.start(vertx, settings(Check.HTTP), "http", 9400)) {
      probe.declare(meters);
      await().until(() -> api.requests.contains("GET /v1/agent/service/fleetgauge-probe-n1"));
      assertThat(new String(meters.exposition(), StandardCharsets.UTF_8))
          .contains("fleetgauge_probe_registered 1.0");
    }
    assertThat(api.requests.getFirst()).isEqualTo(REGISTER);
    assertThat(api.requests.getLast())
        .isEqualTo("PUT /v1/agent/service/deregister/fleetgauge-probe-n1");
    assertThat(new ObjectMapper().readTree(api.bodies.getFirst()))
        .isEqualTo(
            new ObjectMapper()
                .readTree(
                    """
                    {"ID": "fleetgauge-probe-n1", "Name": "fleetgauge-probe",
                     "Address": "fd00::1", "Port": 9400, "Tags": ["gpu"],
                     "Meta": {"hostname": "n1", "rack": "r1"},
                     "Check": {"CheckID": "service:fleetgauge-probe-n1",
                      "Name": "fleetgauge-probe",
                      "HTTP": "http://[fd00::1]:9400/-/healthy", "Interval": "50ms",
                      "Timeout": "5s", "DeregisterCriticalServiceAfter": "60m"}}
                    """));
  }

  @Test
  void aProbeTellsThatItIsWellAndRegistersAgainWhenTheAgentForgot() {
    String pass = "PUT /v1/agent/check/pass/service%3Afleetgauge-probe-n1";
    try (Registration probe = Registration.start(vertx, settings(Check.TTL), "http", 9400)) {
      await().until(() -> api.requests.stream().filter(pass::equals).count() >= 3);
      assertThat(api.bodies.getFirst()).contains("\"TTL\":\"150ms\"");
      assertThat(api.requests.stream().filter(REGISTER::equals)).hasSize(1);
      api.answers(
          request ->
              request
                  .response()
                  .setStatusCode(request.uri().contains("pass") ? 404 : 200)
                  .end("Unknown check ID"));
      await().until(() -> api.requests.stream().filter(REGISTER::equals).count() >= 2);
      assertThat(probe).isNotNull();
    }
  }

  @Test
  void aProbeRegistersWhenConsulComesBack() {
    api.answers(500, "No cluster leader");
    Meters meters = new Meters("fleetgauge_probe");
    try (Registration probe = Registration.start(vertx, settings(Check.HTTP), "http", 9400)) {
      probe.declare(meters);
      await().until(() -> !api.requests.isEmpty());
      api.answers(200, "");
      await()
          .until(
              () ->
                  new String(meters.exposition(), StandardCharsets.UTF_8)
                      .contains("fleetgauge_probe_registered 1.0"));
      assertThat(new String(meters.exposition(), StandardCharsets.UTF_8))
          .contains("fleetgauge_probe_registration_failures_total 1.0");
    }
  }
}
