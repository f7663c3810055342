package io.fleetgauge.load.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkCounts;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Uplinks of hosts that read a tick every half second, and a ledger of all ticks they read. */
final class HostUplinks implements AutoCloseable {
  static final long TICK_MILLIS = 500;

  private static final int SERIES = 8;

  /** Above the age of the history that is sent first, so that none of it is dropped. */
  private static final UplinkSettings ALL =
      new UplinkSettings(Duration.ofDays(1), 64L << 20, Duration.ofDays(1), 0);

  private final Vertx vertx;
  private final Map<String, Host> hosts = new LinkedHashMap<>();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("ticks").factory());

  private static final class Host {
    final Uplink uplink;
    final List<Labels> labels = new ArrayList<>();
    final TreeMap<Long, Double> ledger = new TreeMap<>();

    /** Ticks that are not sent yet, because the host has no connection; null while it has one. */
    private List<Tick> held;

    /** When ticks were read that may not be acknowledged, ms. */
    private final Deque<Long> waiting = new ArrayDeque<>();

    Host(String name, Uplink uplink) {
      this.uplink = uplink;
      labels.add(Labels.of(Labels.NAME, "chaos_value", "Hostname", name));
      for (int i = 1; i < SERIES; i++) {
        labels.add(Labels.of(Labels.NAME, "chaos_other_" + i, "Hostname", name));
      }
    }

    synchronized void tick(long now) {
      if (held == null) {
        read(now);
      }
    }

    synchronized void read(long time) {
      if (!ledger.isEmpty() && ledger.lastKey() >= time) {
        return;
      }
      double value = ledger.size();
      ledger.put(time, value);
      double[] values = new double[SERIES];
      for (int i = 0; i < SERIES; i++) {
        values[i] = value + i;
      }
      Tick tick = new Tick(time, labels, values);
      waiting.add(System.currentTimeMillis());
      if (held == null) {
        uplink.offer(tick);
      } else {
        held.add(tick);
      }
    }

    synchronized void hold() {
      held = new ArrayList<>();
    }

    synchronized void release() {
      held.forEach(uplink::offer);
      held = null;
    }

    synchronized long waitingMillis() {
      long unacknowledged = uplink.unacknowledgedTicks() + (held == null ? 0 : held.size());
      while (waiting.size() > unacknowledged) {
        waiting.remove();
      }
      return waiting.isEmpty() ? 0 : System.currentTimeMillis() - waiting.element();
    }

    synchronized TreeMap<Long, Double> ledger() {
      return new TreeMap<>(ledger);
    }
  }

  HostUplinks(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Adds a host that sends to any of the gateways at first. */
  void add(String name, List<URI> gateways, long seed) {
    hosts.put(name, new Host(name, new Uplink(vertx, name, gateways, ALL, Optional.empty(), seed)));
  }

  /** Adds history to a host: one tick each {@code step}. */
  void past(String name, long from, long to, long step) {
    for (long time = from; time < to; time += step) {
      hosts.get(name).read(time);
    }
  }

  /** From now on these hosts have no connection, and read nothing but their past. */
  void hold(List<String> names) {
    names.forEach(name -> hosts.get(name).hold());
  }

  /** They have it again, and send all that waits at full speed. */
  void release(List<String> names) {
    names.forEach(name -> hosts.get(name).release());
  }

  /** Age of the oldest tick of a host that is not acknowledged, ms. */
  long waitingMillis(String name) {
    return hosts.get(name).waitingMillis();
  }

  /** Starts reading on every host. */
  void begin() {
    clock.scheduleAtFixedRate(
        () -> hosts.values().forEach(host -> host.tick(System.currentTimeMillis())),
        0,
        TICK_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  long unacknowledged(String name) {
    return hosts.get(name).uplink.unacknowledgedTicks();
  }

  long unacknowledged() {
    return hosts.values().stream().mapToLong(host -> host.uplink.unacknowledgedTicks()).sum();
  }

  /**
   * Differences of the fleet's answers from the ledger.
   *
   * @param ticks in the ledger
   * @param lost ticks that the answers lack
   * @param changed ticks with another value, or that no host read
   * @param broken hosts, with their counters, for which read = kept + queued + dropped + refused
   *     does not hold, or that dropped anything
   */
  record Difference(long ticks, long lost, long changed, List<String> broken) {
    boolean isNone() {
      return lost == 0 && changed == 0 && broken.isEmpty();
    }

    @Override
    public String toString() {
      return ticks
          + " ticks in the ledger, "
          + lost
          + " lost, "
          + changed
          + " duplicated or changed"
          + (broken.isEmpty() ? "" : ", hosts with wrong counts: " + String.join("; ", broken));
    }
  }

  /** Compares all ticks read up to a time, ms, without the hosts that are cut off. */
  Difference compareUpTo(ChaosFleet fleet, String query, long to)
      throws IOException, InterruptedException {
    long ticks = 0;
    long lost = 0;
    long changed = 0;
    List<String> broken = new ArrayList<>();
    for (Map.Entry<String, Host> each : hosts.entrySet()) {
      UplinkCounts counts = each.getValue().uplink.counts();
      if (counts.kept() == 0) {
        continue;
      }
      TreeMap<Long, Double> ledger = each.getValue().ledger();
      ledger.tailMap(to, false).clear();
      ticks += ledger.size();
      JsonNode answer = fleet.query(query, "chaos_value{Hostname=\"" + each.getKey() + "\"}[3h]");
      for (JsonNode series : answer.path("data").path("result")) {
        for (JsonNode sample : series.path("values")) {
          long time = Math.round(sample.path(0).asDouble() * 1_000);
          if (time > to) {
            continue;
          }
          Double expected = ledger.remove(time);
          if (expected == null || expected != Double.parseDouble(sample.path(1).asText())) {
            changed++;
          }
        }
      }
      lost += ledger.size();
      long accounted = counts.kept() + counts.queued() + counts.dropped() + counts.refused();
      if (accounted != counts.read() || counts.dropped() + counts.refused() != 0) {
        broken.add(each.getKey() + " " + counts);
      }
    }
    return new Difference(ticks, lost, changed, broken);
  }

  @Override
  public void close() {
    clock.shutdownNow();
    hosts.values().forEach(host -> host.uplink.close());
  }
}
