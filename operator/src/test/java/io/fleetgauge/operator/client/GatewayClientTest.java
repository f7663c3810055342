package io.fleetgauge.operator.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.http.HttpMethod;
import java.net.ServerSocket;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers of a gateway, and what is done then. */
class GatewayClientTest {
  private ScriptedGateways gateways;
  private GatewayClient client;

  @BeforeEach
  void start() throws Exception {
    gateways = new ScriptedGateways(1);
    client = new GatewayClient(TrustSettings.ofSecret(Optional.empty()));
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    gateways.close();
  }

  private HttpAnswer ask() throws CommandFailure {
    return client.ask(gateways.address(0), HttpMethod.GET, "/x");
  }

  @Test
  void aGatewayThatCannotAnswerNowIsAskedAgain() throws Exception {
    gateways.tell("g0 GET /x", 503, "later").tell("g0 GET /x", 200, "{\"a\": 1}");
    HttpAnswer answer = ask();
    assertThat(GatewayClient.json(gateways.address(0), answer, 200).getInteger("a")).isEqualTo(1);
    assertThat(gateways.asked()).hasSize(2);
  }

  @Test
  void aGatewayThatRefusesTheSecretIsNotAskedAgain() {
    for (int status : new int[] {401, 403}) {
      gateways.forget();
      gateways.tellInstead("g0 GET /x", status, "not signed\n");
      assertThatThrownBy(this::ask)
          .isInstanceOf(CommandFailure.class)
          .hasMessageStartingWith(
              gateways.address(0) + " rejects GET /x: not signed; use --secret-file");
      assertThat(gateways.asked()).hasSize(1);
    }
  }

  @Test
  void anAnswerWithAnotherStatusIsAFailureWithItsTextAndOneWithoutABodyIsEmpty() throws Exception {
    gateways.tell("g0 GET /x", 500, "no disk\n").tell("g0 GET /x", 202, "");
    HttpAnswer failed = ask();
    URI gateway = gateways.address(0);
    assertThatThrownBy(() -> GatewayClient.json(gateway, failed, 200, 202))
        .isInstanceOf(CommandFailure.class)
        .hasMessage(gateway + " responds with status 500: no disk");
    assertThat(GatewayClient.json(gateway, ask(), 200, 202)).isEmpty();
  }

  @Test
  void aGatewayThatIsGoneIsGivenUpWithTheReason() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    assertThatThrownBy(
            () -> client.ask(URI.create("http://127.0.0.1:" + port), HttpMethod.GET, "/x"))
        .isInstanceOf(CommandFailure.class)
        .hasMessageStartingWith("http://127.0.0.1:" + port + " does not respond to GET /x: ")
        .hasMessageContaining("refused");
  }
}
