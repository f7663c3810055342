package io.fleetgauge.probe.xid;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** XIDs by GPU and code. Any thread may count and look. */
public final class XidCounts {
  /** An error that a second source tells within this time is the same one. */
  static final long SAME_MILLIS = 2_000;

  private static final int MOST_DEVICES = 512;
  private static final int MOST_CODES = 256;

  /**
   * A code of a device as it was seen.
   *
   * @param count those since the probe began
   * @param last ms since the epoch
   */
  record Seen(String address, int code, long count, long last) {}

  private static final class Count {
    long count;
    long last;
    long saidAt = Long.MIN_VALUE / 2;
  }

  private static final class Device {
    final Map<Integer, Count> codes = new TreeMap<>();
    int lastCode;
    long lastAt = Long.MIN_VALUE;
  }

  private final LongSupplier clock;
  private final XidListener listener;
  private final Map<String, Device> devices = new TreeMap<>();
  private long overflows;

  /**
   * @param clock ms since the epoch
   */
  public XidCounts(LongSupplier clock) {
    this(clock, (address, code, time) -> {});
  }

  /**
   * @param listener takes what is counted
   */
  XidCounts(LongSupplier clock, XidListener listener) {
    this.clock = clock;
    this.listener = listener;
  }

  /** Counts an error that happens now; answers whether it is one that was not told already. */
  public boolean count(String address, int code) {
    long now = clock.getAsLong();
    boolean isNew = count(address, code, now);
    if (isNew) {
      listener.happened(address, code, now);
    }
    return isNew;
  }

  private synchronized boolean count(String address, int code, long now) {
    Count of = of(address, code);
    if (of == null) {
      return false;
    }
    boolean isSame = Math.abs(now - of.saidAt) < SAME_MILLIS;
    if (!isSame) {
      of.count++;
      of.saidAt = now;
      seen(address, code, of, now);
    }
    return !isSame;
  }

  /** Takes an error from before the probe began. */
  synchronized void remember(String address, int code, long at) {
    Count of = of(address, code);
    if (of != null) {
      seen(address, code, of, at);
    }
  }

  private void seen(String address, int code, Count of, long at) {
    of.last = Math.max(of.last, at);
    Device device = devices.get(address);
    if (at >= device.lastAt) {
      device.lastAt = at;
      device.lastCode = code;
    }
  }

  private Count of(String address, int code) {
    Device device = devices.get(address);
    if (device == null && devices.size() < MOST_DEVICES) {
      device = new Device();
      devices.put(address, device);
    }
    Count of = device == null ? null : device.codes.get(code);
    if (device != null && of == null && device.codes.size() < MOST_CODES) {
      of = new Count();
      device.codes.put(code, of);
    }
    overflows += of == null ? 1 : 0;
    return of;
  }

  /** The newest code of a device; 0 when there was none. */
  synchronized int last(String address) {
    Device device = devices.get(address);
    return device == null ? 0 : device.lastCode;
  }

  synchronized List<Seen> all() {
    List<Seen> all = new ArrayList<>();
    devices.forEach(
        (address, device) ->
            device.codes.forEach(
                (code, of) -> all.add(new Seen(address, code, of.count, of.last))));
    return all;
  }

  /** Errors that were not taken because there are too many devices or codes. */
  synchronized long overflows() {
    return overflows;
  }
}
