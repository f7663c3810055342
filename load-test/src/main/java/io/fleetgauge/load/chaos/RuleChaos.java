package io.fleetgauge.load.chaos;

import io.fleetgauge.load.fleet.AlertmanagerServer;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Three query APIs evaluate rules while those that own groups are killed, frozen and, where network
 * namespaces are allowed, cut off from all others but not from the Alertmanager, and gateways are
 * killed meanwhile. Every slot has to be stored with the result that the samples demand, no alert
 * that has ended may be sent as one that fires, and a real Alertmanager, where there is one, tells
 * of nothing twice.
 */
final class RuleChaos {
  private static final List<String> GATEWAYS = List.of("gateway-1", "gateway-2", "gateway-3");
  private static final List<String> QUERIES = List.of("query-1", "query-2", "query-3");
  private static final int SIGNALS = 6;
  private static final long INTERVAL = 2_000;
  private static final long FOR = 4_000;
  private static final String OUTSIDE = "10.209.77.254";
  private static final String HERE = "127.0.0.1";

  private final Path folder;
  private final Vertx vertx;
  private final ChaosReport report;
  private final long seed;
  private final SplittableRandom random;
  private Optional<Namespaces> spaces = Optional.empty();
  private ChaosFleet fleet;

  RuleChaos(Path folder, Vertx vertx, ChaosReport report, long seed) {
    this.folder = folder;
    this.vertx = vertx;
    this.report = report;
    this.seed = seed;
    this.random = new SplittableRandom(seed);
  }

  /**
   * @param shorter fewer events, and no gateway is killed
   * @param flags of the processes' JVMs
   */
  void run(boolean shorter, List<String> flags) throws Exception {
    if (Namespaces.areAllowed()) {
      try (Namespaces allowed = new Namespaces()) {
        spaces = Optional.of(allowed);
        runIn(shorter, flags);
      }
    } else {
      report.say("no query API is cut off: " + Namespaces.NEEDED);
      runIn(shorter, flags);
    }
  }

  private ChaosFleet.Place place(String id) throws IOException, InterruptedException {
    return spaces.isPresent() ? spaces.get().add(id) : ChaosFleet.Place.HERE;
  }

  private void runIn(boolean shorter, List<String> flags) throws Exception {
    Map<String, ChaosFleet.Place> gateways = new LinkedHashMap<>();
    for (String id : GATEWAYS) {
      gateways.put(id, place(id));
    }
    Map<String, ChaosFleet.Place> queries = new LinkedHashMap<>();
    for (String id : QUERIES) {
      queries.put(id, place(id));
    }
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, rules());
    List<Integer> ports = LocalPorts.free(2 * (GATEWAYS.size() + QUERIES.size()));
    ScriptedSignals signals = new ScriptedSignals(seed, SIGNALS, INTERVAL, FOR);
    String outside = spaces.isPresent() ? OUTSIDE : HERE;
    try (AlertReceiver receiver = AlertReceiver.start(vertx, outside);
        AlertmanagerServer alertmanager = alertmanager(receiver, outside);
        ChaosFleet all = new ChaosFleet(folder, "rules-" + ports.getFirst(), flags)) {
      fleet = all;
      List<URI> alertmanagers =
          alertmanager == null
              ? List.of(receiver.address())
              : List.of(receiver.address(), alertmanager.address());
      fleet.plan(gateways, queries, ports, id -> configuration(file, id, alertmanagers));
      report.say("starting " + GATEWAYS + " and " + QUERIES + " with rules, seed " + seed);
      fleet.start(GATEWAYS);
      signals.begin(GATEWAYS.stream().map(fleet::address).toList());
      fleet.start(QUERIES);
      untilAllAreOwned();
      // Who goes on from the first slots has their states.
      untilSlotsAreCurrent();
      TimeUnit.MILLISECONDS.sleep(2 * INTERVAL);
      long since = System.currentTimeMillis();
      int events = shorter ? 3 : 20;
      for (int i = 0; i < events; i++) {
        TimeUnit.MILLISECONDS.sleep(1_000 + random.nextInt(1_500));
        event(i, shorter);
      }
      // The last one that came back has what it missed.
      untilAllAreOwned();
      untilSlotsAreCurrent();
      TimeUnit.MILLISECONDS.sleep(3 * INTERVAL);
      long until = System.currentTimeMillis() - 2 * INTERVAL;
      signals.close();
      judge(shorter, events, signals, receiver, since, until);
    }
  }

  private void judge(
      boolean shorter,
      int events,
      ScriptedSignals signals,
      AlertReceiver receiver,
      long since,
      long until)
      throws Exception {
    RuleVerdict verdict = new RuleVerdict(signals, since, until);
    for (int signal = 0; signal < SIGNALS; signal++) {
      verdict.check(fleet, QUERIES.getFirst(), signal);
    }
    verdict.check(receiver.received());
    verdict.checkTold(receiver.told());
    double missed = 0;
    for (String id : QUERIES) {
      missed += metric(id, "fleetgauge_query_rule_group_iterations_missed_total");
    }
    verdict.problems().stream().limit(20).forEach(problem -> report.say("  " + problem));
    if (!verdict.problems().isEmpty()) {
      Files.write(folder.resolve("problems.txt"), verdict.problems());
      write("received.txt", receiver.received());
      write("told.txt", receiver.told());
      for (String id : QUERIES) {
        Files.writeString(folder.resolve(id + ".metrics"), fleet.get(id, "/metrics").body());
      }
    }
    report.row(
        "an owner of rules killed, frozen, cut off, "
            + events
            + (shorter ? " times" : " times, with gateways killed at the same time"),
        "0 missed evaluations; each result as of one undisturbed process; no false resolve, no"
            + " stale alert, no duplicate notification",
        verdict + ", " + Math.round(missed) + " evaluations missed",
        verdict.problems().isEmpty() && missed == 0,
        true);
  }

  private void write(String file, List<?> lines) throws IOException {
    Files.write(folder.resolve(file), lines.stream().map(Object::toString).toList());
  }

  private static String rules() {
    StringBuilder text = new StringBuilder("groups:\n");
    for (int i = 0; i < SIGNALS; i++) {
      text.append(
          """
            - name: signal-%1$d
              interval: 2s
              rules:
                - record: chaos:signal:max
                  expr: max by (signal) (chaos_signal{signal="%1$d"})
                - alert: Signal%1$d
                  expr: chaos_signal{signal="%1$d"} == 1
                  for: 4s
                  annotations: {summary: "signal {{ $labels.signal }} is {{ $value }}"}
          """
              .formatted(i));
    }
    return text.toString();
  }

  /** A real one, if its program is here; null if it is not. */
  private AlertmanagerServer alertmanager(AlertReceiver receiver, String host) throws Exception {
    if (!PeerPrograms.isThere("prometheus-alertmanager")) {
      report.say("without a real Alertmanager: its program is not here");
      return null;
    }
    Path own = Files.createDirectories(folder.resolve("alertmanager"));
    Path config = Files.writeString(own.resolve("alertmanager.yml"), receiver.alertmanager());
    return new AlertmanagerServer(config, own, host, LocalPorts.free(1).getFirst());
  }

  /** A slot waits for the samples of a host until its gateway has been replaced. */
  private String configuration(Path file, String id, List<URI> alertmanagers) {
    StringBuilder to = new StringBuilder();
    for (URI each : alertmanagers) {
      to.append("    a%d: {urls: [\"%s\"]}\n".formatted(each.getPort(), each));
    }
    return """
    rules:
      bundled: false
      files: ["%s"]
      folder: "%s"
      resendDelay: 8s
      deadline: 20s
      alertmanagers:
    %s
    """
        .formatted(file, folder.resolve(id), to.toString().stripTrailing());
  }

  private void untilAllAreOwned() throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(600);
    while (owned(QUERIES.get(0)) + owned(QUERIES.get(1)) + owned(QUERIES.get(2)) != SIGNALS
        || owned(QUERIES.get(0)) * owned(QUERIES.get(1)) * owned(QUERIES.get(2)) == 0) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "the groups are not distributed: " + fleet.output(QUERIES.getFirst()));
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** Slots that waited for samples, or for an owner, have been evaluated. */
  private void untilSlotsAreCurrent() throws Exception {
    FleetState state = new FleetState(fleet, QUERIES.getFirst(), 2, report);
    String late =
        "count(timestamp(chaos:signal:max) > time() - %d)".formatted(3 * INTERVAL / 1_000);
    state.await(
        "newest evaluations done",
        300,
        () ->
            fleet
                .query(QUERIES.getFirst(), late)
                .at("/data/result/0/value/1")
                .asText()
                .equals("" + SIGNALS));
  }

  private double owned(String id) throws InterruptedException {
    return metric(id, "fleetgauge_query_rule_groups_owned");
  }

  private double metric(String id, String name) throws InterruptedException {
    try {
      return fleet.metric(id, name);
    } catch (IOException e) {
      return 0;
    }
  }

  private void event(int number, boolean shorter) throws Exception {
    String victim = QUERIES.get(random.nextInt(QUERIES.size()));
    // Longer than others wait before they take over.
    long millis = 5_500 + random.nextInt(shorter ? 1_500 : 6_000);
    Optional<String> gateway =
        number % 2 == 0 && !shorter
            ? Optional.of(GATEWAYS.get(random.nextInt(GATEWAYS.size())))
            : Optional.empty();
    if (gateway.isPresent()) {
      report.say("kill -9 " + gateway.get() + " meanwhile");
      fleet.kill(gateway.get());
    }
    int kinds = spaces.isPresent() ? 3 : 2;
    switch (number % kinds) {
      case 0 -> {
        report.say("kill -9 " + victim);
        fleet.kill(victim);
        TimeUnit.MILLISECONDS.sleep(millis / 2);
        fleet.start(victim);
      }
      case 1 -> {
        report.say("freeze " + victim + " for " + millis + " ms");
        fleet.freeze(victim);
        TimeUnit.MILLISECONDS.sleep(millis);
        fleet.thaw(victim);
      }
      default -> {
        report.say("cut " + victim + " off for " + millis + " ms");
        List<String> others = new ArrayList<>(GATEWAYS);
        others.addAll(QUERIES);
        others.remove(victim);
        spaces.orElseThrow().split(List.of(victim), others, true);
        TimeUnit.MILLISECONDS.sleep(millis);
        spaces.orElseThrow().split(List.of(victim), others, false);
      }
    }
    if (gateway.isPresent()) {
      fleet.start(gateway.get());
      FleetState state = new FleetState(fleet, QUERIES.getFirst(), 2, report);
      state.await("every host fully replicated", 300, () -> state.isReplicated(GATEWAYS));
    }
  }
}
