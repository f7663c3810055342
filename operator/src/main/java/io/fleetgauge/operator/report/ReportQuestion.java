package io.fleetgauge.operator.report;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.DocumentCommand;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** A command that makes something of a report. */
abstract class ReportQuestion extends DocumentCommand {
  @CommandLine.Mixin protected ReportOptions options;
  @CommandLine.Mixin private QueryApi api;

  /** Asks; the value is printed when JSON is wanted. */
  protected abstract JsonObject ask(QueryApi from) throws CommandFailure;

  @Override
  protected final JsonObject document() throws CommandFailure {
    try (QueryApi asked = api) {
      return ask(asked);
    }
  }

  /** A report; its warnings are told. */
  protected final JsonObject report(QueryApi from, List<Map.Entry<String, String>> parameters)
      throws CommandFailure {
    return told(from.object(UsageReport.PATH, parameters)).data();
  }

  /** The data of an envelope, whose warnings are told. */
  protected final UsageReport told(JsonObject envelope) throws CommandFailure {
    warnings(envelope).forEach(this::warn);
    return data(envelope);
  }

  static List<String> warnings(JsonObject envelope) {
    return envelope.getJsonArray("warnings", new JsonArray()).stream()
        .map(String::valueOf)
        .toList();
  }

  static UsageReport data(JsonObject envelope) throws CommandFailure {
    if (envelope.getValue("data") instanceof JsonObject data) {
      return new UsageReport(data);
    }
    throw new CommandFailure("the response has no object \"data\"; is this a query API?");
  }
}
