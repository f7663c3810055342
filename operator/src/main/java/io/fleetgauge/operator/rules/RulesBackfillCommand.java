package io.fleetgauge.operator.rules;

import io.fleetgauge.operator.backup.PastSamples;
import io.fleetgauge.operator.client.GatewayAccess;
import io.fleetgauge.operator.client.GatewayClient;
import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.Numbers;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import picocli.CommandLine;

/** {@code fleetgauge rules backfill}. */
@CommandLine.Command(
    name = "backfill",
    description = {
      "Backfills recording rules: evaluates them over a past time range, and writes the results to"
          + " the cluster. Alerting rules are left out.",
      "The results are those of a regular evaluation. Backfilling a range twice changes nothing."
          + " Exits with 1 if a query or a write fails."
    })
final class RulesBackfillCommand extends TerminalCommand {
  @CommandLine.Mixin private QueryApi api;
  @CommandLine.Mixin private GatewayAccess gateways;

  @CommandLine.Parameters(arity = "1..*", paramLabel = "FILE", description = "Rule files.")
  private List<Path> files;

  @CommandLine.Option(
      names = "--start",
      required = true,
      paramLabel = "TIME",
      description = "First evaluation time: seconds since the epoch, or RFC 3339.")
  private String start;

  @CommandLine.Option(
      names = "--end",
      paramLabel = "TIME",
      description = "Last evaluation time, in the same forms. Default: now.")
  private String end;

  @CommandLine.Option(
      names = "--eval-interval",
      paramLabel = "DURATION",
      defaultValue = "1m",
      description = "Interval of groups that set none. Default: 1m.")
  private String interval;

  @CommandLine.Option(
      names = "--query-offset",
      paramLabel = "DURATION",
      defaultValue = "0s",
      description = "query_offset of groups that set none. Default: 0s.")
  private String queryOffset;

  @CommandLine.Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description =
          "Label that is added to all results, such as those of a tenant's scope. May be given"
              + " several times.")
  private Map<String, String> labels = Map.of();

  @Override
  protected int run() throws CommandFailure {
    long from = time("--start", start);
    long to = end == null ? System.currentTimeMillis() : time("--end", end);
    if (to < from) {
      throw wrong("--end " + end + " is before --start " + start);
    }
    long every = duration("--eval-interval", interval);
    if (every == 0) {
      throw wrong("--eval-interval is " + interval + "; it must be above 0");
    }
    if (labels.containsKey("") || labels.containsKey(Labels.NAME)) {
      throw wrong("--label needs the name of a label, and not that of the metric's name");
    }
    long offset = duration("--query-offset", queryOffset);
    RuleFileReader reader = new RuleFileReader(ParseOptions.STOCK, TemplateCheck.TEMPLATES, every);
    List<RuleGroup> groups = new ArrayList<>();
    boolean readable = true;
    for (Path file : files) {
      readable &= RulesCommand.read(file, reader, out(), groups::addAll);
    }
    if (readable) {
      fill(groups, from, to, offset);
    }
    return readable ? 0 : 1;
  }

  private void fill(List<RuleGroup> groups, long from, long to, long offset) throws CommandFailure {
    try (QueryApi asked = api;
        GatewayClient client = gateways.open(asked.caFile())) {
      PastSamples past = new PastSamples(client, gateways.gateway());
      long oldest = System.currentTimeMillis() - past.retention();
      if (from - offset < oldest) {
        throw new CommandFailure(
            "--start "
                + start
                + " is before "
                + Instant.ofEpochMilli(oldest)
                + ", the oldest time that the cluster keeps (store.retention)");
      }
      Backfill backfill =
          new Backfill(this::range, all -> write(past, all), offset, Labels.of(labels));
      for (RuleGroup group : groups) {
        try {
          Backfill.Result filled = backfill.fill(group, from, to);
          print(
              group.id().key()
                  + ": "
                  + filled.rules()
                  + " rules, "
                  + filled.samples()
                  + " samples");
        } catch (CommandFailure e) {
          throw new CommandFailure(group.id().key() + ": " + e.getMessage(), e);
        }
      }
    }
  }

  private static void write(PastSamples past, List<Series> series) throws CommandFailure {
    try {
      past.write(series);
    } catch (IOException e) {
      throw new CommandFailure("samples cannot be sent: " + e);
    }
  }

  // --- the cluster ---

  private List<Series> range(String query, long from, long to, long step) throws CommandFailure {
    try {
      JsonObject answer =
          api.object(
              "/api/v1/query_range",
              List.of(
                  Map.entry("query", query),
                  Map.entry("start", Numbers.seconds(from)),
                  Map.entry("end", Numbers.seconds(to)),
                  Map.entry("step", Numbers.seconds(step))));
      JsonArray warnings = answer.getJsonArray("warnings", new JsonArray());
      if (!warnings.isEmpty()) {
        throw new CommandFailure("the response to " + query + " has warnings: " + warnings);
      }
      List<Series> all = new ArrayList<>();
      for (Object each : answer.getJsonObject("data").getJsonArray("result")) {
        all.add(series((JsonObject) each, query));
      }
      return all;
    } catch (ClassCastException | NullPointerException e) {
      throw new CommandFailure(api.url() + " responds to " + query + " without a matrix");
    }
  }

  private static Series series(JsonObject json, String query) throws CommandFailure {
    if (json.containsKey("histograms")) {
      throw new CommandFailure(
          query + " has native histograms as its result, which cannot be backfilled");
    }
    Map<String, String> labels = new HashMap<>();
    json.getJsonObject("metric")
        .forEach(label -> labels.put(label.getKey(), "" + label.getValue()));
    JsonArray points = json.getJsonArray("values");
    long[] times = new long[points.size()];
    double[] values = new double[points.size()];
    for (int i = 0; i < times.length; i++) {
      JsonArray point = points.getJsonArray(i);
      times[i] = Math.round(point.getDouble(0) * 1000);
      values[i] = Numbers.parse(point.getString(1)).orElse(Double.NaN);
    }
    return new Series(Labels.of(labels), times, values);
  }

  // --- options ---

  private long time(String option, String text) {
    OptionalDouble seconds = Numbers.parse(text);
    if (seconds.isPresent() && Double.isFinite(seconds.getAsDouble())) {
      return Math.round(seconds.getAsDouble() * 1000);
    }
    try {
      return OffsetDateTime.parse(text).toInstant().toEpochMilli();
    } catch (DateTimeParseException e) {
      throw wrong(option + " is " + text + "; allowed are seconds since the epoch and RFC 3339");
    }
  }

  private long duration(String option, String text) {
    long millis = Durations.parse(text);
    if (millis == Durations.NONE) {
      throw wrong(option + " is " + text + "; allowed is a duration such as 1m30s");
    }
    return millis;
  }
}
