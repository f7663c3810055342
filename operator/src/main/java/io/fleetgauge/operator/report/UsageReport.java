package io.fleetgauge.operator.report;

import io.fleetgauge.operator.status.Table;
import io.fleetgauge.operator.status.Table.Column;
import io.fleetgauge.runtime.terminal.DocumentCommand;
import io.fleetgauge.runtime.terminal.Figures;
import io.fleetgauge.runtime.terminal.Paragraph;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A report of the query API as text. */
record UsageReport(JsonObject data) {
  static final String PATH = "/api/v1/report/usage";

  Stream<JsonObject> rows() {
    return DocumentCommand.rows(data.getJsonArray("rows"));
  }

  Stream<JsonObject> totals() {
    return DocumentCommand.rows(data.getJsonArray("totals"));
  }

  /** A figure of a row; 0 if it has none. */
  static double figure(JsonObject row, String field) {
    Number number = row.getNumber(field);
    return number == null ? 0 : number.doubleValue();
  }

  /** Time that was allocated and not used, GPU hours. */
  static double wasted(JsonObject row) {
    return figure(row, "gpu_hours_idle") + figure(row, "gpu_hours_execution_idle");
  }

  boolean has(String field) {
    return totals().anyMatch(each -> each.getNumber(field) != null);
  }

  String currency() {
    JsonObject prices = data.getJsonObject("definitions").getJsonObject("prices");
    return prices == null ? "" : prices.getString("currency");
  }

  /** Columns of the group, and of the interval if there are several. */
  List<Column> groupColumns() {
    List<Column> columns = new ArrayList<>();
    for (Object key : data.getJsonArray("by")) {
      columns.add(
          Column.left(
              key.toString().toUpperCase(Locale.ROOT),
              row -> row.getJsonObject("group", new JsonObject()).getString("" + key, "")));
    }
    if (data.getJsonArray("totals").size() > 1) {
      columns.add(Column.left("FROM (UTC)", row -> time(row.getNumber("from"))));
    }
    return columns;
  }

  static Column number(String title, String field) {
    return Column.figure(title, field, UsageReport::decimals);
  }

  static Column bytes(String title, String field) {
    return Column.bytes(title, field);
  }

  static Column percent(String title, String field) {
    return Column.figure(title, field, ratio -> Figures.percent(ratio.doubleValue(), 1));
  }

  /** Cost and carbon, if the report has them. */
  List<Column> rateColumns() {
    List<Column> columns = new ArrayList<>();
    if (has("cost")) {
      columns.add(number(("COST " + currency()).strip(), "cost"));
    }
    if (has("carbon_grams")) {
      columns.add(
          Column.figure("KG CO2", "carbon_grams", grams -> decimals(grams.doubleValue() / 1_000)));
    }
    return columns;
  }

  static String decimals(Number number) {
    return String.format(Locale.ROOT, "%.2f", number.doubleValue());
  }

  static String time(Number seconds) {
    return Instant.ofEpochMilli(Math.round(seconds.doubleValue() * 1_000)).toString();
  }

  /** The rows and then the totals, whose group is empty. */
  String table(List<Column> columns, Stream<JsonObject> rows) {
    String text = new Table(columns.toArray(Column[]::new)).text(Stream.concat(rows, totals()));
    return text.isEmpty() ? "nothing was used\n" : text;
  }

  /** The time of the report, and what its figures mean. */
  String notes() {
    StringBuilder out = new StringBuilder("\n");
    out.append(
        Paragraph.wrapped(
            "From "
                + time(data.getNumber("from"))
                + " to "
                + time(data.getNumber("to"))
                + "; the last "
                + (data.getJsonArray("totals").size() > 1
                    ? "lines are totals."
                    : "line is the total.")));
    for (Object each : data.getJsonObject("definitions").getJsonArray("text", new JsonArray())) {
      out.append(Paragraph.wrapped(each + "."));
    }
    return out.toString();
  }
}
