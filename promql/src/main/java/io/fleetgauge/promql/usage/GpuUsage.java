package io.fleetgauge.promql.usage;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A GPU and its MIG instances on their way through time. */
final class GpuUsage {
  private static final String INSTANCE = "GPU_I_ID";
  private static final String WHOLE = "";

  private final Accounts accounts;
  private final UsagePeriod period;
  private final UsageTerms terms;
  private final SteadyRun run;

  /** By labels: those that are there, and those whose first sample is coming, which is last. */
  private final Map<Labels, Track> tracks = new HashMap<>();

  private final List<Track> there = new ArrayList<>();
  private final List<Track> coming = new ArrayList<>();

  /** By the number of their instance; the GPU itself is first. */
  private final TreeMap<String, DeviceUsage> devices = new TreeMap<>();

  private final DeviceUsage whole;
  private final Energy energy;
  private Split combined;
  private boolean isDivided;
  private long now = Long.MIN_VALUE;
  private long wholeCounted = Long.MIN_VALUE;
  private long instancesCounted = Long.MIN_VALUE;

  GpuUsage(Accounts accounts, UsagePeriod period, UsageTerms terms, SteadyRun run) {
    this.run = run;
    this.accounts = accounts;
    this.period = period;
    this.terms = terms;
    this.whole = new DeviceUsage(WHOLE, accounts, terms);
    this.energy = new Energy(whole, period, terms);
    devices.put(WHOLE, whole);
  }

  /** Identity of the GPU of a series. */
  static String of(Labels series) {
    String host = series.value("Hostname");
    host = host.isEmpty() ? series.value("instance") : host;
    if (series.metric().equals(Measure.HOST_MEMORY.metric)) {
      return host + "//" + series.value("slot");
    }
    String uuid = series.value("UUID");
    uuid = uuid.isEmpty() ? series.value("uuid") : uuid;
    return uuid.isEmpty() ? host + "/" + series.value("gpu") : uuid;
  }

  /** Takes samples of the next piece. */
  void give(Measure measure, Series samples) {
    Track track = tracks.get(samples.labels());
    if (track == null) {
      track =
          new Track(samples.labels(), measure, accounts.device(samples.labels()), terms.lookback());
      tracks.put(track.labels, track);
      coming.add(track);
    }
    track.give(samples);
  }

  private static String instance(Track track) {
    return track.measure.isOfGpu() ? WHOLE : track.labels.value(INSTANCE);
  }

  /** Goes through the piece. */
  void advance(long to) {
    coming.sort(Comparator.comparingLong((Track track) -> track.next()).reversed());
    while (true) {
      long time = coming.isEmpty() ? Long.MAX_VALUE : coming.getLast().next();
      for (int i = 0; i < there.size(); i++) {
        time = Math.min(time, there.get(i).next());
      }
      if (time > to) {
        break;
      }
      write(now, time);
      begin(time);
      move(time);
      now = time;
      forgetDone();
      skip();
    }
  }

  /** Returns true if nothing will come of it unless it is given samples. */
  boolean isDone(long to) {
    return tracks.isEmpty() && now < to - 2 * terms.lookback() - terms.bridge();
  }

  /** Series with a first sample at a time are there from then on. */
  private void begin(long time) {
    while (!coming.isEmpty() && coming.getLast().next() <= time) {
      Track track = coming.removeLast();
      there.add(track);
      devices
          .computeIfAbsent(instance(track), name -> new DeviceUsage(name, accounts, terms))
          .add(track);
    }
  }

  /** Goes through the ticks at which nothing changes but values. */
  private void skip() {
    boolean isIn = now >= period.from() && now < period.to();
    long before =
        now < period.from()
            ? period.from()
            : isIn ? period.end(period.interval(now)) : Long.MAX_VALUE;
    before = coming.isEmpty() ? before : Math.min(before, coming.getLast().next());
    if (!run.find(there, now, before) || !energy.isSteady(now, now + run.firstWidth())) {
      return;
    }
    Slot counter = energy.covers(now, now + run.firstWidth());
    if (isIn) {
      write(counter, period.interval(now));
    }
    long end = run.end();
    for (Track track : there) {
      track.skip(now, end, run.ticks());
    }
    for (DeviceUsage device : devices.values()) {
      device.skip(now, end);
      if (device.isCounted()) {
        wholeCounted = device == whole ? end : wholeCounted;
        instancesCounted = device == whole ? instancesCounted : end;
      }
    }
    energy.skip(counter, now, end);
    now = end;
  }

  /** Writes down a steady run. */
  private void write(Slot counter, int interval) {
    for (DeviceUsage device : devices.values()) {
      if (device.isCounted()) {
        run.write(device, interval);
      }
      for (Slot slot : device.slots()) {
        if (slot.measure.role == Measure.Role.COUNTER && slot.isSteady(now)) {
          Amount amount = slot.measure.amount();
          if (amount != Amount.ENERGY || slot == counter) {
            run.count(slot, device.stretches.last(), amount, interval);
          }
        }
      }
    }
    if (counter == null && whole.has(Measure.POWER)) {
      run.estimate(whole, interval);
    }
  }

  /** Ends; nothing comes any more. */
  void finish() {
    energy.settle(Long.MAX_VALUE);
  }

  private void move(long time) {
    for (Track track : there) {
      track.moveTo(time);
    }
    boolean isAnyInstance = false;
    for (DeviceUsage device : devices.values()) {
      device.look(time);
      isAnyInstance |= device != whole && device.isLive();
    }
    // A GPU that falls silent together with its instances stays divided.
    isDivided = isAnyInstance || isDivided && !whole.isSampledAt(time);
    List<DeviceUsage.Gap> ofInstances = new ArrayList<>();
    Split inGap = whole.nobody();
    for (DeviceUsage device : devices.values()) {
      boolean isWhole = device == whole;
      DeviceUsage.Gap open = device.openGap(time);
      DeviceUsage.Gap ended =
          device.update(
              time,
              device.isLive() && !(isWhole && isDivided),
              isWhole ? instancesCounted : wholeCounted);
      if (ended != null && ended.isAllocated()) {
        hold(ended);
      }
      DeviceUsage.Gap gap = ended == null ? open : ended;
      if (isWhole) {
        inGap = gap == null ? inGap : gap.split();
        continue;
      }
      if (ended != null) {
        device.stretches.know(ended.split());
      }
      if (gap != null) {
        ofInstances.add(gap);
      }
      device.stretches.begin(time, device.isLive() ? device.split() : null);
      device.stretches.forget(time - terms.bridge());
    }
    Split counting = ofCounters(isAnyInstance);
    if (counting != null) {
      whole.stretches.know(isAnyInstance ? inGap(ofInstances, inGap) : inGap);
    }
    whole.stretches.begin(time, counting);
    whole.stretches.forget(time - terms.bridge());
    for (DeviceUsage device : devices.values()) {
      count(device, time);
    }
    energy.settle(time);
  }

  /** Whose the counters of the GPU are; null while that is not known. */
  private Split ofCounters(boolean isAnyInstance) {
    if (!isAnyInstance) {
      return whole.isCounted() ? whole.split() : whole.isLive() ? whole.nobody() : null;
    }
    List<Split> splits = new ArrayList<>();
    List<Long> weights = new ArrayList<>();
    for (DeviceUsage device : devices.values()) {
      if (device != whole && device.isLive()) {
        splits.add(device.split());
        weights.add(device.slices());
      }
    }
    Split now = Split.of(splits, weights.stream().mapToLong(Long::longValue).toArray());
    combined = combined != null && combined.isSame(now) ? combined : now;
    return combined;
  }

  /**
   * Whose the counters of a divided GPU were while none of its instances had a value: each
   * instance's part is its owner's, if it has the same one afterwards, or else nobody's.
   *
   * @param nobody if no instance has
   */
  private static Split inGap(List<DeviceUsage.Gap> gaps, Split nobody) {
    long began = gaps.stream().mapToLong(DeviceUsage.Gap::from).max().orElse(Long.MAX_VALUE);
    List<DeviceUsage.Gap> parts =
        gaps.stream().filter(each -> each.isSame() || each.from() == began).toList();
    return parts.stream().anyMatch(DeviceUsage.Gap::isSame)
        ? Split.of(
            parts.stream().map(DeviceUsage.Gap::split).toList(),
            parts.stream().mapToLong(DeviceUsage.Gap::slices).toArray())
        : nobody;
  }

  // --- writing down ---

  private void write(long from, long to) {
    long start = Math.max(from, period.from());
    long end = Math.min(to, period.to());
    for (DeviceUsage device : devices.values()) {
      if (device.isCounted() && to > from) {
        if (device == whole) {
          wholeCounted = to;
        } else {
          instancesCounted = to;
        }
        for (long at = start; at < end; ) {
          int interval = period.interval(at);
          long until = Math.min(end, period.end(interval));
          device.write(interval, until - at, until == period.end(interval));
          at = until;
        }
      }
    }
    energy.use(start, end);
  }

  private void hold(DeviceUsage.Gap gap) {
    long end = Math.min(gap.to(), period.to());
    for (long at = Math.max(gap.from(), period.from()); at < end; ) {
      int interval = period.interval(at);
      long until = Math.min(end, period.end(interval));
      DeviceUsage.hold(gap.split(), Amount.UNKNOWN, interval, until - at);
      at = until;
    }
  }

  private void count(DeviceUsage device, long time) {
    for (Slot slot : device.slots()) {
      if (slot.measure.role != Measure.Role.COUNTER || slot.since() != time || !slot.isHeld()) {
        continue;
      }
      long last = slot.countedAt();
      boolean isFirst = last == Long.MIN_VALUE || time - last > terms.bridge();
      long increase = slot.count();
      if (slot.measure.amount() == Amount.ENERGY) {
        energy.count(slot, isFirst ? time : last, increase);
      } else if (!isFirst) {
        Increase.write(device.stretches, slot.measure.amount(), last, time, increase, period);
      }
    }
  }

  private void forgetDone() {
    for (int i = there.size() - 1; i >= 0; i--) {
      Track track = there.get(i);
      if (track.isDone()) {
        Track last = there.removeLast();
        if (last != track) {
          there.set(i, last);
        }
        tracks.remove(track.labels);
        devices.get(instance(track)).remove(track);
      }
    }
  }
}
