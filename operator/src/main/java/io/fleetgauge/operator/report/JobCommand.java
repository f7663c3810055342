package io.fleetgauge.operator.report;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.DocumentCommand;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge report job}. */
@CommandLine.Command(
    name = "job",
    description = {
      "Prints everything that is known of one job: its GPU hours by class, energy, memory,"
          + " activity, cost and carbon, its faults, and its effective training time ratio:",
      JobText.FORMULA
    })
final class JobCommand extends ReportQuestion {
  private static final long WEEK_SECONDS = 7 * 86_400;
  private static final int MOST_FAULTS = 1_000;

  @Option(
      names = "--job",
      paramLabel = "JOB",
      required = true,
      description = "The job, as the label hpc_job has it. Default of --from: 7 days ago.")
  private String job;

  @Override
  protected JsonObject ask(QueryApi api) throws CommandFailure {
    String from = options.from();
    if (from.isEmpty() && options.to().isEmpty()) {
      from = "" + (Instant.now().getEpochSecond() - WEEK_SECONDS);
    }
    JsonObject report =
        report(api, parameters(from, options.to(), "job,job_name,user,account,tenant"));
    List<Map.Entry<String, String>> ofFaults =
        List.of(
            Map.entry("job", job),
            Map.entry("state", "all"),
            Map.entry("limit", "" + MOST_FAULTS),
            Map.entry("from", text(report.getNumber("from"))),
            Map.entry("to", text(report.getNumber("to"))));
    JsonArray faults = api.data("/api/v1/faults", ofFaults, this::warn).getJsonArray("faults");
    JsonArray hangs = hangs(api, report, faults);
    return new JsonObject()
        .put("job", job)
        .put("report", report)
        .put("faults", faults)
        .put("hangs", hangs)
        .put("effective", effective(new UsageReport(report), hangs));
  }

  /** The ratio and what it is made of; see {@link JobText#FORMULA}. */
  private static JsonObject effective(UsageReport report, JsonArray hangs) {
    double allocated = sum(report, "gpu_hours_allocated");
    double hang =
        DocumentCommand.rows(hangs)
            .mapToDouble(each -> UsageReport.figure(each, "gpu_hours_allocated"))
            .sum();
    double idle =
        report.totals().mapToDouble(UsageReport::wasted).sum()
            - DocumentCommand.rows(hangs).mapToDouble(UsageReport::wasted).sum();
    return new JsonObject()
        .put("gpu_hours_allocated", allocated)
        .put("gpu_hours_hang", hang)
        .put("gpu_hours_idle", idle)
        .put("training_time_ratio", allocated > 0 ? (allocated - hang - idle) / allocated : null);
  }

  private static String text(Number seconds) {
    return UsageReport.time(seconds);
  }

  private List<Map.Entry<String, String>> parameters(String from, String to, String by) {
    List<Map.Entry<String, String>> all = new ArrayList<>(options.terms());
    String quoted = job.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    String others = options.match().strip().replaceFirst("^\\{", "").replaceFirst("}$", "").strip();
    all.add(
        Map.entry(
            "match[]",
            "{hpc_job=\"" + quoted + "\"" + (others.isEmpty() ? "" : "," + others) + "}"));
    all.add(Map.entry("from", from));
    all.add(Map.entry("to", to));
    all.add(Map.entry("by", by));
    return all;
  }

  /** A time that a job hung. */
  private record Hang(Instant from, Instant to) {}

  /** What the job had while it hung: each time once, however many hangs tell of it. */
  private JsonArray hangs(QueryApi api, JsonObject report, JsonArray faults) throws CommandFailure {
    JsonArray hangs = new JsonArray();
    for (Hang each : times(report, faults)) {
      UsageReport during =
          new UsageReport(report(api, parameters(each.from.toString(), each.to.toString(), "job")));
      hangs.add(
          new JsonObject()
              .put("from", each.from.toString())
              .put("to", each.to.toString())
              .put("gpu_hours_allocated", sum(during, "gpu_hours_allocated"))
              .put("gpu_hours_idle", sum(during, "gpu_hours_idle"))
              .put("gpu_hours_execution_idle", sum(during, "gpu_hours_execution_idle")));
    }
    return hangs;
  }

  private static double sum(UsageReport report, String field) {
    return report.totals().mapToDouble(row -> UsageReport.figure(row, field)).sum();
  }

  private static List<Hang> times(JsonObject report, JsonArray faults) {
    Instant start = Instant.parse(text(report.getNumber("from")));
    Instant end = Instant.parse(text(report.getNumber("to")));
    List<Hang> all =
        DocumentCommand.rows(faults)
            .filter(fault -> fault.getString("kind", "").equals("hang"))
            .map(
                fault ->
                    new Hang(
                        later(start, fault.getInstant("since")),
                        fault.getInstant("overAt") == null
                            ? end
                            : earlier(end, fault.getInstant("overAt"))))
            .filter(hang -> hang.from.isBefore(hang.to))
            .sorted(Comparator.comparing(Hang::from))
            .toList();
    List<Hang> joined = new ArrayList<>();
    for (Hang each : all) {
      if (!joined.isEmpty() && !each.from.isAfter(joined.getLast().to)) {
        Hang last = joined.removeLast();
        joined.add(new Hang(last.from, later(last.to, each.to)));
      } else {
        joined.add(each);
      }
    }
    return joined;
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  @Override
  protected String text(JsonObject document) {
    return JobText.of(document);
  }
}
