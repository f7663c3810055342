package io.fleetgauge.operator.report;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.operator.status.Table.Column;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge report usage}. */
@CommandLine.Command(
    name = "usage",
    description = {
      "Prints hours, energy, memory, activity and cost of GPUs by job, user, tenant, rack or GPU.",
      "Exits with 1 if there is no report; a report that lacks hosts is printed, with a warning."
    })
final class UsageCommand extends TerminalCommand {
  private static final String COMPLETENESS = "X-Fleetgauge-Completeness";
  private static final List<String> FORMATS = List.of("table", "csv", "json", "html");

  @CommandLine.Mixin private ReportOptions options;
  @CommandLine.Mixin private QueryApi api;

  @Option(
      names = "--by",
      paramLabel = "NAMES",
      description =
          "Labels to group by, separated by commas: container, pod, namespace, job, job_name, user,"
              + " account, tenant, cluster, rack, host, gpu, mig, profile, model, label:NAME."
              + " Default: namespace,pod,container.")
  private String by = "";

  @Option(
      names = "--step",
      paramLabel = "DURATION",
      description =
          "Length of the intervals that get separate rows, such as 1d. Default: the whole period.")
  private String step = "";

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table, csv, json or html. Default: table.")
  private String format;

  @Override
  protected int run() throws CommandFailure {
    if (!FORMATS.contains(format)) {
      throw wrong("--format is " + format + "; it may be table, csv, json or html");
    }
    List<Map.Entry<String, String>> parameters = new ArrayList<>(options.parameters());
    parameters.add(Map.entry("by", by));
    parameters.add(Map.entry("step", step));
    try (QueryApi asked = api) {
      if (format.equals("table")) {
        JsonObject data = asked.data(UsageReport.PATH, parameters, this::warn);
        out().print(text(new UsageReport(data)));
        return 0;
      }
      parameters.add(Map.entry("format", format));
      HttpAnswer answer = asked.get(UsageReport.PATH, parameters, this::print);
      if (format.equals("json")) {
        print("");
      }
      String completeness = Optional.ofNullable(answer.headers().get(COMPLETENESS)).orElse("");
      if (!completeness.contains("missing=;") && !completeness.isEmpty()) {
        warn("the report is not complete: " + completeness);
      }
      return 0;
    }
  }

  private static String text(UsageReport report) {
    List<Column> columns = new ArrayList<>(report.groupColumns());
    columns.add(UsageReport.number("GPU H", "gpu_hours_allocated"));
    columns.add(UsageReport.number("BUSY", "gpu_hours_busy"));
    columns.add(UsageReport.number("EXEC-IDLE", "gpu_hours_execution_idle"));
    columns.add(UsageReport.number("IDLE", "gpu_hours_idle"));
    columns.add(UsageReport.number("UNKNOWN", "gpu_hours_unknown"));
    columns.add(UsageReport.number("KWH", "energy_kwh"));
    columns.add(UsageReport.percent("ACTIVITY", "activity_average_ratio"));
    columns.add(UsageReport.bytes("PEAK MEM", "memory_peak_bytes"));
    columns.addAll(report.rateColumns());
    return report.table(columns, report.rows()) + report.notes();
  }

  private void print(InputStream body) throws IOException {
    try (Reader reader = new InputStreamReader(body, StandardCharsets.UTF_8)) {
      reader.transferTo(out());
    }
    if (out().checkError()) {
      throw new IOException("the output cannot be written");
    }
  }
}
