package io.fleetgauge.operator.backup;

import io.fleetgauge.operator.client.GatewayAccess;
import io.fleetgauge.operator.client.GatewayClient;
import io.fleetgauge.runtime.terminal.CommandFailure;
import java.nio.file.Path;
import picocli.CommandLine;

/** Options of the commands that ask gateways only. */
final class GatewayOptions extends GatewayAccess {
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

  int transfers() throws CommandFailure {
    if (transfers < 1 || transfers > 64) {
      throw new CommandFailure("--transfers " + transfers + " is not 1 to 64");
    }
    return transfers;
  }

  GatewayClient open() throws CommandFailure {
    return open(caFile);
  }
}
