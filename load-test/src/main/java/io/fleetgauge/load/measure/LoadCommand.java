package io.fleetgauge.load.measure;

import io.fleetgauge.load.fleet.Installation;
import io.fleetgauge.load.traffic.FleetTraffic.Form;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge load}. */
@CommandLine.Command(
    name = "load",
    description =
        "Sends hours of samples of a GPU fleet to installed gateways, each in a separate process,"
            + " and prints their cost; with --against also that of other programs.")
public final class LoadCommand extends TerminalCommand implements Command {
  /** Hosts of each gateway where several numbers of gateways are compared. */
  private static final int HOSTS_A_GATEWAY = 15;

  private static final int DEFAULT_HOSTS = 50;
  private static final Set<String> PEERS = Set.of("prometheus", "victoria-metrics");
  private static final Map<String, Form> MODES =
      Map.of("frames", Form.FRAMES, "remote-write", Form.REMOTE_WRITE);

  @Option(
      names = "--gateways",
      paramLabel = "N",
      split = ",",
      defaultValue = "4",
      description =
          "Gateways, 1 to 20 (default: ${DEFAULT-VALUE}). With several numbers, such as 2,4,6, one"
              + " load for each, with 15 hosts a gateway, and the cost of queries.")
  private List<Integer> gateways;

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
      description = "Hosts of 380 series, 1 to 2000 (default: 50).")
  private Integer hosts;

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
      description = "Other programs that get the same requests: prometheus, victoria-metrics.")
  private List<String> against = List.of();

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "",
      description = "Maximum heap of each of our processes (default: that of the installation).")
  private String heap;

  @Option(
      names = "--rest",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description =
          "Pause after a backlog until memory and disk are measured, 0 to 600 (default:"
              + " ${DEFAULT-VALUE}).")
  private int rest;

  @Option(
      names = "--live",
      paramLabel = "SECONDS",
      defaultValue = "0",
      description =
          "After the backlog, measure all systems for 20 s while nothing is sent, and then for this"
              + " long while every host sends each 15 s on a separate connection, 0 to 86400.")
  private int live;

  @Option(
      names = "--refresh",
      description =
          "After the backlog, query 44 panels whose window moves by 15 s each round, with the cache"
              + " and without, and panels whose window ends now.")
  private boolean refresh;

  @Option(
      names = "--passes",
      paramLabel = "N",
      defaultValue = "3",
      description = "With --refresh: passes of 440 queries, 1 to 100 (default: ${DEFAULT-VALUE}).")
  private int passes;

  @Option(names = "--federate", description = "After the backlog, scrape all newest samples.")
  private boolean federate;

  @Option(
      names = "--viewers",
      description =
          "After the backlog, measure 200 viewers of a dashboard, and four tenants beside one"
              + " without limits.")
  private boolean viewers;

  @Option(
      names = "--rules",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "After the backlog, measure for a minute the cost of N rules that are evaluated every 15"
              + " s, 0 to 100000.")
  private int rules;

  @Override
  protected int run() throws Exception {
    for (int count : gateways) {
      requireRange("--gateways", count, 1, 20);
    }
    requireRange("--replication", replication, 1, 3);
    requireRange("--hosts", hosts == null ? DEFAULT_HOSTS : hosts, 1, 2_000);
    requireRange("--hours", hours, 0.01, 168);
    requireRange("--rest", rest, 0, 600);
    requireRange("--live", live, 0, 86_400);
    requireRange("--passes", passes, 1, 100);
    requireRange("--rules", rules, 0, 100_000);
    requireNames("--mode", modes, MODES.keySet());
    requireNames("--against", against, PEERS);
    Installation installation = Installation.built();
    Path folder = Files.createTempDirectory("fleetgauge-load");
    boolean isComplete = true;
    try {
      for (int count : gateways) {
        Path own = folder.resolve("gateways-" + count);
        isComplete &= run(own, installation, count);
        PrivateFiles.delete(own);
      }
    } finally {
      PrivateFiles.delete(folder);
    }
    return isComplete ? 0 : 1;
  }

  /** One load; whether all samples are there afterwards. */
  private boolean run(Path folder, Installation installation, int count) throws Exception {
    boolean isScale = gateways.size() > 1;
    int usual = isScale ? HOSTS_A_GATEWAY * count : DEFAULT_HOSTS;
    LoadPlan plan =
        new LoadPlan(
            hosts == null ? usual : hosts,
            hours,
            seed,
            rest,
            live,
            refresh ? passes : 0,
            isScale,
            federate,
            viewers,
            rules);
    Set<Form> forms = EnumSet.noneOf(Form.class);
    modes.forEach(mode -> forms.add(MODES.get(mode)));
    if (!against.isEmpty()) {
      forms.add(Form.REMOTE_WRITE);
    }
    PrintWriter out = out();
    try (LoadRun load = new LoadRun(folder, out, plan, forms)) {
      for (String mode : modes) {
        load.gateways(installation, count, replication, heap, MODES.get(mode));
      }
      for (String peer : against) {
        load.peer(peer);
      }
      load.goOn();
      return load.isComplete();
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
            "%s: %s is not one of %s"
                .formatted(option, name, String.join(", ", known.stream().sorted().toList())));
      }
    }
  }
}
