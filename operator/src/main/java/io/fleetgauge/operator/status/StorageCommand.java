package io.fleetgauge.operator.status;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.operator.status.Table.Column;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.Figures;
import io.fleetgauge.runtime.terminal.Paragraph;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge storage}. */
@CommandLine.Command(
    name = "storage",
    description = {
      "Prints the disk use of the gateways by gateway, group of metrics, metric and host, and the"
          + " expected use when the retention is reached.",
      "Bytes and series count every copy: a host on two gateways counts twice."
    })
public final class StorageCommand extends QuestionCommand {
  private static final Table GATEWAYS =
      new Table(
          Column.text("GATEWAY", "id"),
          Column.right(
              "BLOCKS",
              each ->
                  each.containsKey("error")
                      ? "no response"
                      : DiskColumns.BLOCKS.cell().apply(each)),
          DiskColumns.LIMIT,
          DiskColumns.JOURNAL,
          DiskColumns.FREE,
          DiskColumns.PER_DAY,
          DiskColumns.RETENTION,
          DiskColumns.AT_RETENTION,
          DiskColumns.DAYS_LEFT,
          Column.figure("PER SAMPLE", "bytesPerSample", StorageCommand::perSample));

  private static final Table HOSTS =
      new Table(
          Column.text("HOST", "host"),
          Column.number("COPIES", "copies"),
          Column.count("SERIES", "series"),
          Column.count("BLOCKS", "blocks"),
          Column.bytes("BYTES", "diskBytes"),
          Column.bytes("ROLLUPS", "rollupBytes"),
          Column.bytes("MEMORY", "memoryBytes"),
          Column.left("OLDEST", StorageCommand::oldest));

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "Maximum number of metrics and hosts to print; 0 for all. Default: 20.")
  private int limit;

  @Override
  protected JsonObject ask(QueryApi from) throws CommandFailure {
    return from.data("/api/v1/status/storage", List.of(), this::warn);
  }

  @Override
  protected String text(JsonObject answer) {
    JsonArray groups = answer.getJsonArray("groups");
    JsonArray metrics = answer.getJsonArray("metrics");
    long most = limit <= 0 ? Long.MAX_VALUE : limit;
    return total(answer.getJsonObject("total"))
        + GATEWAYS.section(rows(answer.getJsonArray("gateways")))
        + uses("GROUP", "group", groups).section(rows(groups))
        + uses("METRIC", "metric", metrics).section(rows(metrics).limit(most))
        + HOSTS.section(rows(answer.getJsonArray("hosts")).limit(most));
  }

  private static String oldest(JsonObject host) {
    Long oldest = host.getLong("oldestAt");
    return oldest == null ? null : Instant.ofEpochMilli(oldest).toString();
  }

  private static String perSample(Number bytes) {
    return String.format(Locale.ROOT, "%.2f B", bytes.doubleValue());
  }

  private static String total(JsonObject total) {
    Double perSample = total.getDouble("bytesPerSample");
    return Paragraph.wrapped(
            "%s in blocks (%s of them rollups), %s in journals, %s in memory; %s series"
                .formatted(
                    Figures.bytes(total.getLong("diskBytes", 0L)),
                    Figures.bytes(total.getLong("rollupBytes", 0L)),
                    Figures.bytes(total.getLong("journalBytes", 0L)),
                    Figures.bytes(total.getLong("headBytes", 0L)),
                    Figures.count(total.getLong("series", 0L))))
        + Paragraph.wrapped(
            "%s; %s a day; %s when the retention is reached"
                .formatted(
                    perSample == null
                        ? "bytes per sample are not known until a block is on disk"
                        : String.format(Locale.ROOT, "%.2f bytes per sample", perSample),
                    Figures.bytesOf(total.getLong("bytesPerDay")),
                    Figures.bytesOf(total.getLong("bytesAtRetention"))));
  }

  /** Groups or metrics with their share of all rows. */
  private static Table uses(String title, String field, JsonArray rows) {
    long all = rows(rows).mapToLong(each -> each.getLong("diskBytes")).sum();
    return new Table(
        Column.text(title, field),
        Column.count("SERIES", "series"),
        Column.bytes("BYTES", "diskBytes"),
        Column.right("SHARE", each -> Figures.percent(each.getLong("diskBytes"), all)));
  }
}
