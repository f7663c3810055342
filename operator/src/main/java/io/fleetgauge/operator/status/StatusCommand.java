package io.fleetgauge.operator.status;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.operator.status.Table.Column;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.Figures;
import io.fleetgauge.runtime.terminal.Paragraph;
import io.fleetgauge.runtime.terminal.Problems;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
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
      "Prints the state of the cluster: problems first, then gateways, hosts, replicas, disks and"
          + " tenants."
    },
    exitCodeOnExecutionException = 2,
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
  protected JsonObject ask(QueryApi from) throws CommandFailure {
    try {
      return from.data(OF_QUERY_API, List.of(), this::warn);
    } catch (QueryApi.Failure e) {
      if (e.status() != NOT_FOUND) {
        throw e;
      }
      return from.object(OF_GATEWAY, List.of());
    }
  }

  private static Problems problems(JsonObject status) {
    return new Problems(status.getJsonArray("problems"), "severity", "subject");
  }

  @Override
  protected int exitCode(JsonObject status) {
    return problems(status).exitCode();
  }

  @Override
  protected String text(JsonObject status) {
    JsonArray gateways = status.getJsonArray("gateways");
    Problems problems = problems(status);
    return (problems.all().isEmpty() ? "OK: no problems\n" : problems.text(any -> true))
        + cluster(status.getJsonObject("cluster"), status.getJsonObject("replicas"))
        + GATEWAYS.section("GATEWAYS", rows(gateways))
        + DISKS.section("DISKS", rows(gateways).filter(each -> each.containsKey("disk")))
        + hosts(status.getJsonArray("hosts"))
        + TENANTS.section(
            "TENANTS (of this query API, since it started)",
            rows(status.getJsonArray("tenants", new JsonArray())).limit(MOST_TENANTS));
  }

  private static String cluster(JsonObject cluster, JsonObject replicas) {
    String versions =
        cluster.getJsonObject("versions").stream()
            .map(
                each -> each.getKey() + " on " + ((JsonArray) each.getValue()).size() + " gateways")
            .collect(Collectors.joining(", "));
    return "\nCLUSTER\n"
        + Paragraph.wrapped(
            "%s: gateways %s; version %s"
                .formatted(
                    cluster.getString("name"),
                    cluster.getJsonArray("present").stream()
                        .map(String::valueOf)
                        .collect(Collectors.joining(", ")),
                    versions))
        + Paragraph.wrapped(
            "table: epoch %s, number %s, known for %s, written by %s"
                .formatted(
                    cluster.getLong("epoch"),
                    cluster.getLong("tableNumber"),
                    Figures.durationOf(cluster.getLong("tableAgeMillis")),
                    cluster.getString("writer", "nobody")))
        + Paragraph.wrapped(
            ("replicas: %s of %s hosts fully replicated, %s catching up, %s without,"
                    + " %s moving")
                .formatted(
                    Stream.of("whole", "hosts", "filling", "none", "moving")
                        .map(replicas::getValue)
                        .toArray()));
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
        rows(all)
            .sorted(
                Comparator.comparing((JsonObject each) -> each.getString("state").equals("up"))
                    .thenComparing(each -> each.getBoolean("whole"))
                    .thenComparing(each -> -each.getLong("lagMillis", 0L))
                    .thenComparing(each -> each.getString("host")))
            .limit(most));
  }

  private static String replicas(JsonObject host) {
    return rows(host.getJsonArray("replicas"))
        .map(copy -> copy.getString("gateway") + (copy.getBoolean("whole") ? "" : " (catching up)"))
        .collect(Collectors.joining(", "));
  }
}
