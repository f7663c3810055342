package io.fleetgauge.load.measure;

import io.fleetgauge.cluster.process.Command;
import io.fleetgauge.cluster.process.StartFailure;
import io.fleetgauge.load.fleet.Installation;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge load}. */
@CommandLine.Command(
    name = "load",
    description =
        "Sends hours of samples of a GPU fleet to gateways that run as installed, each in a process"
            + " of its own, and prints what it costs; with --against also in other programs.")
public final class LoadCommand implements Command {
  private static final Set<String> PEERS = Set.of("prometheus", "victoria-metrics");
  private static final Set<String> MODES = Set.of("frames", "remote-write");

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--gateways",
      paramLabel = "N",
      defaultValue = "4",
      description = "Gateways, 1 to 20 (default: ${DEFAULT-VALUE}).")
  private int gateways;

  @Option(
      names = "--replication",
      paramLabel = "R",
      defaultValue = "2",
      description = "Gateways that hold each host, 1 to 3 (default: ${DEFAULT-VALUE}).")
  private int replication;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      split = ",",
      defaultValue = "frames,remote-write",
      description = "frames, remote-write or both (default: ${DEFAULT-VALUE}).")
  private List<String> modes;

  @Option(
      names = "--hosts",
      paramLabel = "N",
      defaultValue = "50",
      description = "Hosts of 380 series, 1 to 2000 (default: ${DEFAULT-VALUE}).")
  private int hosts;

  @Option(
      names = "--hours",
      paramLabel = "H",
      defaultValue = "3",
      description = "Length of the backlog, 0.01 to 168 (default: ${DEFAULT-VALUE}).")
  private double hours;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Makes the samples (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--against",
      paramLabel = "NAME",
      split = ",",
      description = "Other programs that get the same bodies: prometheus, victoria-metrics.")
  private List<String> against = List.of();

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "",
      description = "Largest heap of each of our processes (default: what is installed says).")
  private String heap;

  @Option(
      names = "--rest",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "Pause after a load until memory and disk are looked at, 0 to 600.")
  private int rest;

  @Option(
      names = "--queries",
      description =
          "Measure a dashboard's queries against Prometheus and VictoriaMetrics instead: cold and"
              + " warm, CPU with and without rollups, 200 viewers, and a tenant without"
              + " limits.")
  private boolean queries;

  @Option(
      names = "--federate",
      description = "Measure scrapes of /federate against those of Prometheus instead.")
  private boolean federate;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "12",
      description =
          "With --queries and --federate: repetitions of each request (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    requireRange("--gateways", gateways, 1, 20);
    requireRange("--replication", replication, 1, 3);
    requireRange("--hosts", hosts, 1, 2_000);
    requireRange("--hours", hours, 0.01, 168);
    requireRange("--rest", rest, 0, 600);
    requireRange("--rounds", rounds, 1, 1_000);
    requireNames("--mode", modes, MODES);
    requireNames("--against", against, PEERS);
    Path folder = Files.createTempDirectory("fleetgauge-load");
    try {
      if (federate) {
        try (FederateLoad load = new FederateLoad(folder, out, hosts, rounds)) {
          load.run();
        }
        return 0;
      }
      if (queries) {
        try (QueryLoad load = new QueryLoad(folder, out, hosts, rounds)) {
          load.run();
        }
        return 0;
      }
      IntakeLoad load = new IntakeLoad(folder, out, new LoadPlan(hosts, hours, seed, rest));
      boolean isKept = true;
      for (String mode : modes) {
        isKept &= load.gateways(Installation.built(), gateways, replication, heap, mode);
      }
      for (String peer : against) {
        load.peer(peer);
      }
      return isKept ? 0 : 1;
    } finally {
      remove(folder);
    }
  }

  private static void requireRange(String option, double value, double min, double max)
      throws StartFailure {
    if (!(value >= min && value <= max)) {
      throw new StartFailure(
          "%s: %s is not allowed; allowed is %s to %s"
              .formatted(option, plain(value), plain(min), plain(max)));
    }
  }

  private static String plain(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }

  private static void requireNames(String option, List<String> names, Set<String> known)
      throws StartFailure {
    for (String name : names) {
      if (!known.contains(name)) {
        throw new StartFailure(
            option
                + ": "
                + name
                + " is not one of "
                + String.join(", ", known.stream().sorted().toList()));
      }
    }
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
