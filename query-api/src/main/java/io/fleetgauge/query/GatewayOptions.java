package io.fleetgauge.query;

import io.fleetgauge.query.backup.BackupFailure;
import io.fleetgauge.query.backup.GatewayClient;
import java.net.URI;
import java.nio.file.Path;
import picocli.CommandLine;

/** Options of the commands that ask gateways only. */
final class GatewayOptions {
  @CommandLine.Mixin private GatewayAccess access;

  @CommandLine.Option(
      names = "--ca-file",
      paramLabel = "FILE",
      description =
          "Certificates (PEM) that the gateways' are checked against. Default: those of the JVM.")
  private Path caFile;

  @CommandLine.Option(
      names = "--transfers",
      paramLabel = "COUNT",
      defaultValue = "4",
      description = "How many files or hosts are moved at once, 1 to 64. Default: 4.")
  private int transfers;

  URI gateway() throws BackupFailure {
    return access.gateway();
  }

  int transfers() throws BackupFailure {
    if (transfers < 1 || transfers > 64) {
      throw new BackupFailure("--transfers " + transfers + " is not 1 to 64");
    }
    return transfers;
  }

  GatewayClient open() throws BackupFailure {
    return access.open(caFile);
  }
}
