package io.fleetgauge.operator.status;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.runtime.terminal.Figures;
import io.fleetgauge.runtime.terminal.TextTable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge storage}. */
@CommandLine.Command(
    name = "storage",
    description = {
      "Prints what takes the disks of the gateways, by gateway, group of metrics, metric and host,"
          + " and what they will hold when the retention is reached.",
      "Bytes and series count every copy: a host on two gateways counts twice."
    })
public final class StorageCommand extends AskingCommand {
  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "Most metrics and hosts to print; 0 for all. Default: 20.")
  private int limit;

  @Override
  JsonObject ask(QueryApi from) throws QueryApi.Failure {
    return data(from.object("/api/v1/status/storage", List.of()));
  }

  @Override
  void print(JsonObject answer, PrintWriter out) {
    total(answer.getJsonObject("total"), out);
    gateways(answer.getJsonArray("gateways"), out);
    uses(answer.getJsonArray("groups"), "GROUP", "group", Integer.MAX_VALUE, out);
    uses(answer.getJsonArray("metrics"), "METRIC", "metric", most(), out);
    hosts(answer.getJsonArray("hosts"), out);
  }

  private int most() {
    return limit <= 0 ? Integer.MAX_VALUE : limit;
  }

  private static void total(JsonObject total, PrintWriter out) {
    Double perSample = total.getDouble("bytesPerSample");
    out.print(
        TextTable.wrapped(
            0,
            Figures.bytes(total.getLong("diskBytes", 0L))
                + " in blocks ("
                + Figures.bytes(total.getLong("rollupBytes", 0L))
                + " of them rollups), "
                + Figures.bytes(total.getLong("journalBytes", 0L))
                + " in journals, "
                + Figures.bytes(total.getLong("headBytes", 0L))
                + " in memory; "
                + Figures.count(total.getLong("series", 0L))
                + " series",
            4));
    out.print(
        TextTable.wrapped(
            0,
            (perSample == null
                    ? "bytes per sample are not known until a block is on disk"
                    : String.format(Locale.ROOT, "%.2f bytes per sample", perSample))
                + "; "
                + Figures.bytesOf(total.getLong("bytesPerDay"))
                + " a day; "
                + Figures.bytesOf(total.getLong("bytesAtRetention"))
                + " when the retention is reached",
            4));
  }

  private static Stream<JsonObject> objects(JsonArray array) {
    return array.stream().map(JsonObject.class::cast);
  }

  private static void gateways(JsonArray gateways, PrintWriter out) {
    TextTable table =
        new TextTable(
            "GATEWAY",
            ">BLOCKS",
            ">LIMIT",
            ">JOURNAL",
            ">FREE",
            ">PER DAY",
            ">RETENTION",
            ">AT RETENTION",
            ">DAYS LEFT",
            ">PER SAMPLE");
    objects(gateways)
        .forEach(
            each -> {
              if (each.containsKey("error")) {
                table.row(
                    each.getString("id"), "no answer", "-", "-", "-", "-", "-", "-", "-", "-");
                return;
              }
              JsonObject disk = each.getJsonObject("disk");
              Double perSample = each.getDouble("bytesPerSample");
              table.row(
                  each.getString("id"),
                  Figures.bytesOf(disk.getLong("blockBytes")),
                  Figures.bytesOf(disk.getLong("maxBytes")),
                  Figures.bytesOf(disk.getLong("journalBytes")),
                  Figures.bytesOf(disk.getLong("freeBytes")),
                  Figures.bytesOf(disk.getLong("bytesPerDay")),
                  Figures.durationOf(disk.getLong("retentionMillis")),
                  Figures.bytesOf(disk.getLong("bytesAtRetention")),
                  StatusCommand.daysLeft(disk),
                  perSample == null
                      ? Figures.UNKNOWN
                      : String.format(Locale.ROOT, "%.2f B", perSample));
            });
    print(table, out);
  }

  private static void uses(JsonArray rows, String title, String name, int most, PrintWriter out) {
    TextTable table = new TextTable(title, ">SERIES", ">BYTES", ">SHARE");
    long all = objects(rows).mapToLong(each -> each.getLong("diskBytes")).sum();
    objects(rows)
        .limit(most)
        .forEach(
            each ->
                table.row(
                    each.getString(name),
                    Figures.count(each.getLong("series")),
                    Figures.bytesOf(each.getLong("diskBytes")),
                    Figures.percent(each.getLong("diskBytes"), all)));
    print(table, out);
  }

  private void hosts(JsonArray hosts, PrintWriter out) {
    TextTable table =
        new TextTable(
            "HOST", ">COPIES", ">SERIES", ">BLOCKS", ">BYTES", ">ROLLUPS", ">MEMORY", "OLDEST");
    objects(hosts)
        .limit(most())
        .forEach(
            each ->
                table.row(
                    each.getString("host"),
                    each.getLong("copies"),
                    Figures.count(each.getLong("series")),
                    Figures.count(each.getLong("blocks")),
                    Figures.bytesOf(each.getLong("diskBytes")),
                    Figures.bytesOf(each.getLong("rollupBytes")),
                    Figures.bytesOf(each.getLong("memoryBytes")),
                    each.containsKey("oldestAt")
                        ? Instant.ofEpochMilli(each.getLong("oldestAt")).toString()
                        : Figures.UNKNOWN));
    print(table, out);
  }

  private static void print(TextTable table, PrintWriter out) {
    if (!table.isEmpty()) {
      out.print("\n" + table.text());
    }
  }
}
