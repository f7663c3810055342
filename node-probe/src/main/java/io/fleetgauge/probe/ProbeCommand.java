package io.fleetgauge.probe;

import io.fleetgauge.cluster.config.LogSettings;
import io.fleetgauge.cluster.config.ProbeConfig;
import io.fleetgauge.cluster.config.key.ConfigException;
import io.fleetgauge.cluster.process.ProcessCommand;
import io.fleetgauge.cluster.process.StartFailure;
import picocli.CommandLine;

/** {@code fleetgauge probe}. */
@CommandLine.Command(
    name = "probe",
    description = "Reads this node's GPUs and host, and streams what it read to the gateways.")
public final class ProbeCommand extends ProcessCommand<ProbeConfig> {
  @Override
  protected ProbeConfig read(String source, String yaml) throws ConfigException {
    return ProbeConfig.read(source, yaml);
  }

  @Override
  protected LogSettings log(ProbeConfig config) {
    return config.log();
  }

  @Override
  protected AutoCloseable start(ProbeConfig config) throws StartFailure {
    return ProbeProcess.start(config, System::currentTimeMillis);
  }
}
