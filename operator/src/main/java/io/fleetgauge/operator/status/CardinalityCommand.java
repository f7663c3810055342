package io.fleetgauge.operator.status;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.runtime.terminal.Figures;
import io.fleetgauge.runtime.terminal.TextTable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge cardinality}. */
@CommandLine.Command(
    name = "cardinality",
    description = {
      "Prints how many series there are by metric, label, label value, host and tenant, and how"
          + " these figures grew within a day.",
      "A token sees the series of its tenant's scope."
    })
public final class CardinalityCommand extends AskingCommand {
  @Option(
      names = "--match",
      paramLabel = "SELECTOR",
      description = "Series to count, such as '{rack=\"r1\"}'. Default: all.")
  private String match = "";

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Most rows of each table, 1 to 10,000. Default: 20.")
  private String limit = "";

  @Override
  JsonObject ask(QueryApi from) throws QueryApi.Failure {
    return data(
        from.object(
            "/api/v1/status/cardinality",
            List.of(Map.entry("match[]", match), Map.entry("limit", limit))));
  }

  @Override
  void print(JsonObject answer, PrintWriter out) {
    long series = answer.getLong("series");
    out.print(
        Figures.count(series)
            + " series now, "
            + Figures.count(answer.getLong("seriesBefore"))
            + " a day ago ("
            + Figures.change(series, answer.getLong("seriesBefore"))
            + ")\n");
    if (answer.getBoolean("cut")) {
      out.print("There are more than were counted: count fewer with --match.\n");
    }
    table(answer.getJsonArray("metrics"), "METRIC", "metric", "series", series, out);
    table(answer.getJsonArray("labels"), "LABEL", "label", "values", 0, out);
    pairs(answer.getJsonArray("pairs"), series, out);
    table(answer.getJsonArray("hosts"), "HOST", "host", "series", series, out);
    table(answer.getJsonArray("tenants"), "TENANT", "tenant", "series", series, out);
  }

  private static String name(String name) {
    return name.isEmpty() ? "(none)" : name;
  }

  private static void table(
      JsonArray rows, String title, String name, String figure, long all, PrintWriter out) {
    TextTable table =
        new TextTable(title, ">" + figure.toUpperCase(Locale.ROOT), ">SHARE", ">A DAY");
    for (Object row : rows) {
      JsonObject each = (JsonObject) row;
      long count = each.getLong(figure);
      table.row(
          name(each.getString(name)),
          Figures.count(count),
          Figures.percent(count, all),
          Figures.change(count, each.getLong("before")));
    }
    if (!table.isEmpty()) {
      out.print("\n" + table.text());
    }
  }

  private static void pairs(JsonArray rows, long all, PrintWriter out) {
    TextTable table = new TextTable("LABEL VALUE", ">SERIES", ">SHARE", ">A DAY");
    for (Object row : rows) {
      JsonObject each = (JsonObject) row;
      long count = each.getLong("series");
      table.row(
          each.getString("label") + "=\"" + each.getString("value") + "\"",
          Figures.count(count),
          Figures.percent(count, all),
          Figures.change(count, each.getLong("before")));
    }
    if (!table.isEmpty()) {
      out.print("\n" + table.text());
    }
  }
}
