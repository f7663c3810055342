package io.fleetgauge.promql.usage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Ticks in a row at which the series of a GPU have new values and nothing else changes: all of them
 * are sampled, and who has the GPU stays. It is what nearly all of the time is made of, so it is
 * written down metric by metric, in loops over arrays.
 */
final class SteadyRun {
  private static final int MAX_TICKS = 1 << 15;

  private final UsageTerms terms;
  private final List<long[]> buffers = new ArrayList<>();
  private final long[] widths = new long[MAX_TICKS];
  private long start;
  private long end;
  private int ticks;
  private boolean isEven;

  SteadyRun(UsageTerms terms) {
    this.terms = terms;
  }

  /**
   * Finds the ticks that follow a time.
   *
   * @param tracks all that have a value at the time, or begin to
   * @param before the run ends before this time
   * @return false if there are too few
   */
  boolean find(List<Track> tracks, long now, long before) {
    Track leader = null;
    long bound = before;
    for (Track track : tracks) {
      if (track.isSteady(now)) {
        leader = leader == null ? track : leader;
      } else {
        bound = Math.min(bound, track.nextChange(now));
      }
    }
    if (leader == null) {
      return false;
    }
    int first = leader.next;
    int most = Math.min(leader.times.length, first + MAX_TICKS);
    int length = firstFrom(leader.times, first, most, bound) - first;
    for (Track track : tracks) {
      if (length < 2) {
        return false;
      }
      if (track.isSteady(now)) {
        length = track.steady(leader, length);
      }
    }
    return take(leader.times, first, length, now);
  }

  private static int firstFrom(long[] times, int from, int to, long time) {
    int at = from;
    // Most runs end with the piece.
    if (from < to && times[to - 1] < time) {
      return to;
    }
    while (at < to && times[at] < time) {
      at++;
    }
    return at;
  }

  private boolean take(long[] times, int first, int length, long now) {
    long most = Math.min(terms.lookback(), terms.bridge());
    long last = now;
    int count = 0;
    isEven = true;
    while (count < length && times[first + count] - last <= most) {
      widths[count] = times[first + count] - last;
      isEven &= widths[count] == widths[0];
      last = times[first + count++];
    }
    start = now;
    end = last;
    ticks = count;
    return ticks > 1;
  }

  long end() {
    return end;
  }

  long firstWidth() {
    return widths[0];
  }

  int ticks() {
    return ticks;
  }

  private long[] buffer(int i) {
    while (buffers.size() <= i) {
      buffers.add(new long[0]);
    }
    if (buffers.get(i).length < ticks) {
      buffers.set(i, new long[Math.max(ticks, 512)]);
    }
    return buffers.get(i);
  }

  // --- values, each of them until the next tick ---

  private void fill(Slot slot, long[] out) {
    fill(slot.newest().getFirst(), out);
    for (int i = 1; i < slot.newest().size(); i++) {
      Track track = slot.newest().get(i);
      for (int k = 0; k < ticks; k++) {
        out[k] = Math.max(out[k], track.value(k, start));
      }
    }
  }

  private void fill(Track track, long[] out) {
    if (track.isSteady(start)) {
      out[0] = track.value();
      System.arraycopy(track.wholes, track.next, out, 1, ticks - 1);
    } else {
      Arrays.fill(out, 0, ticks, track.value());
    }
  }

  private void add(UsageCell cell, Amount amount, long[] values) {
    if (isEven) {
      long sum = 0;
      for (int k = 0; k < ticks; k++) {
        sum += values[k];
      }
      cell.add(amount, sum, widths[0]);
    } else {
      for (int k = 0; k < ticks; k++) {
        cell.add(amount, values[k], widths[k]);
      }
    }
  }

  // --- writing down ---

  /** Writes down what the owners of a device have of it. */
  void write(DeviceUsage device, int interval) {
    long[] total = buffer(0);
    List<Track> memory = device.memoryParts();
    divide(
        device,
        device.slot(Measure.MEMORY),
        memory,
        total,
        Amount.MEMORY,
        Amount.MEMORY_TIME,
        interval);
    boolean isKnown =
        divide(
            device,
            device.activity(),
            device.parts(Measure.CONTAINER_ACTIVITY),
            total,
            Amount.ACTIVITY,
            Amount.ACTIVITY_TIME,
            interval);
    if (device.isAllocated()) {
      classify(device, isKnown, total, interval);
    }
    plain(device, Measure.SM, Amount.SM, Amount.SM_TIME, interval);
    plain(device, Measure.TENSOR, Amount.TENSOR, Amount.TENSOR_TIME, interval);
    plain(device, Measure.DRAM, Amount.DRAM, Amount.DRAM_TIME, interval);
    Measure ofHost = Measure.HOST_MEMORY;
    plain(device, ofHost, Amount.HOST_MEMORY, Amount.HOST_MEMORY_TIME, interval);
  }

  private void plain(DeviceUsage device, Measure measure, Amount sum, Amount time, int interval) {
    if (device.has(measure)) {
      long[] values = buffer(0);
      fill(device.slot(measure), values);
      DeviceUsage.hold(device.split(), time, interval, end - start);
      share(device.split(), sum, values, interval);
    }
  }

  private void share(Split split, Amount amount, long[] values, int interval) {
    long[] part = split.size() == 1 ? values : buffer(1);
    for (int i = 0; i < split.size(); i++) {
      for (int k = 0; split.size() > 1 && k < ticks; k++) {
        part[k] = split.part(i, values[k]);
      }
      UsageCell cell = split.accounts[i].cell(interval);
      add(cell, amount, part);
      if (amount == Amount.HOST_MEMORY) {
        cell.seeOfHost(most(part));
      }
    }
  }

  private long most(long[] values) {
    long most = 0;
    for (int k = 0; k < ticks; k++) {
      most = Math.max(most, values[k]);
    }
    return most;
  }

  /** Returns false if the value is not known. */
  private boolean divide(
      DeviceUsage device,
      Slot slot,
      List<Track> parts,
      long[] total,
      Amount sum,
      Amount time,
      int interval) {
    boolean isHeld = slot != null && slot.isHeld();
    if (!isHeld && parts.isEmpty()) {
      return false;
    }
    if (isHeld) {
      fill(slot, total);
    } else {
      Arrays.fill(total, 0, ticks, 0);
    }
    long[] rest = buffer(1);
    List<Account> who = new ArrayList<>(2);
    long[] value = buffer(2);
    Arrays.fill(rest, 0, ticks, 0);
    for (Track part : parts) {
      fill(part, value);
      long[] has = of(who, device.account(part));
      for (int k = 0; k < ticks; k++) {
        has[k] += value[k];
        rest[k] += value[k];
      }
    }
    for (int k = 0; k < ticks; k++) {
      total[k] = Math.max(total[k], rest[k]);
      rest[k] = total[k] - rest[k];
    }
    Split split = device.split();
    for (int i = 0; i < split.size(); i++) {
      long[] has = of(who, split.accounts[i]);
      for (int k = 0; k < ticks; k++) {
        has[k] += split.part(i, rest[k]);
      }
    }
    for (Account account : who) {
      long[] has = of(who, account);
      UsageCell cell = account.cell(interval);
      add(cell, sum, has);
      if (sum == Amount.MEMORY) {
        cell.see(most(has));
      }
    }
    DeviceUsage.hold(split, time, interval, end - start);
    return true;
  }

  /** What an account has at each tick; nothing at first. */
  private long[] of(List<Account> who, Account account) {
    int at = who.indexOf(account);
    if (at < 0) {
      at = who.size();
      who.add(account);
      Arrays.fill(buffer(3 + at), 0, ticks, 0);
    }
    return buffer(3 + at);
  }

  private void classify(DeviceUsage device, boolean isKnown, long[] activity, int interval) {
    Split split = device.split();
    if (!isKnown) {
      DeviceUsage.hold(split, Amount.UNKNOWN, interval, end - start);
      return;
    }
    boolean hasPower = device.has(Measure.POWER) && device.has(Measure.POWER_LIMIT);
    long[] power = buffer(1);
    long[] limit = buffer(2);
    if (hasPower) {
      fill(device.slot(Measure.POWER), power);
      fill(device.slot(Measure.POWER_LIMIT), limit);
    }
    long busy = 0;
    long powerful = 0;
    for (int k = 0; k < ticks; k++) {
      if (activity[k] >= terms.busy()) {
        busy += widths[k];
      } else if (hasPower && power[k] * UsageTerms.WHOLE >= limit[k] * terms.highPower()) {
        powerful += widths[k];
      }
    }
    DeviceUsage.hold(split, Amount.BUSY, interval, busy);
    DeviceUsage.hold(split, Amount.EXECUTION_IDLE, interval, powerful);
    DeviceUsage.hold(split, Amount.IDLE, interval, end - start - busy - powerful);
  }

  /** Writes down who had the power of a GPU that has no energy counter. */
  void estimate(DeviceUsage whole, int interval) {
    long[] power = buffer(0);
    fill(whole.slot(Measure.POWER), power);
    share(whole.stretches.last(), Amount.ENERGY_ESTIMATED, power, interval);
  }

  /** Writes down who had the increase of a counter that is sampled at each tick. */
  void count(Slot slot, Split split, Amount amount, int interval) {
    long[] values = buffer(0);
    // The first value is that of the start; the one of the last tick comes besides.
    fill(slot, values);
    long last = 0;
    for (Track track : slot.newest()) {
      last = Math.max(last, track.wholes[track.next + ticks - 1]);
    }
    for (int k = 0; k < ticks; k++) {
      long next = k + 1 < ticks ? values[k + 1] : last;
      values[k] = next >= values[k] ? next - values[k] : next;
    }
    for (int i = 0; i < split.size(); i++) {
      UsageCell cell = split.accounts[i].cell(interval);
      if (amount != Amount.ENERGY || split.size() == 1) {
        add(cell, amount, split, i, values, 1);
      } else {
        add(cell, Amount.ENERGY_ESTIMATED, split, i, values, Energy.MICRO);
      }
    }
  }

  private void add(UsageCell cell, Amount amount, Split split, int i, long[] values, long unit) {
    // Bytes since the driver was loaded may be many; a reset makes all of them an increase.
    for (int k = 0; k < ticks; ) {
      long sum = 0;
      for (; k < ticks && sum < 1L << 61 && values[k] < 1L << 61; k++) {
        sum += split.part(i, values[k]);
      }
      cell.add(amount, sum, unit);
      if (k < ticks && values[k] >= 1L << 61) {
        cell.add(amount, split.part(i, values[k++]), unit);
      }
    }
  }
}
