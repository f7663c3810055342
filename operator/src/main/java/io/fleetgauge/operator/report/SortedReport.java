package io.fleetgauge.operator.report;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.operator.status.Table.Column;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Option;

/** A report whose first rows are those with the most of something. */
abstract class SortedReport extends ReportQuestion {
  @Option(
      names = "--by",
      paramLabel = "NAMES",
      defaultValue = "job,user,tenant",
      description =
          "Labels to group by, separated by commas, as for report usage. Default:"
              + " job,user,tenant.")
  private String by;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "Maximum number of rows to print; 0 for all. Default: 20.")
  private int limit;

  /** What rows are sorted by; rows that have none of it are left out. */
  protected abstract ToDoubleFunction<JsonObject> most();

  /** Columns besides those of the group. */
  protected abstract List<Column> columns(UsageReport report);

  @Override
  protected JsonObject ask(QueryApi from) throws CommandFailure {
    List<Map.Entry<String, String>> parameters = new ArrayList<>(options.parameters());
    parameters.add(Map.entry("by", by));
    JsonObject data = report(from, parameters);
    JsonArray sorted = new JsonArray();
    new UsageReport(data)
        .rows()
        .filter(row -> most().applyAsDouble(row) > 0)
        .sorted(Comparator.comparingDouble(most()).reversed())
        .limit(limit <= 0 ? Long.MAX_VALUE : limit)
        .forEach(sorted::add);
    return data.put("rows", sorted);
  }

  @Override
  protected final String text(JsonObject data) {
    UsageReport report = new UsageReport(data);
    List<Column> columns = new ArrayList<>(report.groupColumns());
    columns.addAll(columns(report));
    columns.addAll(report.rateColumns());
    return report.table(columns, report.rows()) + report.notes();
  }
}
