package io.fleetgauge.operator.backup;

import io.fleetgauge.operator.client.GatewayClient;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Sends samples of a host to the gateways that hold it at the time. Safe for all threads. */
final class HostTransfer {
  private static final long PAUSE_MILLIS = 200;
  private static final long OWNER_SECONDS = 60;
  private static final int ATTEMPTS = 5;
  private static final int MOVED = 409;

  private final GatewayClient client;

  /** The host has other holders than before. */
  static final class OwnerChange extends Exception {
    private static final long serialVersionUID = 1L;

    OwnerChange(String message) {
      super(message);
    }
  }

  /** Sends what there is of a host to one of its holders. */
  @FunctionalInterface
  interface Upload {
    void send(URI holder, boolean isOwner) throws CommandFailure, IOException, OwnerChange;
  }

  /** Who holds a host now, replicas first. */
  private record Holders(String owner, Map<String, URI> all) {}

  HostTransfer(GatewayClient client) {
    this.client = client;
  }

  /**
   * Sends to each holder of a host, and again to all if they change meanwhile.
   *
   * @param gateway any gateway of the cluster
   * @param tenant that admitted the host, if the cluster does not know it
   * @param admitted when, ms since the epoch
   */
  void send(URI gateway, String host, String tenant, long admitted, Upload sending)
      throws CommandFailure, IOException {
    String why = "";
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        Holders holders = holders(gateway, host, tenant, admitted);
        // The owner last: its replicas fetch what is in its memory.
        for (Map.Entry<String, URI> each : holders.all.entrySet()) {
          sending.send(each.getValue(), each.getKey().equals(holders.owner));
        }
        post(holders.all.get(holders.owner), host, "/end", null, "");
        return;
      } catch (OwnerChange e) {
        why = e.getMessage();
        pause();
      }
    }
    throw new CommandFailure("samples of host " + host + " cannot be sent: " + why);
  }

  static void pause() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
  }

  static String path(String host, String rest) {
    return IntakeProtocol.hostPath(host, "")
            .replaceFirst("^/v1/", "/v1/restore/")
            .replaceFirst("/$", "")
        + rest;
  }

  private Holders holders(URI gateway, String host, String tenant, long admitted)
      throws CommandFailure {
    String query =
        "?tenant=" + URLEncoder.encode(tenant, StandardCharsets.UTF_8) + "&admitted=" + admitted;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(OWNER_SECONDS);
    while (System.nanoTime() < deadline) {
      HttpAnswer answer = client.ask(gateway, HttpMethod.POST, path(host, query));
      JsonObject json = GatewayClient.json(gateway, answer, 200, 202);
      if (answer.status() == 200) {
        String owner = json.getString("owner");
        Map<String, URI> all = new LinkedHashMap<>();
        json.getJsonObject("holders")
            .forEach(
                each -> {
                  if (!each.getKey().equals(owner)) {
                    all.put(each.getKey(), URI.create("" + each.getValue()));
                  }
                });
        all.put(owner, URI.create(json.getJsonObject("holders").getString(owner)));
        return new Holders(owner, all);
      }
      pause();
    }
    throw new CommandFailure(
        "host "
            + host
            + " has no owner after "
            + OWNER_SECONDS
            + " s; check the logs of the gateways");
  }

  JsonObject post(URI gateway, String host, String rest, byte[] body, String sha256)
      throws CommandFailure, OwnerChange {
    return checked(
        gateway, client.ask(gateway, HttpMethod.POST, path(host, rest), body, sha256), host);
  }

  static JsonObject checked(URI gateway, HttpAnswer answer, String host)
      throws CommandFailure, OwnerChange {
    if (answer.status() == MOVED) {
      throw new OwnerChange(answer.body().toString().strip());
    }
    if (answer.status() != 200) {
      throw new CommandFailure(
          gateway
              + " does not accept host "
              + host
              + ": status "
              + answer.status()
              + ": "
              + answer.body().toString().strip());
    }
    return answer.body().toJsonObject();
  }
}
