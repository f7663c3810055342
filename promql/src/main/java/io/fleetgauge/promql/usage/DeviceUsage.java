package io.fleetgauge.promql.usage;

import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A GPU or a MIG instance: whose it is at a time, and what it has then. What an owner has of its
 * host's memory is a device of its own that is never allocated.
 */
final class DeviceUsage {
  private static final Comparator<Track> BY_LABELS = Comparator.comparing(track -> track.labels);

  /** The device as it was when its newest sample was taken. */
  private record Seen(long at, Split split, boolean isAllocated, boolean isCounted, Split nobody) {
    /** Names of owners that do not depend on what a report asks for. */
    List<Labels> owners() {
      return Stream.of(split.accounts).map(account -> account.identity).sorted().toList();
    }
  }

  private static final long NEVER = Long.MIN_VALUE;
  private static final long NOTHING = Track.NOTHING;

  final String instance;
  final Stretches stretches = new Stretches();
  private final Accounts accounts;
  private final UsageTerms terms;

  /** By measure and, of counters, by direction; in order of measures. */
  private final TreeMap<String, Slot> byName = new TreeMap<>();

  private final Slot[] gauges = new Slot[Measure.values().length];
  private final List<Slot> slots = new ArrayList<>();
  private final List<Track> parts = new ArrayList<>();
  private final List<Track> sharers = new ArrayList<>();

  private Labels labels = Labels.EMPTY;
  private boolean isLive;
  private boolean isCounted;
  private boolean isAllocated;
  private Split split;
  private Split nobody;
  private final Division memory = new Division();
  private final Division activity = new Division();
  private long sampledAt = Long.MIN_VALUE;

  // Of the gap that it is in.
  private long goneAt = NEVER;
  private Seen seen;

  /**
   * A gap that has ended.
   *
   * @param split whose it was: the same owner's that has it on both sides, or else nobody's
   * @param slices compute slices of the device before the gap
   * @param isAllocated whether the owner held it on both sides
   */
  record Gap(Split split, long slices, boolean isSame, boolean isAllocated, long from, long to) {}

  DeviceUsage(String instance, Accounts accounts, UsageTerms terms) {
    this.instance = instance;
    this.accounts = accounts;
    this.terms = terms;
  }

  void add(Track track) {
    switch (track.measure.role) {
      case PART -> parts.add(track);
      case SHARER -> sharers.add(track);
      case GAUGE, COUNTER -> {
        String name = (char) ('A' + track.measure.ordinal()) + track.labels.value("direction");
        Slot slot = byName.get(name);
        if (slot == null) {
          slot = new Slot(track.measure);
          byName.put(name, slot);
          slots.clear();
          slots.addAll(byName.values());
          if (track.measure.role == Measure.Role.GAUGE) {
            gauges[track.measure.ordinal()] = slot;
          }
        }
        slot.tracks.add(track);
        track.slot = slot;
      }
    }
  }

  void remove(Track track) {
    switch (track.measure.role) {
      case PART -> parts.remove(track);
      case SHARER -> sharers.remove(track);
      case GAUGE, COUNTER -> slots.forEach(slot -> slot.tracks.remove(track));
    }
  }

  List<Slot> slots() {
    return slots;
  }

  // --- at a time ---

  /** Looks at its series, which have been moved to a time. */
  void look(long time) {
    boolean wasLive = isLive;
    isLive = false;
    for (Slot slot : slots) {
      slot.look();
      isLive |= slot.isHeld();
      if (slot.since() == time) {
        sampledAt = time;
      }
    }
    if (wasLive && !isLive) {
      goneAt = time;
    }
  }

  boolean isLive() {
    return isLive;
  }

  boolean isCounted() {
    return isCounted;
  }

  boolean isSampledAt(long time) {
    return sampledAt == time;
  }

  /** Whose it is, or was last. */
  Split split() {
    return split;
  }

  /** Compute slices of a MIG instance. */
  long slices() {
    return slices(labels);
  }

  private static long slices(Split split) {
    return slices(split.accounts[0].device);
  }

  private static long slices(Labels device) {
    String profile = device.value("GPU_I_PROFILE");
    int digits = 0;
    while (digits < profile.length() && digits < 3 && Character.isDigit(profile.charAt(digits))) {
      digits++;
    }
    boolean isNumber = digits > 0 && digits < profile.length() && profile.charAt(digits) == 'g';
    return isNumber ? Math.max(1, Integer.parseInt(profile, 0, digits, 10)) : 1;
  }

  /** Nobody has this device. */
  Split nobody() {
    if (nobody == null || nobody.accounts[0].device != labels) {
      nobody = Split.even(List.of(accounts.of(labels, Labels.EMPTY)));
    }
    return nobody;
  }

  /**
   * Finds out whose it is.
   *
   * @param othersCounted until when something else was counted in place of this, ms
   * @return a gap that has ended; null without one
   */
  Gap update(long time, boolean counts, long othersCounted) {
    isCounted = counts;
    Gap gap = null;
    if (isLive) {
      own();
      if (goneAt != NEVER) {
        gap = gap(time, othersCounted);
        goneAt = NEVER;
      }
      if (sampledAt == time) {
        seen = new Seen(time, split, isAllocated, isCounted, nobody());
      }
    }
    return gap;
  }

  /** A gap that has not ended, and is nobody's therefore; null without one. */
  Gap openGap(long time) {
    return goneAt == NEVER
        ? null
        : new Gap(seen.nobody, slices(seen.split), false, false, goneAt, time);
  }

  private void own() {
    Slot first = null;
    for (int i = 0; first == null; i++) {
      first = slots.get(i).isHeld() ? slots.get(i) : null;
    }
    List<Track> owners = first.newest();
    labels = owners.getFirst().device;
    Slot allocated = gauges[Measure.ALLOCATED.ordinal()];
    if (allocated != null && allocated.isHeld()) {
      isAllocated = allocated.value() > 0;
      List<Track> among = isAllocated ? newest(sharers) : List.of();
      owners = among.isEmpty() ? owners : among;
    } else {
      isAllocated = false;
      for (Track owner : owners) {
        isAllocated |= owner.isOfHolder && owner.measure != Measure.HOST_MEMORY;
      }
    }
    boolean isSame = split != null && split.size() == owners.size();
    for (int i = 0; isSame && i < owners.size(); i++) {
      isSame = split.accounts[i] == owners.get(i).account(labels, accounts);
    }
    if (!isSame) {
      split = Split.even(owners.stream().map(each -> each.account(labels, accounts)).toList());
    }
  }

  private Gap gap(long time, long othersCounted) {
    boolean isSame =
        seen.isCounted
            && isCounted
            && time - seen.at <= terms.bridge()
            && othersCounted <= goneAt
            && seen.owners().equals(new Seen(time, split, true, true, split).owners());
    return new Gap(
        isSame ? seen.split : seen.nobody,
        slices(seen.split),
        isSame,
        isSame && seen.isAllocated && isAllocated,
        goneAt,
        time);
  }

  /** Those with a value of the newest samples, in order of labels. */
  private static List<Track> newest(List<Track> tracks) {
    List<Track> held = new ArrayList<>(tracks.size());
    long newest = Long.MIN_VALUE;
    for (Track track : tracks) {
      if (track.isHeld()) {
        held.add(track);
        newest = Math.max(newest, track.since());
      }
    }
    long last = newest;
    held.removeIf(track -> track.since() < last);
    held.sort(BY_LABELS);
    return held;
  }

  // --- what it has ---

  boolean has(Measure measure) {
    Slot slot = gauges[measure.ordinal()];
    return slot != null && slot.isHeld();
  }

  long value(Measure measure) {
    return gauges[measure.ordinal()].value();
  }

  Slot slot(Measure measure) {
    return gauges[measure.ordinal()];
  }

  boolean isAllocated() {
    return isAllocated;
  }

  /** The slot of its activity; null if there is none. */
  Slot activity() {
    return slot(has(Measure.UTILIZATION) ? Measure.UTILIZATION : Measure.ENGINE);
  }

  /** The account of a part of it. */
  Account account(Track part) {
    return part.account(labels, accounts);
  }

  List<Track> memoryParts() {
    List<Track> processes = parts(Measure.PROCESS_MEMORY);
    return processes.isEmpty() ? parts(Measure.CONTAINER_MEMORY) : processes;
  }

  /** Goes on to the end of a steady run; its tracks are there. */
  void skip(long now, long end) {
    boolean isSampled = false;
    for (Slot slot : slots) {
      slot.skip(now, end);
      isSampled |= slot.isHeld() && slot.since() == end;
    }
    if (isSampled) {
      sampledAt = end;
      seen = new Seen(end, split, isAllocated, isCounted, nobody());
    }
  }

  /** The parts of a measure; of several label sets of a process or container the newest counts. */
  List<Track> parts(Measure measure) {
    if (parts.isEmpty()) {
      return List.of();
    }
    Map<String, Track> byPart = new TreeMap<>();
    for (Track track : parts) {
      if (track.measure == measure && track.isHeld()) {
        byPart.merge(
            track.part,
            track,
            (one, other) -> {
              int order = Long.compare(one.since(), other.since());
              return (order == 0 ? BY_LABELS.compare(other, one) : order) > 0 ? one : other;
            });
      }
    }
    return List.copyOf(byPart.values());
  }

  /** Writes down what its owners have of it for some time in one interval. */
  void write(int interval, long millis, boolean isEnd) {
    memory.begin(slot(Measure.MEMORY), memoryParts());
    activity.begin(activity(), parts(Measure.CONTAINER_ACTIVITY));
    memory.write(Amount.MEMORY, Amount.MEMORY_TIME, interval, millis);
    memory.writeLevels(interval, isEnd);
    activity.write(Amount.ACTIVITY, Amount.ACTIVITY_TIME, interval, millis);
    write(Measure.SM, Amount.SM, Amount.SM_TIME, interval, millis);
    write(Measure.TENSOR, Amount.TENSOR, Amount.TENSOR_TIME, interval, millis);
    write(Measure.DRAM, Amount.DRAM, Amount.DRAM_TIME, interval, millis);
    if (has(Measure.HOST_MEMORY)) {
      write(Measure.HOST_MEMORY, Amount.HOST_MEMORY, Amount.HOST_MEMORY_TIME, interval, millis);
      for (int i = 0; i < split.size(); i++) {
        long part = split.part(i, value(Measure.HOST_MEMORY));
        split.accounts[i].cell(interval).seeOfHost(part);
      }
    }
    if (isAllocated) {
      hold(split, use(), interval, millis);
    }
  }

  /** Writes down that it is allocated for some time. */
  static void hold(Split split, Amount use, int interval, long millis) {
    for (int i = 0; i < split.size(); i++) {
      split.accounts[i].cell(interval).add(use, split.part(i, UsageTerms.WHOLE), millis);
    }
  }

  private void write(Measure measure, Amount sum, Amount time, int interval, long millis) {
    if (has(measure)) {
      long value = value(measure);
      for (int i = 0; i < split.size(); i++) {
        UsageCell cell = split.accounts[i].cell(interval);
        cell.add(sum, split.part(i, value), millis);
        cell.add(time, split.part(i, UsageTerms.WHOLE), millis);
      }
    }
  }

  /** The class of its allocated time. */
  private Amount use() {
    if (activity.total == NOTHING) {
      return Amount.UNKNOWN;
    }
    if (activity.total >= terms.busy()) {
      return Amount.BUSY;
    }
    boolean isPowerful =
        has(Measure.POWER)
            && has(Measure.POWER_LIMIT)
            && value(Measure.POWER) * UsageTerms.WHOLE
                >= value(Measure.POWER_LIMIT) * terms.highPower();
    return isPowerful ? Amount.EXECUTION_IDLE : Amount.IDLE;
  }

  /** A value that parts of the device have, and its owners the rest of. */
  private final class Division {
    /** Negative if it is not known. */
    long total;

    private List<Track> of = List.of();
    private long rest;

    void begin(Slot slot, List<Track> partsOfIt) {
      long whole = slot != null && slot.isHeld() ? slot.value() : NOTHING;
      long sum = 0;
      for (Track part : partsOfIt) {
        sum += part.value();
      }
      of = partsOfIt;
      total = of.isEmpty() ? whole : Math.max(whole, sum);
      rest = total - sum;
    }

    void write(Amount amount, Amount time, int interval, long millis) {
      if (total == NOTHING) {
        return;
      }
      for (Track part : of) {
        account(part).cell(interval).add(amount, part.value(), millis);
      }
      for (int i = 0; i < split.size(); i++) {
        UsageCell cell = split.accounts[i].cell(interval);
        cell.add(amount, split.part(i, rest), millis);
        cell.add(time, split.part(i, UsageTerms.WHOLE), millis);
      }
    }

    /** Writes down how much each has at one time. */
    void writeLevels(int interval, boolean isEnd) {
      if (total == NOTHING) {
        return;
      }
      for (Track part : of) {
        account(part).level += part.value();
      }
      for (int i = 0; i < split.size(); i++) {
        split.accounts[i].level += split.part(i, rest);
      }
      // An account that is there twice has nothing left the second time, which is no level.
      for (Track part : of) {
        account(part).writeLevel(interval, isEnd);
      }
      for (int i = 0; i < split.size(); i++) {
        split.accounts[i].writeLevel(interval, isEnd);
      }
    }
  }
}
