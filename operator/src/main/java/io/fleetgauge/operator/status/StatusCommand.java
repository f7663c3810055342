package io.fleetgauge.operator.status;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.runtime.terminal.Figures;
import io.fleetgauge.runtime.terminal.TextTable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge status}. */
@CommandLine.Command(
    name = "status",
    description = {
      "Prints how the cluster is: what is wrong first, then gateways, hosts, replicas, disks and"
          + " tenants."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {
      "0:Nothing is wrong.",
      "1:There are warnings.",
      "2:Something is critical, nothing responds, or the command line is wrong."
    })
public final class StatusCommand extends AskingCommand {
  private static final int NOT_FOUND = 404;
  private static final int MOST_TENANTS = 10;
  private static final int CRITICAL = 2;
  private static final String OF_QUERY_API = "/api/v1/status/cluster";
  private static final String OF_GATEWAY = "/v1/status/cluster";

  @Option(
      names = "--hosts",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "Most hosts to print, those that are silent or lag most first; 0 for all. Default: 20.")
  private int hosts;

  @Override
  JsonObject ask(QueryApi from) throws QueryApi.Failure {
    try {
      return data(from.object(OF_QUERY_API, List.of()));
    } catch (QueryApi.Failure e) {
      if (e.status() != NOT_FOUND) {
        throw e;
      }
      return from.object(OF_GATEWAY, List.of());
    }
  }

  @Override
  int exitCodeOfFailure() {
    return CRITICAL;
  }

  @Override
  int exitCode(JsonObject status) {
    List<String> severities =
        objects(status.getJsonArray("problems")).map(each -> each.getString("severity")).toList();
    if (severities.contains("critical")) {
      return CRITICAL;
    }
    return severities.isEmpty() ? 0 : 1;
  }

  private static Stream<JsonObject> objects(JsonArray array) {
    return array.stream().map(JsonObject.class::cast);
  }

  @Override
  void print(JsonObject status, PrintWriter out) {
    problems(status.getJsonArray("problems"), out);
    cluster(status.getJsonObject("cluster"), status.getJsonObject("replicas"), out);
    gateways(status.getJsonArray("gateways"), out);
    disks(status.getJsonArray("gateways"), out);
    hosts(status.getJsonArray("hosts"), out);
    tenants(status.getJsonArray("tenants", new JsonArray()), out);
  }

  private static void problems(JsonArray problems, PrintWriter out) {
    if (problems.isEmpty()) {
      out.print("OK: nothing is wrong\n");
    }
    objects(problems)
        .forEach(
            each -> {
              out.print(
                  TextTable.wrapped(
                      0,
                      each.getString("severity").toUpperCase(Locale.ROOT)
                          + " "
                          + each.getString("subject")
                          + ": "
                          + each.getString("text"),
                      4));
              out.print(TextTable.wrapped(4, "do: " + each.getString("advice"), 8));
            });
  }

  private static String names(JsonArray names) {
    return names.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  private static void cluster(JsonObject cluster, JsonObject replicas, PrintWriter out) {
    String versions =
        cluster.getJsonObject("versions").stream()
            .map(
                each -> each.getKey() + " on " + ((JsonArray) each.getValue()).size() + " gateways")
            .collect(Collectors.joining(", "));
    out.print("\nCLUSTER\n");
    out.print(
        TextTable.wrapped(
            0,
            cluster.getString("name")
                + ": gateways "
                + names(cluster.getJsonArray("present"))
                + "; version "
                + versions,
            4));
    out.print(
        TextTable.wrapped(
            0,
            "table: epoch "
                + cluster.getLong("epoch")
                + ", number "
                + cluster.getLong("tableNumber")
                + ", known for "
                + Figures.durationOf(cluster.getLong("tableAgeMillis"))
                + ", written by "
                + cluster.getString("writer", "nobody"),
            4));
    out.print(
        TextTable.wrapped(
            0,
            "replicas: "
                + replicas.getInteger("whole")
                + " of "
                + replicas.getInteger("hosts")
                + " hosts whole on two gateways, "
                + replicas.getInteger("filling")
                + " catching up, "
                + replicas.getInteger("none")
                + " without, "
                + replicas.getInteger("moving")
                + " moving",
            4));
  }

  private static void gateways(JsonArray gateways, PrintWriter out) {
    TextTable table =
        new TextTable(
            "GATEWAY", "ADDRESS", ">OWNS", ">COPIES", ">SERIES", ">LOAD", ">HEAP", ">OF", ">RSS",
            ">UP", "VERSION");
    objects(gateways)
        .forEach(
            each -> {
              if (each.containsKey("error")) {
                table.row(
                    each.getString("id"),
                    each.getString("address", Figures.UNKNOWN),
                    "-",
                    "-",
                    "-",
                    "-",
                    "-",
                    "-",
                    "-",
                    "-",
                    "no answer");
                return;
              }
              Double load = each.getDouble("load");
              table.row(
                  each.getString("id"),
                  each.getString("address"),
                  each.getLong("owned"),
                  each.getLong("copies"),
                  Figures.count(each.getLong("series")),
                  load == null
                      ? Figures.UNKNOWN
                      : String.format(Locale.ROOT, "%.1f/%d", load, each.getInteger("processors")),
                  Figures.bytesOf(each.getLong("heapUsed")),
                  Figures.bytesOf(each.getLong("heapMax")),
                  Figures.bytesOf(each.getLong("rss")),
                  Figures.duration(each.getLong("now") - each.getLong("startedAt")),
                  each.getString("version"));
            });
    section("GATEWAYS", table, out);
  }

  private static void disks(JsonArray gateways, PrintWriter out) {
    TextTable table =
        new TextTable(
            "GATEWAY",
            ">BLOCKS",
            ">LIMIT",
            ">JOURNAL",
            ">FREE",
            ">OF",
            ">PER DAY",
            ">RETENTION",
            ">AT RETENTION",
            ">DAYS LEFT");
    objects(gateways)
        .filter(each -> each.containsKey("disk"))
        .forEach(
            each -> {
              JsonObject disk = each.getJsonObject("disk");
              table.row(
                  each.getString("id"),
                  Figures.bytesOf(disk.getLong("blockBytes")),
                  Figures.bytesOf(disk.getLong("maxBytes")),
                  Figures.bytesOf(disk.getLong("journalBytes")),
                  Figures.bytesOf(disk.getLong("freeBytes")),
                  Figures.bytesOf(disk.getLong("totalBytes")),
                  Figures.bytesOf(disk.getLong("bytesPerDay")),
                  Figures.durationOf(disk.getLong("retentionMillis")),
                  Figures.bytesOf(disk.getLong("bytesAtRetention")),
                  daysLeft(disk));
            });
    section("DISKS", table, out);
  }

  /** How long the disk lasts; it lasts for good when old samples leave before it is full. */
  static String daysLeft(JsonObject disk) {
    Double days = disk.getDouble("daysLeft");
    if (days != null) {
      return String.format(Locale.ROOT, "%.1f", days);
    }
    return disk.containsKey("bytesPerDay") ? "enough" : Figures.UNKNOWN;
  }

  private void hosts(JsonArray all, PrintWriter out) {
    TextTable table =
        new TextTable(
            "HOST",
            "STATE",
            "OWNER",
            "REPLICAS",
            ">NEWEST",
            ">LAG",
            ">TICK",
            ">SERIES",
            "COMPLETE");
    List<JsonObject> sorted =
        objects(all)
            .sorted(
                Comparator.comparing((JsonObject each) -> each.getString("state").equals("up"))
                    .thenComparing(each -> each.getBoolean("whole"))
                    .thenComparing(each -> -each.getLong("lagMillis", 0L))
                    .thenComparing(each -> each.getString("host")))
            .toList();
    int most = hosts == 0 ? sorted.size() : Math.min(hosts, sorted.size());
    for (JsonObject each : sorted.subList(0, most)) {
      table.row(
          each.getString("host"),
          each.getString("state"),
          each.getString("owner"),
          objects(each.getJsonArray("replicas"))
              .map(
                  copy ->
                      copy.getString("gateway")
                          + (copy.getBoolean("whole") ? "" : " (catching up)"))
              .collect(Collectors.joining(", ")),
          Figures.durationOf(each.getLong("ageMillis")),
          Figures.durationOf(each.getLong("lagMillis")),
          Figures.durationOf(each.getLong("tickMillis")),
          each.containsKey("series") ? Figures.count(each.getLong("series")) : Figures.UNKNOWN,
          each.getBoolean("whole") ? "yes" : "no");
    }
    section(
        "HOSTS" + (most < sorted.size() ? " (" + most + " of " + sorted.size() + ")" : ""),
        table,
        out);
  }

  private static void tenants(JsonArray tenants, PrintWriter out) {
    TextTable table =
        new TextTable(
            "TENANT", ">QUERIES", ">TIME", ">SAMPLES READ", ">REFUSED", ">FAILED", ">RUNNING");
    objects(tenants)
        .limit(MOST_TENANTS)
        .forEach(
            each ->
                table.row(
                    each.getString("tenant"),
                    Figures.count(each.getLong("queries")),
                    Figures.duration(each.getLong("queryMillis")),
                    Figures.count(each.getLong("samples")),
                    Figures.count(each.getLong("refused")),
                    Figures.count(each.getLong("failed")),
                    each.getInteger("running")));
    section("TENANTS (of this query API, since it started)", table, out);
  }

  private static void section(String title, TextTable table, PrintWriter out) {
    if (!table.isEmpty()) {
      out.print("\n" + title + "\n" + table.text());
    }
  }
}
