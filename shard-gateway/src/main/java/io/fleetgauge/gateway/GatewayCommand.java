package io.fleetgauge.gateway;

import io.fleetgauge.cluster.config.ConfigException;
import io.fleetgauge.cluster.config.GatewayConfig;
import io.fleetgauge.cluster.config.LogSettings;
import io.fleetgauge.cluster.process.ProcessCommand;
import io.fleetgauge.cluster.process.StartFailure;
import picocli.CommandLine;

/** {@code fleetgauge gateway}. */
@CommandLine.Command(
    name = "gateway",
    description = "Takes in and keeps the samples of the hosts it owns; joins the cluster.")
public final class GatewayCommand extends ProcessCommand<GatewayConfig> {
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
    return GatewayProcess.start(config, System::currentTimeMillis);
  }
}
