package io.fleetgauge.query;

import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.process.ProcessCommand;
import io.fleetgauge.runtime.process.StartFailure;
import picocli.CommandLine;

/** {@code fleetgauge query}. */
@CommandLine.Command(
    name = "query",
    description = "Serves PromQL queries over all gateways through Prometheus's HTTP API.")
public final class QueryCommand extends ProcessCommand<QueryConfig> {
  @CommandLine.Mixin private InsecureOption insecure = new InsecureOption();

  @Override
  protected QueryConfig read(String source, String yaml) throws ConfigException {
    return QueryConfig.read(source, yaml);
  }

  @Override
  protected LogSettings log(QueryConfig config) {
    return config.log();
  }

  @Override
  protected AutoCloseable start(QueryConfig config) throws StartFailure {
    return QueryProcess.start(
        insecure.isSet() ? config.openToAll() : config, System::currentTimeMillis);
  }
}
