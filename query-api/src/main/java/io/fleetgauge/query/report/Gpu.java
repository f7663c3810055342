package io.fleetgauge.query.report;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One measure of a GPU and of its MIG instances, on its way through time. */
final class Gpu {
  private static final String INSTANCE = "GPU_I_ID";

  private final Measure measure;
  private final long lookback;
  private final Groups groups;
  private final Map<Labels, Track> tracks = new LinkedHashMap<>();
  private final Map<String, Device> devices = new HashMap<>();
  private Map<Group, Share> shares = new HashMap<>();

  /** True if some of the values are older than others. */
  private boolean isUneven;

  /** Share of a group in the GPU. */
  private static final class Share {
    long value;
    int devices;
    String last = null;

    void add(String device, long more) {
      value += more;
      if (!device.equals(last)) {
        devices++;
        last = device;
      }
    }
  }

  Gpu(Measure measure, long lookback, Groups groups) {
    this.measure = measure;
    this.lookback = lookback;
    this.groups = groups;
  }

  /** Identity of the GPU of a series. */
  static String of(Labels series) {
    String uuid = series.value("UUID");
    uuid = uuid.isEmpty() ? series.value("uuid") : uuid;
    if (!uuid.isEmpty()) {
      return uuid;
    }
    String host = series.value("Hostname");
    return (host.isEmpty() ? series.value("instance") : host) + "/" + series.value("gpu");
  }

  /** Takes samples of the next piece. */
  void give(Measure.Source source, Series samples) {
    Track track = tracks.get(samples.labels());
    if (track == null) {
      track = new Track(samples.labels(), source, lookback);
      tracks.put(track.labels, track);
      devices.computeIfAbsent(track.labels.value(INSTANCE), none -> new Device()).add(track);
    }
    track.give(samples);
  }

  /** Goes through the piece. */
  void advance(long to) throws QueryFailure {
    List<Track> all = new ArrayList<>(tracks.values());
    while (true) {
      long time = Long.MAX_VALUE;
      for (Track track : all) {
        time = Math.min(time, track.next());
      }
      if (time > to) {
        break;
      }
      if (move(all, time)) {
        divide(time);
      }
    }
    forgetDone();
  }

  /** Moves the tracks to a time; returns true if groups may change. */
  private boolean move(List<Track> all, long time) {
    boolean changed = false;
    boolean stayed = false;
    for (Track track : all) {
      switch (track.moveTo(time)) {
        case CHANGED -> changed = true;
        case SAME -> {}
        case NONE -> stayed |= track.isHeld();
      }
    }
    // A newer sample with the same value counts for more than those that stay behind.
    boolean uneven = stayed || isUneven;
    isUneven = stayed;
    return changed || uneven;
  }

  private void divide(long time) throws QueryFailure {
    Map<Group, Share> now = new HashMap<>();
    Share all = new Share();
    boolean isDivided = false;
    for (Map.Entry<String, Device> device : devices.entrySet()) {
      isDivided |= !device.getKey().isEmpty() && device.getValue().hasValue();
    }
    for (Map.Entry<String, Device> device : devices.entrySet()) {
      String name = device.getKey();
      if (isDivided && name.isEmpty()) {
        continue;
      }
      device
          .getValue()
          .divide(
              groups,
              (group, value) -> {
                now.computeIfAbsent(group, none -> new Share()).add(name, value);
                all.add(name, value);
              });
    }
    now.put(groups.all(), all);
    now.forEach((group, share) -> change(group, time, shares.get(group), share));
    shares.forEach(
        (group, before) -> {
          if (!now.containsKey(group)) {
            change(group, time, before, null);
          }
        });
    shares = now;
  }

  private void change(Group group, long time, Share before, Share after) {
    long value = (after == null ? 0 : after.value) - (before == null ? 0 : before.value);
    int number = (after == null ? 0 : after.devices) - (before == null ? 0 : before.devices);
    if (value != 0 || number != 0) {
      group.account(measure).change(time, value, number);
    }
  }

  private void forgetDone() {
    for (Iterator<Track> each = tracks.values().iterator(); each.hasNext(); ) {
      Track track = each.next();
      if (track.isDone()) {
        each.remove();
        String instance = track.labels.value(INSTANCE);
        devices.get(instance).remove(track);
        if (devices.get(instance).isEmpty()) {
          devices.remove(instance);
        }
      }
    }
  }

  /** Returns true if nothing will come of it unless it is given samples. */
  boolean isDone() {
    return tracks.isEmpty();
  }
}
