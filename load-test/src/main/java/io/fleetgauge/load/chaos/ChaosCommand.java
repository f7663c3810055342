package io.fleetgauge.load.chaos;

import io.fleetgauge.load.fleet.ChildJvm;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.log.Logs;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import io.fleetgauge.sample.files.PrivateFiles;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge chaos}: the options, the events, and the table of results. */
@CommandLine.Command(
    name = "chaos",
    description =
        "Kills, freezes, joins, drains and splits gateways under load, compares the results with a"
            + " ledger of all acknowledged samples, and prints the measurements.")
public final class ChaosCommand extends TerminalCommand implements Command {
  private static final long HISTORY_MILLIS = TimeUnit.HOURS.toMillis(1);
  private static final long HISTORY_STEP = 15_000;
  private static final int SPLIT_IS_SEEN_SECONDS = 8;
  private static final String QUERY = "query-1";
  private static final String OTHER_QUERY = "query-2";
  private static final String CUT_OFF = "cut-off";

  private static final Set<String> EVENTS =
      Set.of(
          "backlog", "kill", "freeze", "join", "drain", "restart", "cut-off", "all", "split",
          "rules");

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed that chooses which gateways fail, and when (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--short",
      description = "Fewer kills, shorter times, fewer hosts: about three minutes.")
  private boolean shorter;

  @Option(
      names = "--only",
      paramLabel = "EVENT",
      split = ",",
      description =
          "Only these events, of: backlog, kill, freeze, join, drain, restart, cut-off, all,"
              + " split, rules.")
  private Set<String> only = EVENTS;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description =
          "Folder for configuration, data and logs, which is kept (default: a temporary one).")
  private Path kept;

  private ChaosReport report;
  private SplittableRandom random;
  private int hosts;
  private ChaosFleet fleet;
  private HostUplinks senders;
  private Watch watch;
  private FleetState state;

  @Override
  protected int run() throws Exception {
    report = new ChaosReport(out());
    random = new SplittableRandom(seed);
    hosts = shorter ? 30 : 60;
    if (!EVENTS.containsAll(only)) {
      throw new StartFailure("--only: there are " + new TreeSet<>(EVENTS) + ", not " + only);
    }
    // Warnings about gateways that do not answer are expected here.
    Logs.toConsole(new LogSettings(LogSettings.Format.TEXT, LogSettings.Level.ERROR));
    Path folder =
        kept == null
            ? Files.createTempDirectory("fleetgauge-chaos")
            : Files.createDirectories(kept);
    Vertx vertx = Vertx.vertx();
    try {
      if (only.contains("backlog")) {
        Backlogs backlogs =
            new Backlogs(Files.createDirectories(folder.resolve("backlog")), vertx, report, seed);
        backlogs.run(shorter, flags());
      }
      if (only.contains("rules")) {
        Path rules = Files.createDirectories(folder.resolve("rules"));
        new RuleChaos(rules, vertx, report, seed).run(shorter, flags());
      }
      if (!Set.of("split", "backlog", "rules").containsAll(only)) {
        onLoopback(Files.createDirectories(folder.resolve("loopback")), vertx);
      }
      if (!only.contains("split")) {
        report.say("no split: --only excludes it");
      } else if (Namespaces.areAllowed()) {
        split(Files.createDirectories(folder.resolve("split")), vertx);
      } else {
        report.say("no split: " + Namespaces.NEEDED);
      }
    } finally {
      report.print();
      vertx.close().await();
      if (kept == null) {
        PrivateFiles.delete(folder);
      }
    }
    return report.holds() ? 0 : 1;
  }

  private void onLoopback(Path folder, Vertx vertx) throws Exception {
    Map<String, ChaosFleet.Place> gateways = new LinkedHashMap<>();
    for (int i = 1; i <= 4; i++) {
      gateways.put("gateway-" + i, ChaosFleet.Place.HERE);
    }
    List<Integer> ports = LocalPorts.free(11);
    int cutOffPort = ports.getLast();
    try (ChaosFleet all = new ChaosFleet(folder, "chaos-" + ports.getFirst(), flags());
        HostUplinks hostsThatSend = new HostUplinks(vertx)) {
      fleet = all;
      senders = hostsThatSend;
      state = new FleetState(fleet, QUERY, hosts, report);
      fleet.plan(gateways, Map.of(QUERY, ChaosFleet.Place.HERE), ports.subList(0, 10));
      begin(List.of("gateway-1", "gateway-2", "gateway-3"), List.of(QUERY));
      senders.add(CUT_OFF, List.of(URI.create("http://127.0.0.1:" + cutOffPort)), seed);
      long cutOffSince = System.nanoTime();
      senders.begin();
      watch = new Watch(fleet, QUERY, hosts);
      state.untilWhole("the beginning", 60);
      watch.take();
      watch.notes();

      event("kill", () -> kills(shorter ? 3 : 20));
      event("freeze", () -> freeze(shorter ? 20 : 90));
      event("join", this::join);
      event("drain", this::drain);
      event("restart", this::rollingRestart);
      watch.close();
      long leastNanos = shorter ? 0 : TimeUnit.MINUTES.toNanos(10);
      event("cut-off", () -> cutOffEnds(vertx, cutOffPort, cutOffSince, leastNanos));
      event("all", this::allAtOnce);
    }
  }

  private void begin(List<String> gateways, List<String> queries) throws Exception {
    report.say("starting " + gateways + " and " + queries + ", " + hosts + " hosts, seed " + seed);
    fleet.start(Stream.concat(gateways.stream(), queries.stream()).toList());
    state.await(
        "all gateways in the table",
        300,
        () -> state.table().path("members").size() == gateways.size());
    List<URI> addresses = gateways.stream().map(fleet::address).toList();
    long now = System.currentTimeMillis();
    for (int i = 0; i < hosts; i++) {
      String host = "host-" + i;
      senders.add(host, addresses, seed * 1_000 + i);
      senders.past(host, now - HISTORY_MILLIS, now - HISTORY_STEP, HISTORY_STEP);
    }
  }

  private interface Event {
    void happen() throws Exception;
  }

  private void event(String name, Event event) throws Exception {
    if (only.contains(name)) {
      event.happen();
    }
  }

  // --- events ---

  private List<String> flags() {
    return shorter ? ChildJvm.SHORT_LIVED : List.of();
  }

  private void kills(int times) throws Exception {
    List<Double> fresh = new ArrayList<>();
    List<Double> replicated = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      TimeUnit.MILLISECONDS.sleep(random.nextInt(2_000));
      String victim = anyGateway();
      report.say("kill -9 " + victim);
      long at = System.currentTimeMillis();
      fleet.kill(victim);
      fresh.add(state.secondsUntil("fresh samples", 30, () -> state.freshSince(at) == hosts));
      replicated.add(
          state.secondsSince(
              at, "two holders of each host", 60, () -> state.isReplicated(fleet.gateways())));
      fleet.start(victim);
      state.untilWhole(victim + " back", 60);
    }
    Watch.Observation seen = watch.take();
    HostUplinks.Difference difference = state.compare(senders);
    row(
        "kill -9 one of 3, " + times + " times",
        "0 lost, 0 duplicates; no query fails or is silently incomplete; fresh <= 2 s; two holders"
            + " <= 10 s",
        String.format(
            "%s; %s; fresh after %s s; two holders after %s s",
            difference, seen, spread(fresh), spread(replicated)),
        difference.isNone() && seen.isHonest(),
        Collections.max(fresh) <= 2 && Collections.max(replicated) <= 10);
  }

  private void freeze(int seconds) throws Exception {
    String victim = anyGateway();
    List<String> others = new ArrayList<>(fleet.gateways());
    others.remove(victim);
    report.say("freeze " + victim + " for " + seconds + " s");
    watch.take();
    long at = System.currentTimeMillis();
    fleet.freeze(victim);
    double reassigned =
        state.secondsSince(
            at,
            "hosts reassigned",
            60,
            () -> !FleetState.owners(fleet.table(others.getFirst())).containsValue(victim));
    double fresh =
        state.secondsSince(at, "fresh samples", 60, () -> state.freshSince(at + 1) == hosts);
    TimeUnit.MILLISECONDS.sleep(Math.max(0, at + seconds * 1_000L - System.currentTimeMillis()));
    long longest = watch.longestMillis();
    fleet.thaw(victim);
    state.untilWhole(victim + " awake", 120);
    Watch.Observation seen = watch.take();
    HostUplinks.Difference difference = state.compare(senders);
    row(
        "freeze " + seconds + " s, then wake",
        "queries avoid it <= 1 s; reassigned <= 8 s; late acknowledgements lose nothing",
        String.format(
            "longest read %d ms; reassigned after %.1f s, fresh after %.1f s; %s; %s",
            longest, reassigned, fresh, difference, seen),
        difference.isNone() && seen.isHonest(),
        longest <= 1_000 && reassigned <= 8);
  }

  private void join() throws Exception {
    report.say("a fourth gateway joins");
    watch.take();
    Map<String, String> before = FleetState.owners(state.table());
    fleet.launch("gateway-4");
    state.await(
        "gateway-4 in the table",
        300,
        () -> FleetState.contains(state.table().path("members"), "gateway-4"));
    long at = System.currentTimeMillis();
    double took =
        state.secondsSince(
            at, "gateway-4 has its share", 60, () -> state.isReplicated(fleet.gateways()));
    fleet.awaitReady("gateway-4");
    Map<String, String> after = FleetState.owners(state.table());
    long strangers =
        after.entrySet().stream()
            .filter(each -> !each.getValue().equals(before.get(each.getKey())))
            .filter(each -> !each.getValue().equals("gateway-4"))
            .count();
    Map<String, Long> load = FleetState.load(after);
    state.untilWhole("the join", 60);
    Watch.Observation seen = watch.take();
    HostUplinks.Difference difference = state.compare(senders);
    int most = Math.max(15, Math.ceilDiv(hosts, 4));
    int fewest = Math.min(10, hosts / 4);
    row(
        "join at " + hosts + " hosts with 1 h history",
        "only its hosts move; " + fewest + " to " + most + " each; 0 gaps; <= 15 s",
        String.format(
            "%d hosts of others moved; %s; done after %.1f s; %s; %s",
            strangers, load, took, difference, seen),
        strangers == 0
            && load.values().stream().allMatch(each -> each >= fewest && each <= most)
            && difference.isNone()
            && seen.isHonest(),
        took <= 15 && seen.isWhole());
  }

  private void drain() throws Exception {
    String victim = anyGateway();
    report.say("drain " + victim);
    watch.take();
    long at = System.currentTimeMillis();
    fleet.stop(victim);
    double took = (System.currentTimeMillis() - at) / 1_000.0;
    state.untilWhole("the drain", 60);
    Watch.Observation seen = watch.take();
    HostUplinks.Difference difference = state.compare(senders);
    row(
        "drain one of 4",
        "0 lost, 0 failed queries, the count never dips",
        String.format("gone after %.1f s; %s; %s", took, difference, seen),
        difference.isNone() && seen.isHonest(),
        seen.isWhole());
    fleet.start(victim);
    state.untilWhole(victim + " back", 60);
  }

  private void rollingRestart() throws Exception {
    report.say("rolling restart");
    watch.take();
    long at = System.currentTimeMillis();
    for (String id : fleet.gateways()) {
      fleet.stop(id);
      fleet.start(id);
      state.untilWhole(id + " back", 60);
    }
    double took = (System.currentTimeMillis() - at) / 1_000.0;
    Watch.Observation seen = watch.take();
    HostUplinks.Difference difference = state.compare(senders);
    row(
        "rolling restart of all",
        "0 lost, 0 failed queries, the count never dips",
        String.format("done after %.0f s; %s; %s", took, difference, seen),
        difference.isNone() && seen.isHonest(),
        seen.isWhole());
  }

  /** Opens the one address that the cut-off host knows, through a proxy. */
  private void cutOffEnds(Vertx vertx, int port, long since, long atLeastNanos) throws Exception {
    long left = atLeastNanos - (System.nanoTime() - since);
    if (left > 0) {
      report.say("waiting until a probe has been cut off for 10 minutes");
      TimeUnit.NANOSECONDS.sleep(left);
    }
    hosts++;
    state.oneHostMore();
    long behind = senders.unacknowledged(CUT_OFF);
    double away = (System.nanoTime() - since) / 1e9;
    report.say(
        "a probe is connected again after " + Math.round(away) + " s with " + behind + " ticks");
    URI gateway = fleet.address(fleet.gateways().getFirst());
    NetClient onward = vertx.createNetClient();
    NetServer proxy =
        vertx
            .createNetServer()
            .connectHandler(
                socket -> {
                  socket.pause();
                  onward
                      .connect(gateway.getPort(), gateway.getHost())
                      .onSuccess(other -> join(socket, other))
                      .onFailure(none -> socket.close());
                });
    long others = senders.unacknowledged() - behind;
    long at = System.currentTimeMillis();
    proxy.listen(port, "127.0.0.1").await();
    long most = 0;
    while (senders.unacknowledged(CUT_OFF) > 2 && System.currentTimeMillis() - at < 60_000) {
      most = Math.max(most, senders.unacknowledged() - senders.unacknowledged(CUT_OFF));
      TimeUnit.MILLISECONDS.sleep(5);
    }
    double took = (System.currentTimeMillis() - at) / 1_000.0;
    state.untilWhole("the probe that was cut off", 60);
    HostUplinks.Difference difference = state.compare(senders);
    row(
        String.format("a probe cut off for %.0f s", away),
        "all its ticks arrive, in order; ticks of other hosts do not wait",
        String.format(
            "%d ticks arrived within %.1f s; %s; ticks of %d others under way at once: before %d,"
                + " at most %d during it",
            behind, took, difference, hosts - 1, others, most),
        difference.isNone(),
        senders.unacknowledged(CUT_OFF) <= 2 && most <= 2L * hosts);
    proxy.close().await();
    onward.close().await();
  }

  private static void join(NetSocket a, NetSocket b) {
    a.handler(b::write);
    b.handler(a::write);
    a.closeHandler(none -> b.close());
    b.closeHandler(none -> a.close());
    a.resume();
  }

  private void allAtOnce() throws Exception {
    report.say("kill -9 all at once");
    List<String> all = fleet.gateways();
    all.forEach(fleet::kill);
    fleet.start(all);
    long at = System.currentTimeMillis();
    double whole =
        state.secondsSince(at, "all hosts fresh", 90, () -> state.freshSince(at) == hosts);
    state.untilWhole("all back", shorter ? 20 : 90);
    HostUplinks.Difference difference = state.compare(senders);
    row(
        "all gateways killed at once and restarted",
        "nothing acknowledged lost",
        String.format("%s; fresh %.1f s after the last was ready", difference, whole),
        difference.isNone(),
        true);
  }

  private void split(Path folder, Vertx vertx) throws Exception {
    hosts = shorter ? 12 : 30;
    int seconds = shorter ? 20 : 60;
    try (Namespaces spaces = new Namespaces();
        ChaosFleet all = new ChaosFleet(folder, "split", flags());
        HostUplinks hostsThatSend = new HostUplinks(vertx)) {
      fleet = all;
      senders = hostsThatSend;
      state = new FleetState(fleet, QUERY, hosts, report);
      Map<String, ChaosFleet.Place> gateways = new LinkedHashMap<>();
      for (String id : List.of("gateway-1", "gateway-2", "gateway-3")) {
        gateways.put(id, spaces.add(id));
      }
      Map<String, ChaosFleet.Place> queries = new LinkedHashMap<>();
      queries.put(QUERY, spaces.add(QUERY));
      queries.put(OTHER_QUERY, spaces.add(OTHER_QUERY));
      fleet.plan(
          gateways, queries, List.of(9001, 5701, 9002, 5702, 9003, 5703, 9004, 5704, 9005, 5705));
      begin(List.copyOf(gateways.keySet()), List.of(QUERY, OTHER_QUERY));
      senders.begin();
      state.untilWhole("the beginning", 60);
      long epoch = state.table().path("epoch").asLong();
      report.say("split 2 : 1 for " + seconds + " s");
      watch = new Watch(fleet, QUERY, hosts);
      List<String> one = List.of("gateway-1", "gateway-2", QUERY);
      List<String> other = List.of("gateway-3", OTHER_QUERY);
      long ownedByOther =
          FleetState.load(FleetState.owners(state.table())).getOrDefault("gateway-3", 0L);
      spaces.split(one, other, true);
      TimeUnit.SECONDS.sleep(SPLIT_IS_SEEN_SECONDS);
      long epochOfOther = fleet.table("gateway-3").path("epoch").asLong();
      TimeUnit.SECONDS.sleep(seconds - SPLIT_IS_SEEN_SECONDS);
      boolean goesBack = state.table().path("epoch").asLong() < epoch;
      boolean marked = fleet.query(OTHER_QUERY, "count(chaos_value)").has("warnings");
      boolean reassigned = fleet.table("gateway-3").path("epoch").asLong() != epochOfOther;
      Watch.Observation seen = watch.take();
      long epochBefore = state.table().path("epoch").asLong();
      spaces.split(one, other, false);
      long at = System.currentTimeMillis();
      // Senders keep sending: every tick read during the split has to be in the answer.
      double took =
          state.secondsSince(
              at,
              "the union",
              90,
              () ->
                  state.table().path("present").size() == 3
                      && senders.unacknowledged() <= 2L * hosts
                      && state.isReplicated(fleet.gateways())
                      && senders.compareUpTo(fleet, QUERY, at).isNone());
      goesBack |= state.table().path("epoch").asLong() < epochBefore;
      watch.close();
      state.untilWhole("the end of the split", 60);
      HostUplinks.Difference difference = state.compare(senders);
      row(
          "split 2 : 1 for " + seconds + " s",
          "the union equals the ledger <= 10 s after healing; epochs never go back",
          String.format(
              "equal after %.1f s; %s; epoch %d, %d, %d%s; the smaller side owned %d hosts, marked"
                  + " its responses: %s, reassigned: %s; the larger side: %s",
              took,
              difference,
              epoch,
              epochBefore,
              state.table().path("epoch").asLong(),
              goesBack ? " WENT BACK" : "",
              ownedByOther,
              marked,
              reassigned,
              seen),
          difference.isNone() && !goesBack && marked && !reassigned,
          took <= 10);
    }
  }

  private String anyGateway() {
    List<String> all = fleet.gateways();
    return all.get(random.nextInt(all.size()));
  }

  private static String spread(List<Double> seconds) {
    List<Double> sorted = seconds.stream().sorted().toList();
    return String.format(
        "%.1f (median, most %.1f)", sorted.get(sorted.size() / 2), sorted.getLast());
  }

  /** As {@link ChaosReport#lawsHold}. */
  boolean lawsHold() {
    return report.lawsHold();
  }

  private void row(String event, String must, String measured, boolean laws, boolean inTime) {
    report.row(event, must, measured, laws, inTime);
    if (watch != null) {
      watch
          .notes()
          .forEach(note -> report.say("  " + note.substring(0, Math.min(300, note.length()))));
    }
  }
}
