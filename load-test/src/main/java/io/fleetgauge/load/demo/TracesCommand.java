package io.fleetgauge.load.demo;

import io.fleetgauge.load.nodes.PlayedNode;
import io.fleetgauge.load.nodes.Trace;
import io.fleetgauge.load.nodes.TraceLabel;
import io.fleetgauge.load.nodes.TraceSpec;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.prometheus.Numbers;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge traces}. */
@CommandLine.Command(
    name = "traces",
    description =
        "Prints the faults of a simulated fleet as lines of JSON, and writes what its nodes send.")
public final class TracesCommand extends TerminalCommand implements Command {
  private static final String NONE = "off";
  private static final String MIX = "mix";

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of jobs, faults and noise (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--hosts",
      paramLabel = "N",
      defaultValue = "8",
      description = "Nodes (default: ${DEFAULT-VALUE}).")
  private int hosts;

  @Option(
      names = "--days",
      paramLabel = "N",
      defaultValue = "1",
      description = "Days, also a part of one (default: ${DEFAULT-VALUE}).")
  private double days;

  @Option(
      names = "--faults",
      paramLabel = "KIND",
      defaultValue = MIX,
      description = {
        "off, mix, or one kind such as hang or nvlink_trend (default: ${DEFAULT-VALUE}).",
        "The mix and the rate of faults are those of the Llama 3 report."
      })
  private String faults;

  @Option(
      names = "--factor",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Factor on one fault in 50,700 GPU-hours (default: ${DEFAULT-VALUE}).")
  private double factor;

  @Option(
      names = "--samples",
      paramLabel = "FILE",
      description = "Writes all samples to this file, in the OpenMetrics text format.")
  private Optional<Path> samples = Optional.empty();

  @Override
  protected int run() throws Exception {
    PrintWriter out = out();
    try (Trace trace = Trace.of(spec())) {
      trace.labels().stream().map(TraceLabel::json).forEach(out::println);
      out.flush();
      if (samples.isPresent()) {
        write(trace, samples.get());
      }
    }
    return 0;
  }

  private TraceSpec spec() throws StartFailure {
    Duration length = Duration.ofSeconds(Math.round(days * Duration.ofDays(1).toSeconds()));
    if (faults.equals(NONE)) {
      return TraceSpec.healthy(seed, hosts, length);
    }
    if (faults.equals(MIX)) {
      return TraceSpec.mix(seed, hosts, length, factor);
    }
    FaultKind kind =
        FaultKind.find(faults)
            .orElseThrow(
                () ->
                    new StartFailure(
                        "--faults: "
                            + faults
                            + " is not allowed; allowed is off, mix or a kind of fault"));
    return TraceSpec.of(seed, hosts, length, kind);
  }

  private static void write(Trace trace, Path file) throws IOException, InterruptedException {
    try (Writer text = Files.newBufferedWriter(file)) {
      for (long at = trace.start(); at < trace.end(); at += trace.tick()) {
        for (PlayedNode node : trace.nodes()) {
          Optional<Tick> tick = node.tick(at);
          if (tick.isPresent()) {
            write(tick.get(), text);
          }
        }
      }
      text.write("# EOF\n");
    }
  }

  private static void write(Tick tick, Writer text) throws IOException {
    String time = Numbers.seconds(tick.time());
    for (int i = 0; i < tick.size(); i++) {
      if (!Staleness.isMarker(tick.values()[i])) {
        text.write(tick.series().get(i) + " " + tick.values()[i] + " " + time + "\n");
      }
    }
  }
}
