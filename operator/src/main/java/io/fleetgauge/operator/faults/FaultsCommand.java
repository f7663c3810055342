package io.fleetgauge.operator.faults;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.operator.status.Table;
import io.fleetgauge.operator.status.Table.Column;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.DocumentCommand;
import io.fleetgauge.runtime.terminal.Figures;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge faults}. */
@CommandLine.Command(
    name = "faults",
    description = {
      "Prints faults of hosts, GPUs and jobs: what, where, since when.",
      "With --follow it prints a line whenever a fault begins, tells more or is over, until it is"
          + " ended."
    })
public final class FaultsCommand extends TerminalCommand implements Command {
  private static final List<String> FORMATS = List.of("table", "json");
  private static final long FOLLOW_MILLIS = 5_000;

  private static final Table FAULTS =
      new Table(
          Column.left("SINCE (UTC)", fault -> FaultText.time(fault, "since")),
          Column.right(
              "LASTED",
              fault -> Figures.durationOf(FaultText.lasted(fault, System.currentTimeMillis()))),
          Column.left(
              "STATE", fault -> FaultText.isOpen(fault) ? fault.getString("severity") : "over"),
          Column.text("KIND", "kind"),
          Column.text("CAUSE", "cause"),
          Column.left("WHERE", FaultText::place),
          Column.left("JOB", FaultText::job),
          Column.text("SEEN", "text"));

  @CommandLine.Mixin private QueryApi api;
  @CommandLine.Mixin private FaultFilter filter;

  @Option(names = "--tenant", paramLabel = "TENANT", description = "Faults of this tenant.")
  private String tenant = "";

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      description = "Faults of this kind, such as gpu_lost; kinds are in docs/faults.md.")
  private String kind = "";

  @Option(
      names = "--severity",
      paramLabel = "SEVERITY",
      description = "Faults of this severity: info, warning or critical.")
  private String severity = "";

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description = "open, over or all. Default: open; all with --from or --to.")
  private String state = "";

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "Start: seconds since the epoch, or RFC 3339 such as 2026-11-01T00:00:00Z. Default: 24"
              + " hours before --to.")
  private String from = "";

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "End, in the same forms. Default: now.")
  private String to = "";

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Maximum number of faults to print. Default: that of the query API.")
  private String limit = "";

  @Option(
      names = "--follow",
      description = "Prints what begins, tells more or is over, as it comes.")
  private boolean follow;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table or json; with --follow json prints one object a line. Default: table.")
  private String format;

  @Override
  protected int run() throws CommandFailure {
    if (!FORMATS.contains(format)) {
      throw wrong("--format is " + format + "; it may be table or json");
    }
    try (QueryApi asked = api) {
      if (follow) {
        follow(asked);
      } else {
        boolean isPast = !from.isEmpty() || !to.isEmpty();
        JsonObject data = ask(asked, state.isEmpty() ? isPast ? "all" : "open" : state, limit);
        if (data.containsKey("next")) {
          warn("there are more faults than these; raise --limit, or select some");
        }
        out().print(format.equals("json") ? data.encodePrettily() + "\n" : text(data));
      }
    }
    return 0;
  }

  private static String text(JsonObject data) {
    String table = FAULTS.text(DocumentCommand.rows(data.getJsonArray("faults")));
    return table.isEmpty() ? "no faults\n" : table;
  }

  private JsonObject ask(QueryApi asked, String wanted, String most) throws CommandFailure {
    List<Map.Entry<String, String>> parameters = new ArrayList<>(filter.parameters());
    parameters.add(Map.entry("tenant", tenant));
    parameters.add(Map.entry("kind", kind));
    parameters.add(Map.entry("severity", severity));
    parameters.add(Map.entry("state", wanted));
    parameters.add(Map.entry("from", from));
    parameters.add(Map.entry("to", to));
    parameters.add(Map.entry("limit", most));
    return asked.data("/api/v1/faults", parameters, this::warn);
  }

  /** Prints open faults first, and then what is new. Goes on while the query API is away. */
  private void follow(QueryApi asked) throws CommandFailure {
    Map<String, JsonObject> known = new HashMap<>();
    String wanted = "open";
    long began = System.currentTimeMillis();
    while (!Thread.currentThread().isInterrupted()) {
      try {
        List<JsonObject> all =
            DocumentCommand.rows(
                    ask(asked, wanted, limit.isEmpty() ? FaultFilter.MOST : limit)
                        .getJsonArray("faults"))
                .toList();
        boolean isFirst = wanted.equals("open");
        for (JsonObject fault : all.reversed()) {
          JsonObject before = known.put(fault.getString("episode"), fault);
          // What was over when following began is no news.
          boolean isNews = isFirst || FaultText.over(fault, Long.MAX_VALUE) > began;
          if (before == null ? isNews : tellsMore(before, fault)) {
            out().print(format.equals("json") ? fault.encode() + "\n" : FaultText.line(fault));
          }
        }
        wanted = "all";
      } catch (QueryApi.Failure e) {
        if (e.status() / 100 == 4) {
          throw e; // to ask again would not help
        }
        warn(e.getMessage());
      }
      out().flush();
      try {
        TimeUnit.MILLISECONDS.sleep(FOLLOW_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static boolean tellsMore(JsonObject before, JsonObject now) {
    return FaultText.isOpen(before) != FaultText.isOpen(now)
        || !before.getString("severity").equals(now.getString("severity"))
        || !before.getString("cause", "").equals(now.getString("cause", ""))
        || !before.getString("text", "").equals(now.getString("text", ""))
            && !before.getBoolean("proven", false).equals(now.getBoolean("proven", false));
  }
}
