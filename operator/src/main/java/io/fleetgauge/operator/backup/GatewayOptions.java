package io.fleetgauge.operator.backup;

import io.fleetgauge.operator.client.CommandFailure;
import io.fleetgauge.operator.client.GatewayAccess;
import io.fleetgauge.operator.client.GatewayClient;
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
          "CA certificates (PEM) to verify the gateways' certificates. Default: those of the JVM.")
  private Path caFile;

  @CommandLine.Option(
      names = "--transfers",
      paramLabel = "COUNT",
      defaultValue = "4",
      description = "Number of concurrent transfers of files or hosts, 1 to 64. Default: 4.")
  private int transfers;

  URI gateway() throws CommandFailure {
    return access.gateway();
  }

  int transfers() throws CommandFailure {
    if (transfers < 1 || transfers > 64) {
      throw new CommandFailure("--transfers " + transfers + " is not 1 to 64");
    }
    return transfers;
  }

  GatewayClient open() throws CommandFailure {
    return access.open(caFile);
  }
}
