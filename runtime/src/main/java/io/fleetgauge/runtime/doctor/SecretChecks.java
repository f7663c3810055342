package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.http.SecretFile;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.tenant.TenantList;
import io.fleetgauge.runtime.tenant.TenantSettings;
import io.fleetgauge.runtime.tenant.TokenSettings;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Checks that secrets and tokens can be read, by nobody else, and are valid. */
record SecretChecks(ExaminedProcess process, Findings secrets, Findings tokens, Instant now) {
  private static final Duration SOON = Duration.ofDays(30);

  void run() {
    cluster();
    process.secrets().forEach(secret -> readable(secret.key(), secret.file()));
    process.http().tls().ifPresent(tls -> readable("http.tls.key", tls.key()));
    process.trust().key().ifPresent(key -> readable("trust.key", key));
    process.tenants().ifPresent(this::tenants);
    if (process.needsTenants() && process.tenants().isEmpty()) {
      withoutTenants();
    }
  }

  private void cluster() {
    Optional<Path> file = process.trust().secret();
    if (file.isEmpty()) {
      if (process.clusterPort().isPresent() && !isLocal(process.http().host())) {
        secrets.warning(
            "cluster.secretFile is not set: anyone who can reach the ports can join the cluster",
            "write 32 random bytes in base64 to a file, give it to all processes, and name it in"
                + " cluster.secretFile");
      }
      return;
    }
    try {
      SecretFile secret = SecretFile.ofCluster(process.trust());
      readable("cluster.secretFile", file.get());
      if (secret.texts().size() > 1) {
        secrets.warning(
            "cluster.secretFile " + file.get() + " has two secrets",
            "when all processes have the first one, remove the second");
      }
    } catch (StartFailure e) {
      secrets.failure(
          e.getMessage(), "give the file a secret of 16 characters or more, on one line");
    }
  }

  private void readable(String key, Path file) {
    try {
      if (Files.readString(file).isBlank()) {
        secrets.failure(key + " " + file + " is empty", "write the secret to it");
        return;
      }
      String problem = PrivateFiles.secretProblem(file);
      if (problem.isEmpty()) {
        secrets.ok(key + " " + file + " can be read, and not by all users");
      } else {
        secrets.warning(key + ": " + problem, "run chmod 600 " + file);
      }
    } catch (IOException e) {
      secrets.failure(
          "%s %s cannot be read as user %s: %s"
              .formatted(key, file, System.getProperty("user.name"), e),
          "correct the name, or let the user that the process runs as read it");
    }
  }

  private void withoutTenants() {
    if (process.http().insecure()) {
      tokens.warning(
          "http.insecure is set: other machines may reach the process without a token",
          "set tenants.file");
    } else if (!isLocal(process.http().host())) {
      tokens.failure(
          "http.host "
              + process.http().host()
              + " can be reached from other machines, and tenants.file is not set: the process does"
              + " not start",
          "set tenants.file, set http.host to 127.0.0.1, or allow it with --insecure");
    }
  }

  static boolean isLocal(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false; // the name is a finding of its own
    }
  }

  private void tenants(Path file) {
    TenantList list;
    try {
      list =
          TenantList.read(
              file.toString(), Files.readString(file), TenantLimits.DEFAULT, scope -> "");
    } catch (ConfigException e) {
      e.problems()
          .forEach(
              problem -> tokens.failure(file + ": " + problem, "correct it; see docs/tenants.md"));
      return;
    } catch (IOException e) {
      tokens.failure(
          "tenants.file " + file + " cannot be read: " + e, "correct its name or permissions");
      return;
    }
    tokens.ok("tenants.file " + file + " names " + list.tenants().size() + " tenants");
    for (TenantSettings tenant : list.tenants().values()) {
      for (TokenSettings token : tenant.tokens().values()) {
        token.expires().ifPresent(end -> expiry(tenant.name() + ".tokens." + token.name(), end));
      }
    }
  }

  private void expiry(String token, Instant end) {
    if (!now.isBefore(end)) {
      tokens.warning(
          "the token tenants." + token + " expired at " + end,
          "remove it, or give its bearer another");
    } else if (now.plus(SOON).isAfter(end)) {
      tokens.warning(
          "the token tenants.%s expires at %s, in %s days"
              .formatted(token, end, Duration.between(now, end).toDays()),
          "give its bearer another one before");
    }
  }
}
