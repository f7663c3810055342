package io.fleetgauge.load.chaos;

import io.fleetgauge.load.fleet.LocalPorts;
import io.vertx.core.Vertx;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Senders send all that waits at full speed: fifty of them to a cluster that has just begun, one
 * and fifty to a cluster that runs. Owners and replicas have to stay what they are.
 */
final class Backlogs {
  private static final String QUERY = "query-1";
  private static final List<String> GATEWAYS = List.of("gateway-1", "gateway-2", "gateway-3");
  private static final int SENDERS = 50;

  /** Hosts that send one tick after the other meanwhile. */
  private static final int LIVE = 5;

  /** Time between ticks that wait, ms. */
  private static final long STEP = 5;

  /** Ticks of a host that is always connected wait at most this long, ms. */
  private static final long MOST_MILLIS = 1_000;

  /** The same on a machine that has too few processors for all processes. */
  private static final long MOST_MILLIS_AT_ALL = 15_000;

  private final Path folder;
  private final Vertx vertx;
  private final ChaosReport report;
  private final long seed;
  private HostUplinks senders;
  private FleetState state;

  Backlogs(Path folder, Vertx vertx, ChaosReport report, long seed) {
    this.folder = folder;
    this.vertx = vertx;
    this.report = report;
    this.seed = seed;
  }

  private static String host(int number) {
    return "host-" + number;
  }

  /**
   * @param shorter fewer ticks
   * @param flags of the processes' JVMs
   */
  void run(boolean shorter, List<String> flags) throws Exception {
    int hosts = SENDERS + LIVE;
    int ticks = shorter ? 1_000 : 4_000;
    Map<String, ChaosFleet.Place> gateways = new LinkedHashMap<>();
    GATEWAYS.forEach(id -> gateways.put(id, ChaosFleet.Place.HERE));
    List<Integer> ports = LocalPorts.free(8);
    try (ChaosFleet fleet = new ChaosFleet(folder, "backlog-" + ports.getFirst(), flags);
        HostUplinks all = new HostUplinks(vertx)) {
      senders = all;
      state = new FleetState(fleet, QUERY, hosts, report);
      fleet.plan(gateways, Map.of(QUERY, ChaosFleet.Place.HERE), ports);
      report.say("starting " + GATEWAYS + " and " + QUERY + ", " + hosts + " hosts with backlogs");
      fleet.start(List.of("gateway-1", "gateway-2", "gateway-3", QUERY));
      List<URI> addresses = GATEWAYS.stream().map(fleet::address).toList();
      for (int i = 0; i < hosts; i++) {
        senders.add(host(i), addresses, seed * 1_000 + i);
      }
      intoAnEmptyCluster(hosts, ticks);
      for (int number : List.of(1, SENDERS)) {
        intoARunningCluster(number, ticks);
      }
    }
  }

  private void intoAnEmptyCluster(int hosts, int ticks) throws Exception {
    long at = System.currentTimeMillis();
    for (int i = 0; i < hosts; i++) {
      senders.past(host(i), at - ticks * STEP, at, STEP);
    }
    senders.begin();
    double took =
        state.secondsSince(at, "backlogs sent", 90, () -> senders.unacknowledged() <= 2L * hosts);
    state.untilWhole("the beginning", 60);
    long tables = state.tables();
    long lost = state.replicasLost();
    HostUplinks.Difference difference = state.compare(senders);
    report.row(
        "backlogs of " + hosts + " hosts come to an empty cluster",
        "0 lost; no replica falls behind",
        String.format(
            "%d ticks of each sent in %.1f s; %d tables; %d replicas fell behind; %s",
            ticks, took, tables, lost, difference),
        difference.isNone() && lost == 0,
        true);
  }

  private void intoARunningCluster(int number, int ticks) throws Exception {
    state.untilTheTableStandsStill(6, 60);
    List<String> cutOff = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      cutOff.add(host(i));
    }
    long tables = state.tables();
    long lost = state.replicasLost();
    long from = System.currentTimeMillis();
    senders.hold(cutOff);
    TimeUnit.MILLISECONDS.sleep(ticks * STEP);
    long at = System.currentTimeMillis();
    for (String name : cutOff) {
      senders.past(name, from, at, STEP);
    }
    senders.release(cutOff);
    long most = 0;
    long deadline = at + TimeUnit.SECONDS.toMillis(90);
    while (cutOff.stream().anyMatch(name -> senders.unacknowledged(name) > 2)
        && System.currentTimeMillis() < deadline) {
      for (int i = SENDERS; i < SENDERS + LIVE; i++) {
        most = Math.max(most, senders.waitingMillis(host(i)));
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
    double took = (System.currentTimeMillis() - at) / 1_000.0;
    HostUplinks.Difference difference = state.compare(senders);
    tables = state.tables() - tables;
    lost = state.replicasLost() - lost;
    report.row(
        "a backlog of " + number + (number == 1 ? " host" : " hosts") + " comes to a running one",
        "0 lost; the table stands still, no replica falls behind; ticks of other hosts wait <= 1 s",
        String.format(
            "sent in %.1f s; %d tables; %d replicas fell behind; ticks of others waited at most %d"
                + " ms; %s",
            took, tables, lost, most, difference),
        difference.isNone() && tables == 0 && lost == 0 && most <= MOST_MILLIS_AT_ALL,
        most <= MOST_MILLIS);
  }
}
