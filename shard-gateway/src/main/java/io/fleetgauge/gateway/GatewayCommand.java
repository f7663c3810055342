package io.fleetgauge.gateway;

import io.fleetgauge.cluster.config.GatewayConfig;
import io.fleetgauge.cluster.config.LogSettings;
import io.fleetgauge.cluster.config.key.ConfigException;
import io.fleetgauge.cluster.process.ProcessCommand;
import io.fleetgauge.cluster.process.StartFailure;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge gateway}. */
@CommandLine.Command(
    name = "gateway",
    description = "Takes in and keeps the samples of the hosts it owns; joins the cluster.")
public final class GatewayCommand extends ProcessCommand<GatewayConfig> {
  private static final Duration ASK_EVERY = Duration.ofMillis(200);

  @Option(
      names = "--drain",
      description =
          "Tells the gateway that runs with this configuration on this machine to let its hosts"
              + " move away and to stop, and waits until it has.")
  private boolean drain;

  @Override
  protected boolean runsOn(GatewayConfig config) throws StartFailure {
    if (drain) {
      drain(config);
    }
    return !drain;
  }

  private static void drain(GatewayConfig config) throws StartFailure {
    String host = config.http().host().equals("0.0.0.0") ? "127.0.0.1" : config.http().host();
    URI gateway = URI.create(config.http().scheme() + "://" + host + ":" + config.http().port());
    long deadline = System.nanoTime() + config.drainTimeout().plusSeconds(30).toNanos();
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(gateway.resolve(GatewayProcess.LEAVE))
                  .POST(HttpRequest.BodyPublishers.noBody())
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 202) {
        throw new StartFailure(gateway + " does not leave: " + answer.body().strip(), null);
      }
      while (isThere(client, gateway)) {
        if (System.nanoTime() > deadline) {
          throw new StartFailure(gateway + " is still there after its drainTimeout", null);
        }
        LockSupport.parkNanos(ASK_EVERY.toNanos());
      }
    } catch (IOException e) {
      throw new StartFailure("no gateway answers at " + gateway + ": " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure("interrupted while " + gateway + " leaves", e);
    }
  }

  private static boolean isThere(HttpClient client, URI gateway) throws InterruptedException {
    try {
      client.send(
          HttpRequest.newBuilder(gateway.resolve("/-/healthy")).build(),
          HttpResponse.BodyHandlers.discarding());
      return true;
    } catch (IOException e) {
      return false; // it has stopped listening
    }
  }

  @Override
  protected GatewayConfig read(String source, String yaml) throws ConfigException {
    return GatewayConfig.read(source, yaml);
  }

  @Override
  protected LogSettings log(GatewayConfig config) {
    return config.log();
  }

  @Override
  protected AutoCloseable start(GatewayConfig config) throws StartFailure {
    return GatewayProcess.start(
        isInsecure() ? config.openToAll() : config,
        System::currentTimeMillis,
        () -> System.exit(0));
  }
}
