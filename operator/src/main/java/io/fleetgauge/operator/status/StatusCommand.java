package io.fleetgauge.operator.status;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.operator.status.Table.Column;
import io.fleetgauge.runtime.terminal.Figures;
import io.fleetgauge.runtime.terminal.Paragraph;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge status}. */
@CommandLine.Command(
    name = "status",
    description = {
      "Prints the state of the cluster: problems first, then gateways, hosts, replicas, disks and"
          + " tenants."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {
      "0:No problem.",
      "1:There are warnings.",
      "2:A critical problem, no response, or wrong usage."
    })
public final class StatusCommand extends QuestionCommand {
  private static final Table GATEWAYS =
      new Table(
          Column.text("GATEWAY", "id"),
          Column.text("ADDRESS", "address"),
          Column.number("OWNS", "owned"),
          Column.number("COPIES", "copies"),
          Column.count("SERIES", "series"),
          Column.right("LOAD", StatusCommand::load),
          Column.bytes("HEAP", "heapUsed"),
          Column.bytes("OF", "heapMax"),
          Column.bytes("RSS", "rss"),
          Column.right("UP", StatusCommand::up),
          Column.left("VERSION", StatusCommand::version));

  private static final Table DISKS =
      new Table(
          Column.text("GATEWAY", "id"),
          DiskColumns.BLOCKS,
          DiskColumns.LIMIT,
          DiskColumns.JOURNAL,
          DiskColumns.FREE,
          DiskColumns.TOTAL,
          DiskColumns.PER_DAY,
          DiskColumns.RETENTION,
          DiskColumns.AT_RETENTION,
          DiskColumns.DAYS_LEFT);

  private static final Table HOSTS =
      new Table(
          Column.text("HOST", "host"),
          Column.text("STATE", "state"),
          Column.text("OWNER", "owner"),
          Column.left("REPLICAS", StatusCommand::replicas),
          Column.duration("NEWEST", "ageMillis"),
          Column.duration("LAG", "lagMillis"),
          Column.duration("TICK", "tickMillis"),
          Column.count("SERIES", "series"),
          Column.left("COMPLETE", each -> each.getBoolean("whole") ? "yes" : "no"));

  private static final Table TENANTS =
      new Table(
          Column.text("TENANT", "tenant"),
          Column.count("QUERIES", "queries"),
          Column.duration("TIME", "queryMillis"),
          Column.count("SAMPLES READ", "samples"),
          Column.count("REFUSED", "refused"),
          Column.count("FAILED", "failed"),
          Column.number("RUNNING", "running"));

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
          "Maximum number of hosts to print, silent and lagging ones first; 0 for all. Default:"
              + " 20.")
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
        Table.rows(status.getJsonArray("problems"))
            .map(each -> each.getString("severity"))
            .toList();
    if (severities.contains("critical")) {
      return CRITICAL;
    }
    return severities.isEmpty() ? 0 : 1;
  }

  @Override
  String text(JsonObject status) {
    JsonArray gateways = status.getJsonArray("gateways");
    return problems(status.getJsonArray("problems"))
        + cluster(status.getJsonObject("cluster"), status.getJsonObject("replicas"))
        + GATEWAYS.section("GATEWAYS", Table.rows(gateways))
        + DISKS.section("DISKS", Table.rows(gateways).filter(each -> each.containsKey("disk")))
        + hosts(status.getJsonArray("hosts"))
        + TENANTS.section(
            "TENANTS (of this query API, since it started)",
            Table.rows(status.getJsonArray("tenants", new JsonArray())).limit(MOST_TENANTS));
  }

  private static String problems(JsonArray problems) {
    return problems.isEmpty()
        ? "OK: no problems\n"
        : Table.rows(problems)
            .map(
                each ->
                    Paragraph.problem(
                        each.getString("severity"),
                        each.getString("subject"),
                        each.getString("text"),
                        each.getString("advice")))
            .collect(Collectors.joining());
  }

  private static String cluster(JsonObject cluster, JsonObject replicas) {
    String present =
        cluster.getJsonArray("present").stream()
            .map(String::valueOf)
            .collect(Collectors.joining(", "));
    String versions =
        cluster.getJsonObject("versions").stream()
            .map(
                each -> each.getKey() + " on " + ((JsonArray) each.getValue()).size() + " gateways")
            .collect(Collectors.joining(", "));
    return "\nCLUSTER\n"
        + Paragraph.wrapped(
            cluster.getString("name") + ": gateways " + present + "; version " + versions)
        + Paragraph.wrapped(
            "table: epoch "
                + cluster.getLong("epoch")
                + ", number "
                + cluster.getLong("tableNumber")
                + ", known for "
                + Figures.durationOf(cluster.getLong("tableAgeMillis"))
                + ", written by "
                + cluster.getString("writer", "nobody"))
        + Paragraph.wrapped(
            "replicas: "
                + replicas.getInteger("whole")
                + " of "
                + replicas.getInteger("hosts")
                + " hosts fully replicated, "
                + replicas.getInteger("filling")
                + " catching up, "
                + replicas.getInteger("none")
                + " without, "
                + replicas.getInteger("moving")
                + " moving");
  }

  private static String load(JsonObject gateway) {
    Double load = gateway.getDouble("load");
    return load == null
        ? null
        : String.format(Locale.ROOT, "%.1f/%d", load, gateway.getInteger("processors"));
  }

  private static String up(JsonObject gateway) {
    Long started = gateway.getLong("startedAt");
    return started == null ? null : Figures.duration(gateway.getLong("now") - started);
  }

  private static String version(JsonObject gateway) {
    return gateway.containsKey("error") ? "no response" : gateway.getString("version");
  }

  private String hosts(JsonArray all) {
    int most = hosts == 0 ? all.size() : Math.min(hosts, all.size());
    return HOSTS.section(
        "HOSTS" + (most < all.size() ? " (" + most + " of " + all.size() + ")" : ""),
        Table.rows(all)
            .sorted(
                Comparator.comparing((JsonObject each) -> each.getString("state").equals("up"))
                    .thenComparing(each -> each.getBoolean("whole"))
                    .thenComparing(each -> -each.getLong("lagMillis", 0L))
                    .thenComparing(each -> each.getString("host")))
            .limit(most));
  }

  private static String replicas(JsonObject host) {
    return Table.rows(host.getJsonArray("replicas"))
        .map(copy -> copy.getString("gateway") + (copy.getBoolean("whole") ? "" : " (catching up)"))
        .collect(Collectors.joining(", "));
  }
}
