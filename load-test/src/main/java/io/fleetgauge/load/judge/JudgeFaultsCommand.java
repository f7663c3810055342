package io.fleetgauge.load.judge;

import io.fleetgauge.load.nodes.TraceSpec;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.log.Logs;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import io.fleetgauge.sample.gpu.FaultKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge judge-faults}. */
@CommandLine.Command(
    name = "judge-faults",
    description = {
      "Judges the detectors of faults on labelled traces of a simulated fleet.",
      "Plays traces with faults of each kind, with the mix of the Llama 3 report, and healthy ones;"
          + " prints for each kind what was found, missed and told by mistake, and how late. Exits"
          + " with 1 if a healthy job was called hung or slow."
    })
public final class JudgeFaultsCommand extends TerminalCommand implements Command {
  private static final String BEGIN = "<!-- judge-faults begins -->";
  private static final String END = "<!-- judge-faults ends -->";

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "First seed of the traces (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--traces",
      paramLabel = "N",
      defaultValue = "3",
      description = "Traces of each sort, with a seed each (default: ${DEFAULT-VALUE}).")
  private int traces;

  @Option(
      names = "--hosts",
      paramLabel = "N",
      defaultValue = "12",
      description = "Nodes in a trace (default: ${DEFAULT-VALUE}).")
  private int hosts;

  @Option(
      names = "--hours",
      paramLabel = "N",
      defaultValue = "24",
      description = "Length of a trace of the mix and of healthy ones (default: ${DEFAULT-VALUE}).")
  private int hours;

  @Option(
      names = "--kind-hours",
      paramLabel = "N",
      defaultValue = "6",
      description = "Length of a trace of one kind (default: ${DEFAULT-VALUE}).")
  private int kindHours;

  @Option(
      names = "--factor",
      paramLabel = "X",
      defaultValue = "200",
      description =
          "Faults of the mix, in times of one for 50,700 GPU-hours (default: ${DEFAULT-VALUE}).")
  private double factor;

  @Option(
      names = "--only",
      paramLabel = "SORT",
      split = ",",
      description = "Sorts of traces: healthy, mix, kinds, or the name of a kind (default: all).")
  private List<String> only = List.of("healthy", "mix", "kinds");

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Traces that are played at once (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Option(names = "--verbose", description = "Prints what was missed or told by mistake.")
  private boolean verbose;

  @Option(
      names = "--write",
      paramLabel = "FILE",
      description = "Writes the table into a page, between its marks.")
  private Path page;

  @Override
  protected int run() throws Exception {
    // The nodes' probes warn of each fault.
    Logs.toConsole(new LogSettings(LogSettings.Format.TEXT, LogSettings.Level.ERROR));
    Scores all = new Scores();
    try (ExecutorService threadPool = Executors.newFixedThreadPool(threads)) {
      List<Future<Scores>> running = new ArrayList<>();
      for (TraceSpec spec : specs()) {
        running.add(threadPool.submit(() -> TraceJudge.judge(spec)));
      }
      for (Future<Scores> each : running) {
        Scores scores = each.get();
        if (verbose) {
          scores.remarks().forEach(this::print);
        }
        all.add(scores);
      }
    }
    String text = all.table() + "\n" + command();
    print(text);
    if (page != null) {
      write(text);
    }
    return all.falseAlarms() == 0 ? 0 : 1;
  }

  private List<TraceSpec> specs() {
    List<TraceSpec> specs = new ArrayList<>();
    for (String sort : only) {
      Optional<FaultKind> kind = FaultKind.find(sort);
      if (kind.isEmpty() && !List.of("healthy", "mix", "kinds").contains(sort)) {
        throw wrong(sort + " is not allowed; allowed is healthy, mix, kinds or a kind of fault");
      }
      for (long next = seed; next < seed + traces; next++) {
        switch (sort) {
          case "healthy" -> specs.add(TraceSpec.healthy(next, hosts, Duration.ofHours(hours)));
          case "mix" -> specs.add(TraceSpec.mix(next, hosts, Duration.ofHours(hours), factor));
          case "kinds" -> {
            for (FaultKind each : FaultKind.values()) {
              specs.add(ofKind(next, each));
            }
          }
          default -> specs.add(ofKind(next, kind.get()));
        }
      }
    }
    return specs;
  }

  private TraceSpec ofKind(long of, FaultKind kind) {
    // A link that fails after days needs them; faults of jobs need jobs over several nodes.
    Duration length =
        kind == FaultKind.NVLINK_TREND ? Duration.ofDays(6) : Duration.ofHours(kindHours);
    int nodes = kind == FaultKind.NVLINK_TREND ? Math.min(hosts, 4) : hosts;
    return TraceSpec.of(of, nodes, length, kind);
  }

  /** The command that makes the same table. */
  private String command() {
    return String.format(
        Locale.ROOT,
        "Seeds %d to %d:\n\n```sh\nfleetgauge judge-faults --seed %d --traces %d --hosts %d --hours %d"
            + " --kind-hours %d --factor %.0f --only %s\n```",
        seed,
        seed + traces - 1,
        seed,
        traces,
        hosts,
        hours,
        kindHours,
        factor,
        String.join(",", only));
  }

  private void write(String text) throws IOException, CommandFailure {
    String whole = Files.readString(page);
    int begin = whole.indexOf(BEGIN);
    int end = whole.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new CommandFailure(page + " lacks the marks " + BEGIN + " and " + END);
    }
    Files.writeString(
        page,
        whole.substring(0, begin + BEGIN.length()) + "\n\n" + text + "\n\n" + whole.substring(end));
  }
}
