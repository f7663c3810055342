package io.fleetgauge.operator.report;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.operator.status.QuestionCommand;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** A command that makes something of a report. */
abstract class ReportQuestion extends QuestionCommand {
  @CommandLine.Mixin protected ReportOptions options;

  /** A report; its warnings are told. */
  protected final JsonObject report(QueryApi from, List<Map.Entry<String, String>> parameters)
      throws CommandFailure {
    return from.data(UsageReport.PATH, parameters, this::warn);
  }
}
