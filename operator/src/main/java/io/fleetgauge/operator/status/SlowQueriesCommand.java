package io.fleetgauge.operator.status;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.runtime.terminal.Figures;
import io.fleetgauge.runtime.terminal.TextTable;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge slow-queries}. */
@CommandLine.Command(
    name = "slow-queries",
    description = {
      "Prints the costliest queries of a query API since it started, those that took most time in"
          + " all first, and why the slowest of each kind was slow.",
      "Queries that differ in label values only are one kind. A token with the right to operate and"
          + " no scope sees those of all tenants, any other those of its own."
    })
public final class SlowQueriesCommand extends AskingCommand {
  @Option(
      names = "--min",
      paramLabel = "DURATION",
      description =
          "Kinds whose slowest query took as long, such as 500ms. Default: query.slowWarn, 3s.")
  private String min = "";

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Most kinds of queries to print. Default: 20.")
  private String limit = "";

  @Override
  JsonObject ask(QueryApi from) throws QueryApi.Failure {
    return data(
        from.object(
            "/api/v1/status/slow-queries",
            List.of(Map.entry("min", min), Map.entry("limit", limit))));
  }

  @Override
  void print(JsonObject answer, PrintWriter out) {
    List<JsonObject> all =
        answer.getJsonArray("queries").stream().map(JsonObject.class::cast).toList();
    if (all.isEmpty()) {
      out.print("no query took as long\n");
      return;
    }
    TextTable table =
        new TextTable(
            ">#",
            "TENANT",
            ">COUNT",
            ">TOTAL",
            ">P50",
            ">P99",
            ">MAX",
            ">FAILED",
            ">SAMPLES",
            "QUERY");
    int number = 1;
    for (JsonObject each : all) {
      table.row(
          number++,
          each.getString("tenant"),
          Figures.count(each.getLong("count")),
          Figures.duration(each.getLong("totalMillis")),
          Figures.duration(each.getLong("p50Millis")),
          Figures.duration(each.getLong("p99Millis")),
          Figures.duration(each.getLong("maxMillis")),
          Figures.count(each.getLong("failures")),
          Figures.count(each.getLong("samples")),
          each.getString("fingerprint"));
    }
    out.print(table.text());
    out.print("\nWHY THE SLOWEST OF EACH WAS SLOW\n");
    number = 1;
    for (JsonObject each : all) {
      JsonObject slowest = each.getJsonObject("slowest");
      out.print(TextTable.wrapped(0, number++ + ". " + slowest.getString("query"), 4));
      for (Object why : slowest.getJsonArray("why")) {
        out.print(TextTable.wrapped(4, "- " + why, 6));
      }
    }
  }
}
