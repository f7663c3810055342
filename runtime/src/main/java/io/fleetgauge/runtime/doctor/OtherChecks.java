package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.doctor.CheckRequests.Reply;
import io.fleetgauge.runtime.process.Main;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Checks whether other processes are reached, have the same version, secret and time. */
record OtherChecks(
    ExaminedProcess process,
    Findings reach,
    Findings clock,
    Findings version,
    CheckRequests requests) {
  private static final long WARN_CLOCK_MILLIS = 1_000;
  private static final int UNAUTHORIZED = 401;

  /**
   * @param isRunning whether the process of this machine runs
   * @param more addresses of gateways that were given on the command line
   */
  void run(boolean isRunning, List<URI> more) {
    members();
    Set<URI> gateways = new LinkedHashSet<>(process.gateways());
    gateways.addAll(more);
    if (isRunning) {
      gateways.addAll(knownHere());
    }
    if (gateways.isEmpty()) {
      clock.skipped(
          "no gateway to compare clock and version with is known: start the process, or name one"
              + " with --gateway");
    }
    gateways.forEach(this::gateway);
  }

  private void members() {
    int reached = 0;
    for (String member : process.members()) {
      Optional<String> refusal = DiscoveryChecks.refusal(member);
      if (refusal.isEmpty()) {
        reach.ok("the member " + member + " accepts connections");
        reached++;
      } else {
        reach.warning(
            "the member " + member + " of cluster.members cannot be reached: " + refusal.get(),
            "start it, or open its port in firewalls and network policies; nothing is wrong if it"
                + " has not been started yet");
      }
    }
    if (!process.members().isEmpty() && reached == 0) {
      reach.warning(
          "no member of cluster.members can be reached",
          "the first gateway of a cluster starts alone; every other process needs one of them");
    }
  }

  /** The gateways that the process of this machine knows. */
  private Set<URI> knownHere() {
    Set<URI> found = new LinkedHashSet<>();
    if (process.clusterPort().isEmpty() || process.clusterPort().get().mayMove()) {
      return found; // a query API shows them to operators only
    }
    URI local = PortChecks.local(process.http());
    try {
      Reply answer = requests.ofThisMachine(local.resolve("/v1/status/cluster"));
      if (answer.status() == 200) {
        JsonArray gateways =
            new JsonObject(answer.body()).getJsonArray("gateways", new JsonArray());
        gateways.stream()
            .map(each -> ((JsonObject) each).getString("address"))
            .filter(address -> address != null)
            .forEach(address -> found.add(URI.create(address)));
      } else {
        unproven(local, answer);
      }
    } catch (IOException | DecodeException | ClassCastException e) {
      reach.skipped(local + " does not list the gateways that it knows: " + e);
    }
    return found;
  }

  private void gateway(URI address) {
    Reply healthy;
    try {
      healthy = requests.ofOther(address.resolve("/-/healthy"));
    } catch (IOException e) {
      reach.failure(
          "the gateway " + address + " cannot be reached: " + e.getMessage(),
          "start it, correct its address, or open its port in firewalls; an error of TLS is one of"
              + " trust.ca or of its certificate");
      return;
    }
    if (healthy.status() != 200 || !healthy.body().startsWith("healthy")) {
      reach.failure(
          "the process at " + address + " is no gateway: status " + healthy.status(),
          "correct the address");
      return;
    }
    reach.ok("the gateway " + address + " responds in " + healthy.millis() + " ms");
    clock(address, healthy);
    version(address);
  }

  private void clock(URI address, Reply answer) {
    double error;
    double offset;
    if (answer.clock().isPresent()) {
      error = Math.max(1, answer.millis() / 2.0);
      offset = answer.clock().get() - (answer.begun() + answer.millis() / 2.0);
    } else if (answer.date().isPresent()) {
      // Date is cut to seconds: the true time is half a second later on average.
      error = 500 + answer.millis() / 2.0;
      offset = answer.date().get() + 500 - (answer.begun() + answer.millis() / 2.0);
    } else {
      clock.skipped(address + " does not report its time");
      return;
    }
    String text =
        String.format(
            Locale.ROOT,
            "the clock of %s differs from this one by %+.3f s, known to %.3f s",
            address,
            offset / 1_000,
            error / 1_000);
    double least = Math.abs(offset) - error;
    String advice =
        "synchronize the clocks of both machines, such as with chrony; samples and signed requests"
            + " with a wrong time are rejected";
    if (least > process.trust().clockSkew().toMillis()) {
      clock.failure(text + "; trust.clockSkew is less", advice);
    } else if (least > WARN_CLOCK_MILLIS) {
      clock.warning(text, advice);
    } else {
      clock.ok(text);
    }
  }

  private void version(URI address) {
    try {
      Reply answer = requests.ofOther(address.resolve("/v1/status"));
      if (answer.status() != 200) {
        if (process.trust().secret().isPresent()) {
          unproven(address, answer);
        } else {
          version.skipped(
              address + " reports its version only to processes that have cluster.secretFile");
        }
        return;
      }
      String other = new JsonObject(answer.body()).getString("version", "unknown");
      if (other.equals(Main.VERSION)) {
        version.ok(address + " has the same version, " + other);
      } else {
        version.warning(
            address + " has version " + other + ", this program has " + Main.VERSION,
            "finish the update; see the changelog for versions that run together");
      }
    } catch (IOException | DecodeException | ClassCastException e) {
      version.skipped(address + " does not report its version: " + e);
    }
  }

  private void unproven(URI address, Reply answer) {
    if (answer.status() == UNAUTHORIZED) {
      reach.failure(
          address + " does not accept this process as one of its cluster: " + answer.body().strip(),
          "give all processes the same secret in cluster.secretFile, and synchronize their clocks");
    } else {
      version.skipped(address + " does not report its version: status " + answer.status());
    }
  }
}
