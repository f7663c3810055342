package io.fleetgauge.load.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** The state of a fleet under test: reads it from the processes and waits for conditions. */
final class FleetState {
  private final ChaosFleet fleet;
  private final ChaosReport report;
  private final String query;
  private int hosts;

  /**
   * @param query the query API that is asked
   * @param hosts how many hosts send
   */
  FleetState(ChaosFleet fleet, String query, int hosts, ChaosReport report) {
    this.fleet = fleet;
    this.query = query;
    this.hosts = hosts;
    this.report = report;
  }

  void oneHostMore() {
    hosts++;
  }

  interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  void await(String what, int limitSeconds, Condition condition) throws Exception {
    secondsUntil(what, limitSeconds, condition);
  }

  double secondsUntil(String what, int limitSeconds, Condition condition) throws Exception {
    return secondsSince(System.currentTimeMillis(), what, limitSeconds, condition);
  }

  /**
   * Seconds from a time until a condition holds; when it does not hold within the limit, at least
   * 1,000, which is above everything that the table of results allows.
   */
  double secondsSince(long from, String what, int limitSeconds, Condition condition)
      throws Exception {
    long deadline = System.currentTimeMillis() + limitSeconds * 1_000L;
    while (true) {
      boolean holds;
      try {
        holds = condition.holds();
      } catch (IOException e) {
        holds = false; // the process that was asked is down
      }
      double seconds = (System.currentTimeMillis() - from) / 1_000.0;
      if (holds) {
        return seconds;
      }
      if (System.currentTimeMillis() > deadline) {
        report.say("after " + limitSeconds + " s still not: " + what);
        return Math.max(seconds, 1_000);
      }
      TimeUnit.MILLISECONDS.sleep(25);
    }
  }

  long freshSince(long millis) throws IOException, InterruptedException {
    return ChaosFleet.value(
        fleet.query(query, "count(timestamp(chaos_value) > " + millis / 1_000.0 + ")"));
  }

  /**
   * Waits until every host is whole, on two gateways, not moving, and its ticks are acknowledged.
   */
  void untilWhole(String what, int limitSeconds) throws Exception {
    double seconds = secondsUntil(what, limitSeconds, () -> missing(fleet.gateways()) == null);
    if (seconds > limitSeconds) {
      report.say("    " + missing(fleet.gateways()));
    }
  }

  /** The first thing that the gateways or the samples lack; null when they lack nothing. */
  private String missing(List<String> gateways) throws IOException, InterruptedException {
    String unreplicated = unreplicated(gateways);
    if (unreplicated != null) {
      return unreplicated;
    }
    JsonNode answer = fleet.query(query, "count(chaos_value)");
    if (answer.has("warnings")) {
      return "responses have warnings: " + answer.path("warnings");
    }
    long count = ChaosFleet.value(answer);
    return count == hosts ? null : count + " of " + hosts + " hosts have fresh samples";
  }

  boolean isReplicated(List<String> gateways) throws IOException, InterruptedException {
    return unreplicated(gateways) == null;
  }

  /** The first wrong thing in the gateways' tables, or null. */
  private String unreplicated(List<String> gateways) throws IOException, InterruptedException {
    JsonNode table = table();
    long epoch = table.path("epoch").asLong();
    for (String id : gateways) {
      long its = fleet.table(id).path("epoch").asLong();
      if (its != epoch) {
        return id + " has table " + its + ", the newest is " + epoch;
      }
    }
    if (table.path("hosts").size() < hosts) {
      return "the table has " + table.path("hosts").size() + " of " + hosts + " hosts";
    }
    if (!new TreeSet<>(ids(table.path("members"))).containsAll(gateways)) {
      return "the table has members " + table.path("members") + ", not all of " + gateways;
    }
    for (Map.Entry<String, JsonNode> host : table.path("hosts").properties()) {
      boolean synced = false;
      for (JsonNode copy : host.getValue().path("copies")) {
        synced |= copy.asBoolean();
      }
      if (!synced || !host.getValue().path("behind").isEmpty() || host.getValue().has("next")) {
        return host.getKey() + " is not fully replicated: " + host.getValue();
      }
    }
    return null;
  }

  /** The newest table that any gateway has. */
  JsonNode table() throws IOException, InterruptedException {
    JsonNode newest = null;
    for (String id : fleet.gateways()) {
      JsonNode table = fleet.table(id);
      if (newest == null || table.path("epoch").asLong() > newest.path("epoch").asLong()) {
        newest = table;
      }
    }
    return newest;
  }

  private static List<String> ids(JsonNode array) {
    List<String> ids = new ArrayList<>();
    array.forEach(id -> ids.add(id.asText()));
    return ids;
  }

  static boolean contains(JsonNode array, String id) {
    return ids(array).contains(id);
  }

  static Map<String, String> owners(JsonNode table) {
    Map<String, String> owners = new TreeMap<>();
    table
        .path("hosts")
        .properties()
        .forEach(host -> owners.put(host.getKey(), host.getValue().path("owner").asText()));
    return owners;
  }

  static Map<String, Long> load(Map<String, String> owners) {
    Map<String, Long> load = new TreeMap<>();
    owners.values().forEach(owner -> load.merge(owner, 1L, Long::sum));
    return load;
  }

  /** Number of tables that were written since the cluster began. */
  long tables() throws IOException, InterruptedException {
    long most = 0;
    for (String id : fleet.gateways()) {
      most = Math.max(most, Math.round(fleet.metric(id, "fleetgauge_gateway_table_number")));
    }
    return most;
  }

  /** Waits until no table has been written for some seconds. */
  void untilTheTableStandsStill(int seconds, int limitSeconds) throws Exception {
    long[] last = {tables(), System.currentTimeMillis()};
    await(
        "the table stands still",
        limitSeconds,
        () -> {
          long now = tables();
          if (now != last[0]) {
            last[0] = now;
            last[1] = System.currentTimeMillis();
          }
          return System.currentTimeMillis() - last[1] >= seconds * 1_000L;
        });
  }

  /** Number of times that replicas fell behind since the gateways began. */
  long replicasLost() throws IOException, InterruptedException {
    long lost = 0;
    for (String id : fleet.gateways()) {
      lost += Math.round(fleet.metric(id, "fleetgauge_gateway_replicas_lost_total"));
    }
    return lost;
  }

  /** Compares the answers with the ledger, once all ticks but the newest two are acknowledged. */
  HostUplinks.Difference compare(HostUplinks senders) throws Exception {
    long now = System.currentTimeMillis() - 2 * HostUplinks.TICK_MILLIS;
    await("ticks acknowledged", 300, () -> senders.compareUpTo(fleet, query, now).isNone());
    return senders.compareUpTo(fleet, query, now);
  }
}
