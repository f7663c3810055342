package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.SameTime;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.RunDictionary;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The run in which this gateway sends samples to the owner of one host. It collects the samples of
 * a request and encodes them as frames, one for each time. One thread at a time.
 */
final class HostRun {
  /** Samples that are so little behind the newest one of their host are not too old. */
  private static final long MAX_BEHIND_MILLIS = 60_000;

  /** A run of so many bytes of labels is nearly full. */
  private static final int FULL_BYTES = RunDictionary.MAX_BYTES / 8 * 7;

  final String host;
  private final FrameEncoder encoder;
  private int[] ids = new int[64];
  private long[] times = new long[64];
  private double[] values = new double[64];
  private Histogram[] histograms;
  private int size;

  /** The newest time that was added of each series, ms. */
  private long[] newest = new long[0];

  private long newestOfAll = Long.MIN_VALUE;
  private boolean isNew = true;

  /** Where samples are that contradict others. */
  private final List<Integer> contradictions = new ArrayList<>();

  /** The series of the last sample that was not the first one at its time. */
  private int repeatedId = -1;

  private Labels repeated = Labels.EMPTY;

  HostRun(String host, long run) {
    this.host = host;
    this.encoder = new FrameEncoder(host, run);
  }

  int number(Labels labels) {
    return encoder.number(labels);
  }

  /** Returns true if a new run should begin, because this one is about to reach a limit. */
  boolean isFull() {
    return encoder.seriesCount() >= RunDictionary.MAX_SERIES / 2
        || encoder.dictionaryBytes() >= FULL_BYTES;
  }

  /** Returns true if no owner takes the labels of this run any more. */
  boolean isOverLimit() {
    return encoder.seriesCount() > RunDictionary.MAX_SERIES
        || encoder.dictionaryBytes() > RunDictionary.MAX_BYTES;
  }

  byte[] dictionary() {
    return encoder.dictionary();
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  /**
   * Returns true if each sample that was added is newer than all of its series before, and of about
   * the newest time of the host: its owner, which has those before, has no reason to refuse it.
   */
  boolean isNew() {
    return isNew;
  }

  /** The owner may have a reason to refuse one of the samples that were added. */
  void doubt() {
    isNew = false;
  }

  /** Nothing is known any more of what the owner has. */
  void notKept() {
    newest = new long[0];
    newestOfAll = Long.MIN_VALUE;
  }

  private void compare(int id, long time) {
    if (id >= newest.length) {
      int known = newest.length;
      newest = Arrays.copyOf(newest, Math.max(2 * known, id + 64));
      Arrays.fill(newest, known, newest.length, Long.MIN_VALUE);
    }
    long before = newest[id];
    if (before == Long.MIN_VALUE || time <= before || time < newestOfAll - MAX_BEHIND_MILLIS) {
      isNew = false;
    }
    newest[id] = Math.max(before, time);
    newestOfAll = Math.max(newestOfAll, time);
  }

  void add(int id, long time, double value) {
    compare(id, time);
    if (size == ids.length) {
      ids = Arrays.copyOf(ids, 2 * size);
      times = Arrays.copyOf(times, 2 * size);
      values = Arrays.copyOf(values, 2 * size);
      histograms = histograms == null ? null : Arrays.copyOf(histograms, 2 * size);
    }
    ids[size] = id;
    times[size] = time;
    values[size] = value;
    size++;
  }

  void add(int id, long time, Histogram histogram) {
    add(id, time, Staleness.MARKER);
    if (histograms == null) {
      histograms = new Histogram[ids.length];
    }
    histograms[size - 1] = histogram;
  }

  void clear() {
    isNew = true;
    size = 0;
    histograms = null;
  }

  /**
   * Frames of all samples that were added, in order of time; removes the samples.
   *
   * @param contradicting receives what names a sample that is left out because another one of its
   *     series and time was added before, with another value; the text costs time, and a request
   *     may have many of them
   */
  byte[] encode(Consumer<Supplier<String>> contradicting) {
    WireWriter body = new WireWriter(64 + 4 * size);
    long[] order = new long[size];
    Map<Long, Integer> groups = groups();
    int[][] byGroup = members(groups);
    for (int[] members : byGroup) {
      for (int i = 0; i < members.length; i++) {
        order[i] = (long) ids[members[i]] << 32 | members[i];
      }
      Arrays.sort(order, 0, members.length);
      encode(order, members.length, body);
    }
    for (int at : contradictions) {
      int id = ids[at];
      long time = times[at];
      contradicting.accept(
          () ->
              "duplicate sample for timestamp "
                  + time
                  + " in the request; the first one counts: "
                  + encoder.labels(id));
    }
    contradictions.clear();
    clear();
    return body.toBytes();
  }

  /** The times, ascending, each with its number. */
  private Map<Long, Integer> groups() {
    long last = times[0];
    boolean one = true;
    for (int i = 1; i < size && one; i++) {
      one = times[i] == last;
    }
    if (one) {
      return Map.of(last, 0);
    }
    long[] sorted = Arrays.copyOf(times, size);
    Arrays.sort(sorted);
    Map<Long, Integer> groups = new HashMap<>();
    for (long time : sorted) {
      groups.putIfAbsent(time, groups.size());
    }
    return groups;
  }

  private int[][] members(Map<Long, Integer> groups) {
    int[] sizes = new int[groups.size()];
    int[] groupOf = new int[size];
    for (int i = 0; i < size; i++) {
      int group = groups.size() == 1 ? 0 : groups.get(times[i]);
      groupOf[i] = group;
      sizes[group]++;
    }
    int[][] members = new int[sizes.length][];
    for (int i = 0; i < sizes.length; i++) {
      members[i] = new int[sizes[i]];
    }
    Arrays.fill(sizes, 0);
    for (int i = 0; i < size; i++) {
      members[groupOf[i]][sizes[groupOf[i]]++] = i;
    }
    return members;
  }

  /**
   * Encodes one of several samples of a series at one time, as {@link SameTime} decides; others
   * that are not equal to it contradict it.
   */
  private void encode(long[] order, int count, WireWriter body) {
    int[] frameIds = new int[count];
    double[] frameValues = new double[count];
    Histogram[] frameHistograms = null;
    int next = 0;
    int before = -1;
    for (int i = 0; i < count; i++) {
      int id = (int) (order[i] >>> 32);
      int at = (int) order[i];
      if (next > 0 && frameIds[next - 1] == id) {
        if (!replaces(before, at)) {
          continue;
        }
        next--;
        if (frameHistograms != null) {
          frameHistograms[next] = null;
        }
      }
      before = at;
      frameIds[next] = id;
      frameValues[next] = values[at];
      if (histograms != null && histograms[at] != null) {
        frameHistograms = frameHistograms == null ? new Histogram[count] : frameHistograms;
        frameHistograms[next] = histograms[at];
      }
      next++;
    }
    byte[] frame =
        encoder.encode(
            times[(int) order[0]],
            Arrays.copyOf(frameIds, next),
            Arrays.copyOf(frameValues, next),
            frameHistograms == null ? null : Arrays.copyOf(frameHistograms, next));
    body.raw(frame, 0, frame.length);
  }

  /**
   * Returns true if a sample takes the place of the one before it, which is of its series and time.
   */
  private boolean replaces(int before, int at) {
    Histogram there = histograms == null ? null : histograms[before];
    Histogram here = histograms == null ? null : histograms[at];
    if (Double.doubleToRawLongBits(values[before]) == Double.doubleToRawLongBits(values[at])
        && Objects.equals(there, here)) {
      return false;
    }
    if (ids[at] != repeatedId) {
      repeatedId = ids[at];
      repeated = encoder.labels(repeatedId);
    }
    Labels series = repeated;
    if (SameTime.replaces(series, values[before], there, values[at], here)) {
      return true;
    }
    if (!SameTime.isImplied(series, values[before], there, values[at], here)) {
      contradictions.add(at);
    }
    return false;
  }
}
