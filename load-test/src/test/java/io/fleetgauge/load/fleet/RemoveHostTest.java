package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.gateway.GatewayCommand;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.sample.Labels;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** An operator removes hosts from two gateways that share a secret. */
class RemoveHostTest {
  private static final Duration SOON = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private LocalFleet fleet;
  private Path secret;

  @BeforeEach
  void start() throws Exception {
    secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef");
    fleet = fleet();
  }

  private LocalFleet fleet() throws Exception {
    LocalFleet started =
        new LocalFleet(
            "remove-" + System.nanoTime(), LocalPorts.free(2), folder, System::currentTimeMillis);
    started.secure(Optional.empty(), TrustSettings.ofSecret(Optional.of(secret)), Optional.empty());
    started.startGateway(0, Duration.ofDays(1));
    started.startGateway(0, Duration.ofDays(1));
    return started;
  }

  @AfterEach
  void stop() {
    fleet.close();
    client.close();
  }

  private record CommandResult(int status, String text) {}

  /** Runs the command as a shell would, with a configuration of the first or second gateway. */
  private CommandResult command(int gateway, String secretFile, String... arguments)
      throws Exception {
    URI address = fleet.gatewayAddresses().get(gateway);
    Path config =
        Files.writeString(
            folder.resolve("gateway.yaml"),
            "id: g\nhttp: {host: 127.0.0.1, port: %d}\ncluster: {secretFile: %s}\n"
                .formatted(address.getPort(), secretFile));
    StringWriter text = new StringWriter();
    CommandLine line =
        new CommandLine(new GatewayCommand())
            .setOut(new PrintWriter(text, true))
            .setExecutionExceptionHandler(
                (failure, command, parsed) -> {
                  text.append(failure.getMessage());
                  return 1;
                });
    String[] all = new String[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    all[0] = "--config";
    all[1] = config.toString();
    return new CommandResult(line.execute(all), text.toString());
  }

  private CommandResult command(String... arguments) throws Exception {
    return command(0, secret.toString(), arguments);
  }

  private int write(String host, Duration age) throws Exception {
    long time = System.currentTimeMillis() - age.toMillis();
    byte[] body =
        RemoteWriteBody.v2()
            .series(Labels.of("__name__", "up", "Hostname", host), time, 1)
            .compressed();
    HttpRequest request =
        HttpRequest.newBuilder(fleet.gatewayAddresses().getFirst().resolve("/api/v1/write"))
            .header("Content-Encoding", "snappy")
            .header("Content-Type", RemoteWriteBody.V2_TYPE)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  /** A host that has fallen silent. */
  private void written(String host) {
    written(host, Duration.ofMinutes(6));
  }

  private void written(String host, Duration age) {
    await().atMost(SOON).until(() -> write(host, age) == 204);
  }

  private long series(String host) {
    return fleet.gateways().stream().mapToLong(each -> each.seriesOf(host)).sum();
  }

  private boolean isInATable(String host) {
    return fleet.gateways().stream().anyMatch(each -> each.view().table().hosts().contains(host));
  }

  @Test
  void aHostIsRemovedFromTableAndStoresOfAllGatewaysAndStaysSoAfterARestart() throws Exception {
    written("..");
    written("other");
    await().atMost(SOON).until(() -> series("..") == 2 && series("other") == 2);
    CommandResult dry = command("--remove-host", "..", "--dry-run");
    assertThat(dry.text())
        .contains("host .., owned by gateway-", "1 series", "nothing was removed");
    assertThat(dry.status()).isZero();
    assertThat(isInATable("..")).isTrue();
    CommandResult removed = command(1, secret.toString(), "--remove-host", "..");
    assertThat(removed.text())
        .contains("gateway-1: 1 series", "gateway-2: 1 series", "was removed");
    assertThat(removed.status()).isZero();
    await().atMost(SOON).until(() -> !isInATable(".."));
    assertThat(series("..")).isZero();
    assertThat(series("other")).isEqualTo(2);
    fleet.close();
    fleet = fleet();
    await().atMost(SOON).until(() -> series("other") == 2 && isInATable("other"));
    assertThat(series("..")).as("read from the journal").isZero();
    assertThat(isInATable("..")).isFalse();
    written("..");
    await().atMost(SOON).until(() -> isInATable("..") && series("..") == 2);
  }

  @Test
  void aGatewayThatWasAwayRemovesWhatItHasWhenItComesBack() throws Exception {
    written("n1");
    written("other");
    await().atMost(SOON).until(() -> series("n1") == 2 && series("other") == 2);
    fleet.gateways().get(1).close();
    await().atMost(SOON).until(() -> fleet.gateways().get(0).view().gateways().size() == 1);
    CommandResult removed = command("--remove-host", "n1");
    assertThat(removed.status()).as(removed.text()).isZero();
    assertThat(fleet.gateways().get(0).view().table().hosts()).doesNotContain("n1");
    fleet.close();
    fleet = fleet();
    await().atMost(SOON).until(() -> series("other") == 2 && isInATable("other"));
    await().atMost(SOON).until(() -> series("n1") == 0);
    assertThat(isInATable("n1")).isFalse();
    written("n1", Duration.ZERO);
    await().atMost(SOON).until(() -> isInATable("n1") && series("n1") == 2);
  }

  @Test
  void aHostThatIsStillSendingIsRemovedByForceOnly() throws Exception {
    written("n1", Duration.ZERO);
    CommandResult refused = command("--remove-host", "n1");
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.text()).contains("409", "still sending", "--force");
    assertThat(isInATable("n1")).isTrue();
    assertThat(command("--remove-host", "n1", "--force").text()).contains("was removed");
    await().atMost(SOON).until(() -> !isInATable("n1") && series("n1") == 0);
  }

  @Test
  void onlyAKnownHostIsRemovedAndOnlyByOneWhoKnowsTheSecret() throws Exception {
    written("n1");
    CommandResult unknown = command("--remove-host", "n2");
    assertThat(unknown.status()).isEqualTo(1);
    assertThat(unknown.text()).contains("404", "no gateway knows the host n2");
    Path wrong = Files.writeString(folder.resolve("wrong"), "another-secret-of-16");
    CommandResult stranger = command(0, wrong.toString(), "--remove-host", "n1");
    assertThat(stranger.status()).isEqualTo(1);
    assertThat(stranger.text()).contains("401");
    assertThat(isInATable("n1")).isTrue();
    assertThat(command("--force").text()).contains("--remove-host");
  }
}
