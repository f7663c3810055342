package io.fleetgauge.gateway;

import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/** Carries out {@code fleetgauge gateway --remove-host}: asks the gateway, and waits. */
final class HostRemoval {
  /** From the request until the host has left the table. */
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final Duration ASK_EVERY = Duration.ofMillis(200);
  private static final long REQUEST_MILLIS = 10_000;

  private final WebRequests requests;
  private final URI gateway;
  private final String host;
  private final PrintWriter out;

  HostRemoval(WebRequests requests, URI gateway, String host, PrintWriter out) {
    this.requests = requests;
    this.gateway = gateway;
    this.host = host;
    this.out = out;
  }

  /**
   * @param isForced whether a host is removed that is still sending
   * @param isDry whether only to say what would be removed
   * @throws StartFailure if the host is not removed; the message says why
   */
  void run(boolean isForced, boolean isDry) throws StartFailure {
    HttpAnswer answer =
        isDry ? ask(HttpMethod.GET, "") : ask(HttpMethod.POST, isForced ? "?force=1" : "");
    if (answer.status() != (isDry ? 200 : 202)) {
      throw new StartFailure(
          "host " + host + " is not removed: " + answer.status() + " " + answer.text().strip(),
          null);
    }
    print(new JsonObject(answer.body()));
    if (isDry) {
      out.println("nothing was removed");
    } else {
      long deadline = System.nanoTime() + LIMIT.toNanos();
      while (isInTable()) {
        if (System.nanoTime() > deadline) {
          throw new StartFailure(
              "host "
                  + host
                  + " is still in the table "
                  + LIMIT.toSeconds()
                  + " s after its removal began; check the logs of the gateways",
              null);
        }
        LockSupport.parkNanos(ASK_EVERY.toNanos());
      }
      out.println("host " + host + " was removed");
    }
    out.flush();
  }

  private HttpAnswer ask(HttpMethod method, String query) throws StartFailure {
    URI target = gateway.resolve(IntakeProtocol.hostPath(host, RemovalRoute.REMOVAL + query));
    try {
      return requests.to(method, target, REQUEST_MILLIS).send().await();
    } catch (Exception e) { // await() throws checked exceptions too
      throw new StartFailure("no gateway responds: " + e.getMessage(), e);
    }
  }

  private boolean isInTable() throws StartFailure {
    HttpAnswer answer = ask(HttpMethod.GET, "");
    return answer.status() != 404 && new JsonObject(answer.body()).containsKey("owner");
  }

  private void print(JsonObject found) {
    JsonArray copies = found.getJsonArray("copies", new JsonArray());
    out.println(
        "host "
            + host
            + (found.containsKey("owner")
                ? ", owned by " + found.getString("owner") + ", copies on " + copies.encode()
                : ", in no table"));
    found
        .getJsonObject("gateways")
        .forEach(
            each -> {
              JsonObject kept = (JsonObject) each.getValue();
              Long newest = kept.getLong("newest");
              out.println(
                  each.getKey()
                      + ": "
                      + kept.getInteger("series")
                      + " series, "
                      + kept.getInteger("blocks")
                      + " blocks, "
                      + (newest == null
                          ? "no sample"
                          : "newest sample at " + Instant.ofEpochMilli(newest)));
            });
    for (Object away : found.getJsonArray("away")) {
      out.println(
          away + " cannot be reached: it removes its samples of the host when it comes back");
    }
  }
}
