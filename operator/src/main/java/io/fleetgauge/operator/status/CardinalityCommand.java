package io.fleetgauge.operator.status;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.operator.status.Table.Column;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.Figures;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge cardinality}. */
@CommandLine.Command(
    name = "cardinality",
    description = {
      "Prints the number of series by metric, label, label value, host and tenant, and their growth"
          + " within a day.",
      "A token sees the series of its tenant's scope."
    })
public final class CardinalityCommand extends QuestionCommand {
  @Option(
      names = "--match",
      paramLabel = "SELECTOR",
      description = "Series to count, such as '{rack=\"r1\"}'. Default: all.")
  private String match = "";

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Maximum number of rows of each table, 1 to 10,000. Default: 20.")
  private String limit = "";

  @Override
  protected JsonObject ask(QueryApi from) throws CommandFailure {
    return from.data(
        "/api/v1/status/cardinality",
        List.of(Map.entry("match[]", match), Map.entry("limit", limit)),
        this::warn);
  }

  @Override
  protected String text(JsonObject answer) {
    long series = answer.getLong("series");
    long before = answer.getLong("seriesBefore");
    return Figures.count(series)
        + " series now, "
        + Figures.count(before)
        + " a day ago ("
        + Figures.change(series, before)
        + ")\n"
        + (answer.getBoolean("cut")
            ? "The result is truncated: select fewer series with --match.\n"
            : "")
        + table(Column.left("METRIC", named("metric")), "series", series)
            .section(rows(answer.getJsonArray("metrics")))
        + table(Column.left("LABEL", named("label")), "values", 0)
            .section(rows(answer.getJsonArray("labels")))
        + table(Column.left("LABEL VALUE", CardinalityCommand::pair), "series", series)
            .section(rows(answer.getJsonArray("pairs")))
        + table(Column.left("HOST", named("host")), "series", series)
            .section(rows(answer.getJsonArray("hosts")))
        + table(Column.left("TENANT", named("tenant")), "series", series)
            .section(rows(answer.getJsonArray("tenants")));
  }

  private static Function<JsonObject, String> named(String field) {
    return row -> row.getString(field).isEmpty() ? "(none)" : row.getString(field);
  }

  private static String pair(JsonObject row) {
    return row.getString("label") + "=\"" + row.getString("value") + "\"";
  }

  /**
   * @param figure the field that is counted
   * @param all of which each row is a share; 0 if the rows are no shares
   */
  private static Table table(Column name, String figure, long all) {
    return new Table(
        name,
        Column.count(figure.toUpperCase(Locale.ROOT), figure),
        Column.right("SHARE", row -> Figures.percent(row.getLong(figure), all)),
        Column.right("A DAY", row -> Figures.change(row.getLong(figure), row.getLong("before"))));
  }
}
