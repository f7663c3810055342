package io.fleetgauge.query;

import io.fleetgauge.cluster.config.TrustSettings;
import io.fleetgauge.cluster.process.StartFailure;
import io.fleetgauge.query.backup.BackupFailure;
import io.fleetgauge.query.backup.GatewayClient;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine;

/** Options of the commands that ask gateways: which, and with what proof. */
final class GatewayOptions {
  private static final Duration CLOCK_SKEW = Duration.ofSeconds(60);

  @CommandLine.Option(
      names = "--gateway",
      paramLabel = "URL",
      defaultValue = "http://localhost:9500",
      description = "Any gateway of the cluster. Default: http://localhost:9500.")
  private String gateway;

  @CommandLine.Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description = "The secret of the cluster, as cluster.secretFile names it.")
  private Path secretFile;

  @CommandLine.Option(
      names = "--ca-file",
      paramLabel = "FILE",
      description =
          "Certificates (PEM) that the gateways' are checked against. Default: those of the JVM.")
  private Path caFile;

  @CommandLine.Option(
      names = "--certificate-file",
      paramLabel = "FILE",
      description = "Certificate (PEM) that is presented to gateways.")
  private Path certificateFile;

  @CommandLine.Option(
      names = "--key-file",
      paramLabel = "FILE",
      description = "Private key (PEM) of that certificate.")
  private Path keyFile;

  @CommandLine.Option(
      names = "--transfers",
      paramLabel = "COUNT",
      defaultValue = "4",
      description = "How many files or hosts are moved at once, 1 to 64. Default: 4.")
  private int transfers;

  URI gateway() throws BackupFailure {
    return address(gateway);
  }

  /** The address that {@code --gateway} gives. */
  static URI address(String gateway) throws BackupFailure {
    URI address;
    try {
      address = URI.create(gateway.replaceFirst("/+$", ""));
    } catch (IllegalArgumentException e) {
      throw new BackupFailure("--gateway " + gateway + " is no address: " + e.getMessage(), e);
    }
    if (address.getHost() == null
        || address.getPort() < 0
        || !"http".equals(address.getScheme()) && !"https".equals(address.getScheme())) {
      throw new BackupFailure(
          "--gateway " + gateway + " is no address such as http://localhost:9500");
    }
    return address;
  }

  int transfers() throws BackupFailure {
    if (transfers < 1 || transfers > 64) {
      throw new BackupFailure("--transfers " + transfers + " is not 1 to 64");
    }
    return transfers;
  }

  GatewayClient open() throws BackupFailure {
    return open(secretFile, caFile, certificateFile, keyFile);
  }

  /**
   * Opens a client of gateways; null for files that are not given.
   *
   * @throws BackupFailure if a file cannot be read
   */
  static GatewayClient open(Path secret, Path ca, Path certificate, Path key) throws BackupFailure {
    try {
      return new GatewayClient(
          new TrustSettings(
              Optional.ofNullable(ca),
              Optional.ofNullable(certificate),
              Optional.ofNullable(key),
              Optional.ofNullable(secret),
              CLOCK_SKEW));
    } catch (StartFailure e) {
      throw new BackupFailure(e.getMessage(), e);
    }
  }
}
