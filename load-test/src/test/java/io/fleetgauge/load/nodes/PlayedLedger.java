package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.jobs.Job;
import io.fleetgauge.promql.usage.Amount;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What jobs have had of GPUs, by what was played, and not by samples: the time by class, energy,
 * and memory. What is played at a tick lasts until the next tick, and for five minutes at most;
 * without ticks for longer, and for an hour at most, a job that is there before and after has kept
 * its GPU. Energy is of who had the GPU before it was counted.
 */
final class PlayedLedger {
  static final long LOOKBACK = 300_000;
  static final long BRIDGE = 3_600_000;

  private static final double BUSY_PERCENT = 5;
  private static final double HIGH_POWER = 0.16;

  /**
   * Who had which device.
   *
   * @param job the name; empty for nobody
   */
  record Key(String job, String tenant, String gpu, int instance) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      return toString().compareTo(other.toString());
    }
  }

  /** What it had. */
  static final class Entry {
    /** Millionths of a device, times ms. */
    final Map<Amount, Long> time = new EnumMap<>(Amount.class);

    double joules;
    double byteSeconds;

    @Override
    public String toString() {
      return String.format("%s %.1f J %.0f byte seconds", time, joules, byteSeconds);
    }
  }

  private final long from;
  private final long to;
  private final Map<Key, Entry> entries = new TreeMap<>();
  private final Map<String, Long> tickedAt = new HashMap<>();
  private final Map<String, List<PlayedDevice>> played = new HashMap<>();

  /** True of a host whose newest tick is its first. */
  private final Map<String, Boolean> isNew = new HashMap<>();

  PlayedLedger(long from, long to) {
    this.from = from;
    this.to = to;
  }

  Map<Key, Entry> entries() {
    return entries;
  }

  /** A host has sent what was played. */
  void play(String host, long time, List<PlayedDevice> devices) {
    Long last = tickedAt.put(host, time);
    List<PlayedDevice> before = played.put(host, devices);
    boolean wasNew = isNew.getOrDefault(host, true);
    isNew.put(host, last == null);
    if (last != null) {
      for (int i = 0; i < devices.size(); i++) {
        boolean isSame = names(devices.get(i)).equals(names(before.get(i)));
        lasts(before.get(i), last, time, wasNew, isSame);
      }
      energy(before, devices, last, time);
    }
  }

  /** Nothing is played any more. */
  void end() {
    tickedAt.forEach(
        (host, last) ->
            played
                .get(host)
                .forEach(each -> lasts(each, last, Long.MAX_VALUE, isNew.get(host), false)));
    tickedAt.forEach((host, last) -> power(played.get(host), last));
  }

  /** A job that comes again under its number is the same. */
  private static List<String> names(PlayedDevice device) {
    return device.jobs().stream().map(Job::name).toList();
  }

  private long within(long start, long end) {
    return Math.max(0, Math.min(end, to) - Math.max(start, from));
  }

  private Entry entry(Job job, PlayedDevice device) {
    Key key =
        job == null
            ? new Key("", "", device.gpu(), 0)
            : new Key(job.name(), job.tenant(), device.gpu(), device.instance());
    return entries.computeIfAbsent(key, none -> new Entry());
  }

  private void lasts(PlayedDevice device, long start, long end, boolean isFirst, boolean isSame) {
    long stands = Math.min(end, start + LOOKBACK);
    add(device, kind(device, isFirst), within(start, stands));
    int sharers = Math.max(1, device.jobs().size());
    for (Job job : owners(device)) {
      entry(job, device).byteSeconds +=
          (double) device.bytes() / sharers * within(start, stands) / 1_000;
    }
    if (isSame && end - start <= BRIDGE) {
      add(device, Amount.UNKNOWN, within(stands, end));
    }
  }

  private void add(PlayedDevice device, Amount kind, long millis) {
    for (Job job : device.jobs()) {
      entry(job, device).time.merge(kind, 1_000_000L / device.jobs().size() * millis, Long::sum);
    }
  }

  /** Nobody stands for an owner too. */
  private static List<Job> owners(PlayedDevice device) {
    List<Job> owners = new ArrayList<>(device.jobs());
    if (owners.isEmpty()) {
      owners.add(null);
    }
    return owners;
  }

  /**
   * @param isFirst true at the first tick: how active an instance is takes two readings
   */
  private static Amount kind(PlayedDevice device, boolean isFirst) {
    if (device.instance() > 0) {
      return isFirst ? Amount.UNKNOWN : device.busy() >= BUSY_PERCENT ? Amount.BUSY : Amount.IDLE;
    }
    if (device.busy() >= BUSY_PERCENT) {
      return Amount.BUSY;
    }
    boolean isPowerful = device.milliwatts() >= HIGH_POWER * device.limitMilliwatts();
    return isPowerful ? Amount.EXECUTION_IDLE : Amount.IDLE;
  }

  private void energy(List<PlayedDevice> before, List<PlayedDevice> now, long start, long end) {
    if (end - start > BRIDGE) {
      power(before, start);
      return;
    }
    Map<String, Integer> parts = parts(before);
    for (int i = 0; i < before.size(); i++) {
      PlayedDevice device = before.get(i);
      long last = device.millijoules();
      long millijoules = now.get(i).millijoules();
      double joules = (millijoules < last ? millijoules : millijoules - last) / 1_000.0;
      double perMilli = joules / parts.get(device.gpu()) / (end - start);
      boolean isSame = names(now.get(i)).equals(names(device));
      long until = isSame ? end : Math.min(end, start + LOOKBACK);
      for (Job job : owners(device)) {
        entry(job, device).joules +=
            perMilli * within(start, until) / Math.max(1, device.jobs().size());
      }
      entry(null, device).joules += perMilli * within(until, end);
    }
  }

  /** Devices of each GPU. */
  private static Map<String, Integer> parts(List<PlayedDevice> devices) {
    Map<String, Integer> parts = new HashMap<>();
    devices.forEach(each -> parts.merge(each.gpu(), 1, Integer::sum));
    return parts;
  }

  /** The energy has not been counted any more: what is known is the power. */
  private void power(List<PlayedDevice> devices, long start) {
    Map<String, Integer> parts = parts(devices);
    for (PlayedDevice device : devices) {
      List<Job> owners = owners(device);
      double watts = device.milliwatts() / 1_000.0 / parts.get(device.gpu()) / owners.size();
      for (Job job : owners) {
        entry(job, device).joules += watts * within(start, start + LOOKBACK) / 1_000;
      }
    }
  }
}
