package io.fleetgauge.operator.status;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.operator.status.Table.Column;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.Paragraph;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge slow-queries}. */
@CommandLine.Command(
    name = "slow-queries",
    description = {
      "Prints the costliest queries of a query API since it started, by total time, and why the"
          + " slowest of each kind was slow.",
      "Queries that differ in label values only are one kind. A token with the operate permission"
          + " and no scope shows those of all tenants, any other token those of its tenant."
    })
public final class SlowQueriesCommand extends QuestionCommand {
  private static final Table QUERIES =
      new Table(
          Column.number("#", "number"),
          Column.text("TENANT", "tenant"),
          Column.count("COUNT", "count"),
          Column.duration("TOTAL", "totalMillis"),
          Column.duration("P50", "p50Millis"),
          Column.duration("P99", "p99Millis"),
          Column.duration("MAX", "maxMillis"),
          Column.count("FAILED", "failures"),
          Column.count("SAMPLES", "samples"),
          Column.text("QUERY", "fingerprint"));

  @Option(
      names = "--min",
      paramLabel = "DURATION",
      description =
          "Minimum duration of the slowest query of a kind, such as 500ms. Default: query.slowWarn,"
              + " 3s.")
  private String min = "";

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Maximum number of kinds of queries to print. Default: 20.")
  private String limit = "";

  @Override
  protected JsonObject ask(QueryApi from) throws CommandFailure {
    return from.data(
        "/api/v1/status/slow-queries",
        List.of(Map.entry("min", min), Map.entry("limit", limit)),
        this::warn);
  }

  @Override
  protected String text(JsonObject answer) {
    List<JsonObject> all = rows(answer.getJsonArray("queries")).toList();
    if (all.isEmpty()) {
      return "no query took that long\n";
    }
    StringBuilder why = new StringBuilder("\nWHY THE SLOWEST OF EACH WAS SLOW\n");
    for (int i = 0; i < all.size(); i++) {
      JsonObject slowest = all.get(i).put("number", i + 1).getJsonObject("slowest");
      why.append(Paragraph.wrapped(i + 1 + ". " + slowest.getString("query")));
      slowest
          .getJsonArray("why")
          .forEach(reason -> why.append(Paragraph.wrapped(4, "- " + reason, 6)));
    }
    return QUERIES.text(all.stream()) + why;
  }
}
