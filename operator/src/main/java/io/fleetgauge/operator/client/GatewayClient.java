package io.fleetgauge.operator.client;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.HttpFailure;
import io.fleetgauge.runtime.http.SecretFile;
import io.fleetgauge.runtime.http.WebRequest;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Asks gateways as a process of the cluster does. Safe for all threads. */
public final class GatewayClient implements AutoCloseable {
  private static final long TIMEOUT_MILLIS = 120_000;
  private static final int LONGEST_ANSWER = 1 << 30;
  private static final int ATTEMPTS = 40;
  private static final long PAUSE_MILLIS = 500;
  private static final HttpClients.Limits LIMITS = new HttpClients.Limits(3_000, 60, 8, 1_000);

  private final Vertx vertx = Vertx.vertx();
  private final WebRequests http;

  /**
   * @throws StartFailure if the secret cannot be read
   */
  public GatewayClient(TrustSettings trust) throws StartFailure {
    SecretFile secret = SecretFile.ofCluster(trust);
    this.http =
        WebRequests.toCluster(
            vertx,
            trust,
            new RequestSigner(ClusterKey.of(secret::texts), System::currentTimeMillis),
            LIMITS);
  }

  /** Asks a gateway without a body. */
  public HttpAnswer ask(URI gateway, HttpMethod method, String path) throws CommandFailure {
    return ask(gateway, method, path, null, "");
  }

  /**
   * Asks a gateway, again and again for a while if it cannot answer now.
   *
   * @param body null for none
   * @param sha256 of the body
   * @return an answer whose status is not 503
   */
  public HttpAnswer ask(URI gateway, HttpMethod method, String path, byte[] body, String sha256)
      throws CommandFailure {
    String why = "";
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      WebRequest request =
          http.to(method, gateway.resolve(path), TIMEOUT_MILLIS).longestAnswer(LONGEST_ANSWER);
      if (body != null) {
        request.header("X-Fleetgauge-Sha256", sha256).body(body);
      }
      try {
        HttpAnswer answer = request.send().await();
        if (answer.status() == 401 || answer.status() == 403) {
          throw new CommandFailure(
              gateway
                  + " rejects "
                  + method
                  + " "
                  + path
                  + ": "
                  + answer.text().strip()
                  + "; use --secret-file with the secret of the cluster, as its cluster.secretFile"
                  + " names it");
        }
        if (answer.status() != 503) {
          return answer;
        }
        why = "status 503: " + answer.text().strip();
      } catch (CommandFailure e) {
        throw e;
      } catch (Exception e) { // await() throws checked exceptions too
        why = e instanceof HttpFailure failure ? failure.reason() : e.toString();
        if (attempt > 2) {
          break;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
    }
    throw new CommandFailure(gateway + " does not respond to " + method + " " + path + ": " + why);
  }

  /** The answer if its status is one of these. */
  public static JsonObject json(URI gateway, HttpAnswer answer, int... expected)
      throws CommandFailure {
    for (int each : expected) {
      if (answer.status() == each) {
        return answer.body().length() == 0 ? new JsonObject() : answer.body().toJsonObject();
      }
    }
    throw new CommandFailure(
        gateway + " responds with status " + answer.status() + ": " + answer.text().strip());
  }

  @Override
  public void close() {
    http.close();
    vertx.close();
  }
}
