package io.fleetgauge.load.demo;

import io.fleetgauge.cluster.table.Assignment;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.nodes.TraceLabel;
import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Incidents;
import io.fleetgauge.load.nodes.jobs.JobSchedule;
import io.fleetgauge.probe.ProbeProcess;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.AlertmanagerSettings;
import io.fleetgauge.query.config.FaultsSettings;
import io.fleetgauge.query.config.NotificationSettings;
import io.fleetgauge.query.config.RulesSettings;
import io.fleetgauge.runtime.config.LocalHost;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.log.Logs;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge demo}. */
@CommandLine.Command(
    name = "demo",
    description = "Starts a complete fleet on this machine, with an hour of history.")
public final class DemoCommand extends TerminalCommand implements Command {
  private static final String LOOPBACK = "127.0.0.1";

  /** Hosts besides: this machine, the controller and a workstation. */
  private static final int OTHERS = 3;

  private static final String GATEWAY_FOLDER = "gateways";
  private static final String LABELS = "faults.jsonl";
  private static final String RULES_FOLDER = "rules";
  private static final Duration RETENTION = Duration.ofHours(6);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "9090",
      description = "Port of the query API (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--gateway-port",
      paramLabel = "PORT",
      defaultValue = "9500",
      description = "Port of the first gateway; the others follow (default: ${DEFAULT-VALUE}).")
  private int gatewayPort;

  @Option(
      names = "--cluster-port",
      paramLabel = "PORT",
      defaultValue = "5701",
      description = "Port of the first cluster member; others follow (default: ${DEFAULT-VALUE}).")
  private int clusterPort;

  @Option(
      names = "--probe-port",
      paramLabel = "PORT",
      defaultValue = "9400",
      description = "Port of this machine's probe (default: ${DEFAULT-VALUE}).")
  private int probePort;

  @Option(
      names = "--hosts",
      paramLabel = "N",
      defaultValue = "50",
      description = {
        "Simulated nodes in five racks, 1 to 500 (default: ${DEFAULT-VALUE}).",
        "One gateway is started for every " + Assignment.MOST + " hosts."
      })
  private int hosts;

  @Option(
      names = "--past",
      paramLabel = "MINUTES",
      defaultValue = "60",
      description = "Minutes of history, 0 to 300 (default: ${DEFAULT-VALUE}).")
  private int pastMinutes;

  @Option(
      names = "--tick",
      paramLabel = "SECONDS",
      defaultValue = "15",
      description = "Interval between two readings of a node, 1 to 60 (default: ${DEFAULT-VALUE}).")
  private int tickSeconds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "20261121",
      description = "Seed of jobs, faults and noise (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--faults",
      paramLabel = "AMOUNT",
      defaultValue = "some",
      description = {
        "Amount of faults: off, some or many (default: ${DEFAULT-VALUE}).",
        "Among others a straggler, a lost GPU, an idle allocation, a hung driver, a silent node,",
        "XIDs and throttling; many has every fault that alerts know."
      })
  private String faults;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "demo-data",
      description = "Folder for the log and the gateways' data (default: ${DEFAULT-VALUE}).")
  private Path data;

  @Option(
      names = "--alertmanager",
      paramLabel = "URL",
      description = "Sends alerts to this Alertmanager, such as http://localhost:9093.")
  private Optional<String> alertmanager = Optional.empty();

  @Option(
      names = "--insecure",
      description =
          "Lets other machines query the demo, which has no tokens: the query API listens on all"
              + " addresses.")
  private boolean insecure;

  private final PrintStream out = System.out;
  private final Lifecycle lifecycle = new Lifecycle("demo");
  private String lastStep = "";
  private volatile boolean failed;

  @Override
  protected int run() throws Exception {
    checkOptions();
    try {
      Files.createDirectories(data);
      // Each demo generates its own history, which the data of an earlier one would contradict.
      PrivateFiles.delete(data.resolve(GATEWAY_FOLDER));
      PrivateFiles.delete(data.resolve(RULES_FOLDER));
    } catch (IOException e) {
      throw new StartFailure(
          "cannot create the folder " + data + "; choose another with --data", e);
    }
    Logs.toFile(
        new LogSettings(LogSettings.Format.TEXT, LogSettings.Level.INFO),
        data.resolve("fleetgauge.log"));
    out.println(
        "Fleetgauge demo: "
            + plural(gateways(), "gateway")
            + ", 1 query API, a probe of this machine,");
    out.println(
        plural(hosts, "simulated node")
            + " with "
            + fleet().gpus()
            + " GPUs, a controller and a workstation. Ctrl-C stops it.");
    // Registered before the start, because Ctrl-C may come during it.
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("stop").unstarted(this::stop));
    try {
      startAll();
    } catch (StartFailure e) {
      failed = true;
      lifecycle.close();
      throw e;
    }
    new CountDownLatch(1).await();
    return 0;
  }

  private static String plural(int count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

  private FleetLayout fleet() {
    return FleetLayout.of(hosts, Duration.ofSeconds(tickSeconds), seed);
  }

  /** As many as own all hosts within the limit for each gateway. */
  private int gateways() {
    return Math.ceilDiv(hosts + OTHERS, Assignment.MOST);
  }

  private void checkOptions() throws StartFailure {
    requireRange("--hosts", hosts, 1, 500);
    requireRange("--past", pastMinutes, 0, 300);
    requireRange("--tick", tickSeconds, 1, 60);
    amount();
    notifications();
    LocalPorts.requireFree(queryHost(), port, 1, "--port");
    LocalPorts.requireFree(LOOPBACK, gatewayPort, gateways(), "--gateway-port");
    LocalPorts.requireFree(LOOPBACK, clusterPort, gateways() + 1, "--cluster-port");
    LocalPorts.requireFree(LOOPBACK, probePort, 1, "--probe-port");
  }

  /** There are no tokens, so by default only this machine may query. */
  private String queryHost() {
    return insecure ? "0.0.0.0" : LOOPBACK;
  }

  private static void requireRange(String option, int value, int min, int max) throws StartFailure {
    if (value < min || value > max) {
      throw new StartFailure(
          option + ": " + value + " is not allowed; allowed is " + min + " to " + max);
    }
  }

  private Incidents.Amount amount() throws StartFailure {
    for (Incidents.Amount amount : Incidents.Amount.values()) {
      if (amount.name().equalsIgnoreCase(faults)) {
        return amount;
      }
    }
    throw new StartFailure("--faults: " + faults + " is not allowed; allowed is off, some or many");
  }

  private NotificationSettings notifications() throws StartFailure {
    if (alertmanager.isEmpty()) {
      return NotificationSettings.to(List.of());
    }
    String url = alertmanager.get();
    URI address =
        AlertmanagerSettings.url(url)
            .orElseThrow(
                () ->
                    new StartFailure(
                        "--alertmanager: "
                            + url
                            + " is not allowed; allowed is a URL such as http://localhost:9093"));
    return NotificationSettings.to(List.of(AlertmanagerSettings.at("demo", address)));
  }

  private QueryProcess startQuery(LocalFleet fleet) throws StartFailure {
    NotificationSettings notifications = notifications();
    RulesSettings rules =
        RulesSettings.bundled(URI.create(address(port)), data.resolve(RULES_FOLDER));
    return fleet.startQuery(
        queryHost(),
        port,
        insecure,
        config ->
            config
                .with(rules, notifications)
                .with(FaultsSettings.every(Duration.ofSeconds(tickSeconds), List.of())));
  }

  private void startAll() throws StartFailure, InterruptedException {
    List<Integer> clusterPorts = new ArrayList<>();
    for (int i = 0; i <= gateways(); i++) {
      clusterPorts.add(clusterPort + i);
    }
    LocalFleet fleet =
        new LocalFleet(
            "demo-" + ProcessHandle.current().pid(),
            clusterPorts,
            data.resolve(GATEWAY_FOLDER),
            System::currentTimeMillis);
    lifecycle.started("gateways and query API", STOP_LIMIT, fleet);
    for (int i = 0; i < gateways(); i++) {
      progress("starting gateway " + (i + 1) + " of " + gateways(), "");
      fleet.startGateway(gatewayPort + i, RETENTION);
    }
    progress("starting the query API", "");
    QueryProcess query = startQuery(fleet);
    progress("starting the probe of this machine", "");
    ProbeProcess probe = ProbeProcess.start(probeConfig(fleet), System::currentTimeMillis);
    lifecycle.started("probe", STOP_LIMIT, probe);
    FleetLayout simulated = fleet();
    Incidents incidents = Incidents.around(System.currentTimeMillis(), simulated, amount());
    labels(incidents, simulated);
    SimulatedFleet nodes =
        new SimulatedFleet(
            simulated,
            incidents,
            Duration.ofMinutes(pastMinutes).toMillis(),
            fleet.gatewayAddresses(),
            System::currentTimeMillis);
    lifecycle.started("simulated nodes", STOP_LIMIT, nodes);
    nodes.backFill(
        (done, samples) ->
            progress(
                "back-filling " + pastMinutes + " minutes",
                String.format(": %3.0f %%, %,d samples kept", done * 100, samples)));
    nodes.start();
    out.println();
    printReady(query.port());
  }

  /** Says in a file what goes wrong, and when. */
  private void labels(Incidents incidents, FleetLayout simulated) throws StartFailure {
    try {
      Files.write(
          data.resolve(LABELS),
          TraceLabel.of(incidents, simulated, new JobSchedule(simulated)).stream()
              .map(TraceLabel::json)
              .toList());
    } catch (IOException e) {
      throw new StartFailure("cannot write " + data.resolve(LABELS), e);
    }
  }

  private ProbeConfig probeConfig(LocalFleet fleet) throws StartFailure {
    String yaml =
        """
        http: {host: "%s", port: %d}
        gateways: [%s]
        tick: %ds
        spool: {enabled: false}
        """;
    String gateways =
        fleet.gatewayAddresses().stream()
            .map(address -> '"' + address.toString() + '"')
            .collect(Collectors.joining(", "));
    try {
      return ProbeConfig.read(
          "the probe of the demo", yaml.formatted(LOOPBACK, probePort, gateways, tickSeconds));
    } catch (ConfigException e) {
      throw new StartFailure(e.getMessage(), e);
    }
  }

  private void progress(String step, String detail) {
    boolean terminal = System.console() != null;
    if (terminal) {
      out.print("\r\u001b[K" + step + detail); // overwrites the line
    } else if (!step.equals(lastStep)) {
      out.println(step); // in a file or a pipe each step is one line
    }
    lastStep = step;
    out.flush();
  }

  private static String address(int port) {
    return "http://localhost:" + port;
  }

  private void printReady(int queryPort) {
    String api = address(queryPort);
    out.println("Ready.");
    out.println();
    out.println(
        "  query API   "
            + api
            + "   (Prometheus HTTP API: add it to Grafana as a Prometheus data source)");
    for (int i = 0; i < gateways(); i++) {
      out.println("  gateway " + (i + 1) + "   http://localhost:" + (gatewayPort + i) + "/metrics");
    }
    out.println("  probe       http://localhost:" + probePort + "/metrics   (this machine)");
    String to = alertmanager.map(url -> "   (sent to " + url + ")").orElse("");
    out.println("  alerts      " + api + "/api/v1/alerts" + to);
    out.println("  log         " + data.resolve("fleetgauge.log").toAbsolutePath());
    out.println();
    out.println("Try:");
    curl(api, "avg by (rack) (DCGM_FI_DEV_GPU_UTIL)");
    curl(api, "sum by (tenant) (rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m])) / 1000");
    curl(api, "count by (Hostname) (node_load1{Hostname=\"" + LocalHost.name() + "\"})");
    out.println();
    out.flush();
  }

  private void curl(String api, String query) {
    out.println("  curl -s " + api + "/api/v1/query --data-urlencode 'query=" + query + "'");
  }

  private void stop() {
    if (failed) {
      return; // the error message is the last line that is printed
    }
    out.println();
    out.println("Stopping.");
    lifecycle.close();
    out.println("Stopped. Data and log are left in " + data.toAbsolutePath());
    out.flush();
  }
}
