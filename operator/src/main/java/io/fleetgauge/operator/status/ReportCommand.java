package io.fleetgauge.operator.status;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.CommandGroup;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;

/** {@code fleetgauge report}. */
@CommandLine.Command(
    name = "report",
    description = "Queries reports from a query API.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = ReportCommand.GpuMemory.class)
public final class ReportCommand extends CommandGroup implements Command {
  /** {@code fleetgauge report gpu-memory}. */
  @CommandLine.Command(
      name = "gpu-memory",
      description = {
        "Prints memory, utilization and hours of GPUs by container, pod, job, tenant, rack or GPU.",
        "Exits with 1 if there is no report; a report that lacks hosts is printed, with a warning."
      })
  static final class GpuMemory extends TerminalCommand {
    private static final String COMPLETENESS = "X-Fleetgauge-Completeness";

    @CommandLine.Option(
        names = "--from",
        paramLabel = "TIME",
        description =
            "Start: seconds since the epoch, or RFC 3339 such as 2026-11-01T00:00:00Z. Default: 24"
                + " hours before --to.")
    private String from = "";

    @CommandLine.Option(
        names = "--to",
        paramLabel = "TIME",
        description = "End, in the same forms. Default: now.")
    private String to = "";

    @CommandLine.Option(
        names = "--by",
        paramLabel = "NAMES",
        description =
            "Labels to group by, separated by commas: container, pod, namespace, job, user,"
                + " account, tenant, rack, host, gpu, mig, profile, model, label:NAME. Default:"
                + " namespace,pod,container.")
    private String by = "";

    @CommandLine.Option(
        names = "--step",
        paramLabel = "DURATION",
        description =
            "Length of the intervals that get separate rows, such as 1d. Default: the whole"
                + " period.")
    private String step = "";

    @CommandLine.Option(
        names = "--match",
        paramLabel = "SELECTOR",
        description = "Series to count, such as '{rack=\"r1\"}'. Default: all.")
    private String match = "";

    @CommandLine.Option(
        names = "--format",
        paramLabel = "FORMAT",
        defaultValue = "csv",
        description = "csv, json or html. Default: csv.")
    private String format;

    @CommandLine.Option(
        names = "--timeout",
        paramLabel = "DURATION",
        description = "Timeout of the report. Default and maximum: query.timeout.")
    private String timeout = "";

    @CommandLine.Option(
        names = "--strict",
        description = "Treats a report that lacks hosts as an error.")
    private boolean strict;

    @CommandLine.Mixin private QueryApi api;

    @Override
    protected int run() throws CommandFailure {
      try (QueryApi asked = api) {
        HttpAnswer answer = asked.get("/api/v1/report/gpu-memory", parameters(), this::print);
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

    private List<Map.Entry<String, String>> parameters() {
      return List.of(
          Map.entry("from", from),
          Map.entry("to", to),
          Map.entry("by", by),
          Map.entry("step", step),
          Map.entry("match[]", match),
          Map.entry("format", format),
          Map.entry("timeout", timeout),
          Map.entry("strict", strict ? "1" : ""));
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
}
