package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.jobs.Job;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What jobs have had of GPUs of a host, by what was played, and not by samples: the time by class,
 * energy, and memory. What is played at a tick lasts until the next tick, and for five minutes at
 * most; without ticks for longer, and for an hour at most, a job that is there before and after has
 * kept its GPU. Energy is of who had the GPU before it was counted.
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
   * @param number that Slurm gives the job; empty without Slurm, as the user is
   */
  record Key(String job, String number, String user, String tenant, String gpu, int instance)
      implements Comparable<Key> {
    static Key nobody(String gpu) {
      return new Key("", "", "", "", gpu, 0);
    }

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
    double hostByteSeconds;

    @Override
    public String toString() {
      return String.format(
          "%s %.1f J %.0f byte seconds, %.0f of the host",
          time, joules, byteSeconds, hostByteSeconds);
    }
  }

  private final Place place;
  private final long from;
  private final long to;
  private final Map<Key, Entry> entries = new TreeMap<>();

  /** Memory of the host by slot. */
  private final Map<Integer, MemoryAt> memory = new HashMap<>();

  /**
   * @param isMarked whether its series is marked when it ends
   */
  private record MemoryAt(PlayedMemory played, long time, boolean isMarked) {}

  private List<PlayedDevice> played = List.of();
  private long tickedAt;
  private int ticks;

  /**
   * @param place of the only host
   * @param from of the time that is counted, ms
   * @param to its end, ms
   */
  PlayedLedger(Place place, long from, long to) {
    this.place = place;
    this.from = from;
    this.to = to;
  }

  Map<Key, Entry> entries() {
    return entries;
  }

  /** The host has sent what was played. */
  void play(long time, List<PlayedDevice> devices) {
    for (int i = 0; i < played.size(); i++) {
      lasts(played.get(i), time, names(devices.get(i)).equals(names(played.get(i))));
    }
    energy(devices, time);
    tickedAt = time;
    played = devices;
    ticks++;
  }

  /**
   * Memory was played.
   *
   * @param isSent whether the host has sent it
   */
  void playMemory(long time, List<PlayedMemory> now, boolean isSent) {
    Map<Integer, MemoryAt> before = Map.copyOf(memory);
    for (PlayedMemory each : now) {
      if (isSent) {
        lasts(memory.put(each.slot(), new MemoryAt(each, time, true)), time);
      }
    }
    before.forEach(
        (slot, last) -> {
          if (now.stream().noneMatch(each -> each.slot() == slot) && last.isMarked) {
            if (isSent) {
              lasts(memory.remove(slot), time);
            } else {
              memory.put(slot, new MemoryAt(last.played, last.time, false));
            }
          }
        });
  }

  private void lasts(MemoryAt of, long end) {
    if (of != null) {
      Labels owner = of.played.owner();
      Key key =
          new Key(
              owner.value("job"),
              owner.value("hpc_job"),
              owner.value("user"),
              owner.value("tenant"),
              "",
              0);
      long millis = within(of.time, Math.min(end, of.time + LOOKBACK));
      entries.computeIfAbsent(key, none -> new Entry()).hostByteSeconds +=
          (double) of.played.bytes() * millis / 1_000;
    }
  }

  /** Nothing is played any more. */
  void end() {
    memory.values().forEach(each -> lasts(each, Long.MAX_VALUE));
    played.forEach(each -> lasts(each, Long.MAX_VALUE, false));
    power();
  }

  /** A job that comes again under its number is the same. */
  private static List<String> names(PlayedDevice device) {
    return device.jobs().stream().map(Job::name).toList();
  }

  private long within(long start, long end) {
    return Math.max(0, Math.min(end, to) - Math.max(start, from));
  }

  private Entry entry(Job job, PlayedDevice device) {
    return entries.computeIfAbsent(key(job, device), none -> new Entry());
  }

  private Key key(Job job, PlayedDevice device) {
    if (job == null) {
      return Key.nobody(device.gpu());
    }
    Labels labels = OwnerLabels.labels(place, 0, 0, Optional.of(job));
    return new Key(
        job.name(),
        labels.value("hpc_job"),
        labels.value("user"),
        job.tenant(),
        device.gpu(),
        device.instance());
  }

  private void lasts(PlayedDevice device, long end, boolean isSame) {
    long stands = Math.min(end, tickedAt + LOOKBACK);
    add(device, kind(device), within(tickedAt, stands));
    int sharers = Math.max(1, device.jobs().size());
    for (Job job : owners(device)) {
      entry(job, device).byteSeconds +=
          (double) device.bytes() / sharers * within(tickedAt, stands) / 1_000;
    }
    if (isSame && end - tickedAt <= BRIDGE) {
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

  private Amount kind(PlayedDevice device) {
    if (device.instance() > 0) {
      // How active an instance is takes two readings.
      boolean isKnown = ticks > 1;
      return !isKnown ? Amount.UNKNOWN : device.busy() >= BUSY_PERCENT ? Amount.BUSY : Amount.IDLE;
    }
    if (device.busy() >= BUSY_PERCENT) {
      return Amount.BUSY;
    }
    boolean isPowerful = device.milliwatts() >= HIGH_POWER * device.limitMilliwatts();
    return isPowerful ? Amount.EXECUTION_IDLE : Amount.IDLE;
  }

  private void energy(List<PlayedDevice> now, long end) {
    if (end - tickedAt > BRIDGE) {
      power();
      return;
    }
    Map<String, Integer> parts = parts();
    for (int i = 0; i < played.size(); i++) {
      PlayedDevice device = played.get(i);
      long last = device.millijoules();
      long millijoules = now.get(i).millijoules();
      double joules = (millijoules < last ? millijoules : millijoules - last) / 1_000.0;
      double perMilli = joules / parts.get(device.gpu()) / (end - tickedAt);
      boolean isSame = names(now.get(i)).equals(names(device));
      long until = isSame ? end : Math.min(end, tickedAt + LOOKBACK);
      for (Job job : owners(device)) {
        entry(job, device).joules +=
            perMilli * within(tickedAt, until) / Math.max(1, device.jobs().size());
      }
      entry(null, device).joules += perMilli * within(until, end);
    }
  }

  /** Devices of each GPU. */
  private Map<String, Integer> parts() {
    Map<String, Integer> parts = new HashMap<>();
    played.forEach(each -> parts.merge(each.gpu(), 1, Integer::sum));
    return parts;
  }

  /** The energy has not been counted any more: what is known is the power. */
  private void power() {
    Map<String, Integer> parts = parts();
    for (PlayedDevice device : played) {
      List<Job> owners = owners(device);
      double watts = device.milliwatts() / 1_000.0 / parts.get(device.gpu()) / owners.size();
      for (Job job : owners) {
        entry(job, device).joules += watts * within(tickedAt, tickedAt + LOOKBACK) / 1_000;
      }
    }
  }
}
