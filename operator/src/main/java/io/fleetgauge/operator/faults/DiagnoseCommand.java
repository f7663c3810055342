package io.fleetgauge.operator.faults;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.operator.status.QuestionCommand;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.DocumentCommand;
import io.fleetgauge.runtime.terminal.Paragraph;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge diagnose}. */
@CommandLine.Command(
    name = "diagnose",
    description = {
      "Prints what is wrong with a job, a host or a GPU: since when, the evidence, the suspects,"
          + " and what to do."
    },
    exitCodeOnExecutionException = 2,
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {
      "0:No open fault.",
      "1:There is an open fault.",
      "2:No response, or wrong usage."
    })
public final class DiagnoseCommand extends QuestionCommand {
  private static final List<String> SEVERITIES = List.of("critical", "warning", "info");

  @CommandLine.Mixin private FaultFilter filter;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "Start of the faults that are over: seconds since the epoch, or RFC 3339. Default: 24"
              + " hours ago.")
  private String from = "";

  @Override
  protected JsonObject ask(QueryApi api) throws CommandFailure {
    if (filter.isEmpty()) {
      throw wrong("one of --job, --host and --gpu is needed");
    }
    List<Map.Entry<String, String>> parameters = new ArrayList<>(filter.parameters());
    parameters.add(Map.entry("state", "all"));
    parameters.add(Map.entry("from", from));
    parameters.add(Map.entry("limit", FaultFilter.MOST));
    JsonObject data = api.data("/api/v1/faults", parameters, this::warn);
    if (data.containsKey("next")) {
      warn(
          "there are more faults than the newest " + FaultFilter.MOST + "; --from leaves out some");
    }
    if (!filter.job().isEmpty()) {
      JsonObject jobs =
          api.data("/api/v1/faults/jobs", List.of(Map.entry("job", filter.job())), this::warn);
      data.put("jobs", jobs.getJsonArray("jobs"));
    }
    return data;
  }

  private static List<JsonObject> faults(JsonObject data) {
    return DocumentCommand.rows(data.getJsonArray("faults"))
        .sorted(
            Comparator.comparing((JsonObject each) -> !FaultText.isOpen(each))
                .thenComparing(each -> SEVERITIES.indexOf(each.getString("severity")))
                .thenComparing(each -> -FaultText.since(each)))
        .toList();
  }

  /** What detectors think of a job, of which no fault may be open. */
  private static String verdicts(JsonObject data) {
    StringBuilder out = new StringBuilder();
    List<JsonObject> jobs =
        DocumentCommand.rows(data.getJsonArray("jobs", new JsonArray())).toList();
    for (JsonObject job : jobs) {
      if (jobs.size() > 1) {
        out.append("tenant %s\n".formatted(job.getString("tenant")));
      }
      DocumentCommand.rows(job.getJsonArray("verdicts"))
          .forEach(each -> out.append(FaultText.verdict(each)));
    }
    return jobs.isEmpty() && data.containsKey("jobs")
        ? Paragraph.wrapped(
            2, "no verdicts: the job does not run now, or no query API has faults.enabled", 2)
        : out.toString();
  }

  @Override
  protected int exitCode(JsonObject data) {
    return faults(data).stream().anyMatch(FaultText::isOpen) ? 1 : 0;
  }

  @Override
  protected String text(JsonObject data) {
    List<JsonObject> all = faults(data);
    long open = all.stream().filter(FaultText::isOpen).count();
    StringBuilder out = new StringBuilder(filter.subject());
    out.append(
        open == 0
            ? ": no fault is open"
            : ": %d open %s".formatted(open, open == 1 ? "fault" : "faults"));
    if (all.size() > open) {
      out.append("; %d over".formatted(all.size() - open));
    }
    out.append('\n').append(verdicts(data));
    long now = System.currentTimeMillis();
    all.forEach(each -> out.append(FaultText.paragraphs(each, now)));
    return out.toString();
  }
}
