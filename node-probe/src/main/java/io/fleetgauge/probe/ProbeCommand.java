package io.fleetgauge.probe;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.dcgm.DcgmFlags;
import io.fleetgauge.probe.dcgm.DcgmOptions;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.process.ProcessCommand;
import io.fleetgauge.runtime.process.StartFailure;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** {@code fleetgauge probe}. */
@CommandLine.Command(
    name = "probe",
    description = "Reads this node's GPUs and host, and streams what it read to the gateways.")
public final class ProbeCommand extends ProcessCommand<ProbeConfig> {
  private static final Logger LOG = LoggerFactory.getLogger(ProbeCommand.class);

  private CommandSpec command;
  private List<String> warnings = List.of();

  /** Called when the command is built, alone or below another one. */
  @CommandLine.Spec
  void addFlags(CommandSpec built) {
    command = built;
    DcgmFlags.addTo(built);
  }

  @Override
  protected ProbeConfig read(String source, String yaml) throws ConfigException {
    DcgmOptions.Result options = DcgmOptions.read(DcgmFlags.given(command), System::getenv);
    warnings = options.warnings();
    return ProbeConfig.read(source, yaml, options.keys());
  }

  @Override
  protected LogSettings log(ProbeConfig config) {
    return config.log();
  }

  @Override
  protected AutoCloseable start(ProbeConfig config) throws StartFailure {
    warnings.forEach(LOG::warn);
    return ProbeProcess.start(config, System::currentTimeMillis);
  }
}
