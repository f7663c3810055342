package io.fleetgauge.gateway;

import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.http.ClientTls;
import io.fleetgauge.runtime.http.Credentials;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.SecretFile;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.process.ProcessCommand;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fleetgauge gateway}. */
@CommandLine.Command(
    name = "gateway",
    description = "Accepts and stores the samples of the hosts that it owns; joins the cluster.")
public final class GatewayCommand extends ProcessCommand<GatewayConfig> {
  @CommandLine.Mixin private InsecureOption insecure = new InsecureOption();

  private static final Duration ASK_EVERY = Duration.ofMillis(200);

  /** Stopping takes some time beyond draining. */
  private static final Duration GRACE = Duration.ofSeconds(30);

  private static final long REQUEST_MILLIS = 5_000;
  private static final HttpClients.Limits LIMITS = new HttpClients.Limits(3_000, 60, 4, 100);

  @Option(
      names = "--drain",
      description =
          "Makes the gateway that runs with this configuration on this machine hand over its hosts"
              + " and stop, and waits until it has stopped.")
  private boolean drain;

  @Option(
      names = "--remove-host",
      paramLabel = "HOST",
      description =
          "Removes a host from the cluster, with all its samples on all gateways, through the"
              + " gateway that runs with this configuration on this machine, and waits until it is"
              + " removed. A host that is still sending is not removed.")
  private String removedHost;

  @Option(
      names = "--force",
      description = "With --remove-host: removes the host even if it is still sending.")
  private boolean forced;

  @Option(
      names = "--dry-run",
      description = "With --remove-host: prints what would be removed, and removes nothing.")
  private boolean dryRun;

  @Spec private CommandSpec spec;

  @Override
  protected boolean runsOn(GatewayConfig config) throws StartFailure {
    if (drain) {
      ask(
          config,
          (requests, gateway) -> drain(requests, gateway, config.drainTimeout().plus(GRACE)));
    } else if (removedHost != null) {
      ask(
          config,
          (requests, gateway) ->
              new HostRemoval(requests, gateway, removedHost, spec.commandLine().getOut())
                  .run(forced, dryRun));
    } else if (forced || dryRun) {
      throw new StartFailure("--force and --dry-run require --remove-host", null);
    } else {
      return true;
    }
    return false;
  }

  /** Asks the gateway that runs with a configuration. */
  private interface Question {
    void ask(WebRequests requests, URI gateway) throws StartFailure;
  }

  private static void ask(GatewayConfig config, Question question) throws StartFailure {
    String host = config.http().host().equals("0.0.0.0") ? "127.0.0.1" : config.http().host();
    URI gateway = URI.create(config.http().scheme() + "://" + host + ":" + config.http().port());
    SecretFile secret = SecretFile.ofCluster(config.trust());
    RequestSigner signer =
        new RequestSigner(ClusterKey.of(secret::texts), System::currentTimeMillis);
    Vertx vertx = Vertx.vertx();
    try (WebRequests requests =
        new WebRequests(
            vertx, ClientTls.ofCluster(config.trust()), Credentials.ofCluster(signer), LIMITS)) {
      question.ask(requests, gateway);
    } finally {
      vertx.close();
    }
  }

  private static void drain(WebRequests requests, URI gateway, Duration limit) throws StartFailure {
    long deadline = System.nanoTime() + limit.toNanos();
    HttpAnswer answer;
    try {
      answer =
          requests
              .to(HttpMethod.POST, gateway.resolve(LeaveRoute.PATH), REQUEST_MILLIS)
              .send()
              .await();
    } catch (Exception e) { // await() throws checked exceptions too
      throw new StartFailure("no gateway responds: " + e.getMessage(), e);
    }
    if (answer.status() != 202) {
      throw new StartFailure(gateway + " does not leave: " + answer.text().strip(), null);
    }
    while (isListening(requests, gateway)) {
      if (System.nanoTime() > deadline) {
        throw new StartFailure(
            gateway + " is still running " + limit.toSeconds() + " s after the request to leave",
            null);
      }
      LockSupport.parkNanos(ASK_EVERY.toNanos());
    }
  }

  private static boolean isListening(WebRequests requests, URI gateway) {
    try {
      requests.to(HttpMethod.GET, gateway.resolve("/-/healthy"), REQUEST_MILLIS).send().await();
      return true;
    } catch (Exception e) { // await() throws checked exceptions too
      return false;
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
        insecure.isSet() ? config.openToAll() : config,
        System::currentTimeMillis,
        () -> System.exit(0));
  }
}
