package io.fleetgauge.query.operate;

import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.config.ReportSettings;
import io.fleetgauge.query.prices.RateFiles;
import io.fleetgauge.runtime.doctor.DiscoveryChecks;
import io.fleetgauge.runtime.doctor.Examination;
import io.fleetgauge.runtime.doctor.ExaminedProcess;
import io.fleetgauge.runtime.doctor.Findings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.fleetgauge.sample.vocabulary.InvalidAliases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Describes a query API to {@code fleetgauge doctor query}. */
public final class QueryExamination implements Examination {
  /** Connections of clients and to gateways. */
  private static final long OPEN_FILES = 4_096;

  @Override
  public String process() {
    return "query";
  }

  @Override
  public ExaminedProcess read(String source, String yaml) throws ConfigException {
    QueryConfig config = QueryConfig.read(source, yaml);
    return new ExaminedProcess(
        config.http(),
        List.of(),
        Optional.of(
            new ExaminedProcess.ClusterPort(
                config.cluster().host(), config.cluster().port(), !config.cluster().isPortSet())),
        config.cluster().members(),
        List.of(),
        config.trust(),
        config.tenants(),
        true,
        List.of(),
        List.of(),
        OPEN_FILES,
        List.of(
            DiscoveryChecks.of(config.cluster().discovery()),
            findings ->
                config.aliases().ifPresent(file -> aliases(file, findings.about("configuration"))),
            findings -> rates(config.report(), findings.about("configuration"))));
  }

  private static void rates(ReportSettings settings, Findings findings) {
    RateFiles files = new RateFiles(settings.prices(), settings.carbon(), settings.pue());
    files.look();
    for (String problem : files.problems()) {
      findings.warning(problem, "correct it; docs/report.md describes the form");
    }
    if (files.leftOut() == 0 && (settings.prices().isPresent() || settings.carbon().isPresent())) {
      findings.ok("report.prices and report.carbon are valid");
    }
  }

  private static void aliases(Path file, Findings findings) {
    try {
      AliasTable.builtIn().with(file.toString(), Files.readString(file));
      findings.ok("query.aliases " + file + " is valid");
    } catch (IOException | InvalidAliases e) {
      findings.failure(
          "query.aliases " + file + " cannot be used: " + e.getMessage(),
          "correct it; docs/queries.md describes its form");
    }
  }
}
