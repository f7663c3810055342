package io.fleetgauge.probe.nvml;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * Statistics of the calls of one thread: how long they took, what failed, and which is in progress.
 * One thread makes calls; any thread may look.
 */
public final class CallLog {
  private static final int CALLS = NvmlCall.values().length;

  /** Return codes up to 30, and one place for all others. */
  private static final int CODES = 32;

  /** Upper bounds of the buckets of durations in ns; one more is open. */
  private static final long[] BOUNDS = {
    1_000_000, 10_000_000, 100_000_000, 1_000_000_000L, 10_000_000_000L, 60_000_000_000L
  };

  private static final String[] BOUND_LABELS = {"0.001", "0.01", "0.1", "1", "10", "60", "+Inf"};
  private static final int BUCKETS = BOUNDS.length + 1;
  private static final long SECOND = 1_000_000_000L;

  private final LongSupplier nanos;
  private final AtomicLongArray errors = new AtomicLongArray(CALLS * CODES);
  private final AtomicLongArray durations = new AtomicLongArray(CALLS * BUCKETS);
  private final AtomicLongArray sums = new AtomicLongArray(CALLS);
  private volatile long slow;
  private volatile long made;

  /** The call in progress: its place in {@link NvmlCall} and its GPU; -1 for none. */
  private volatile int call = -1;

  private volatile int gpu;
  private volatile long since;

  /** A call in progress, as other threads see it. */
  public record InProgress(NvmlCall call, int gpu, long nanos) {}

  /**
   * @param nanos a clock that only moves forward
   */
  public CallLog(LongSupplier nanos) {
    this.nanos = nanos;
  }

  void begin(NvmlCall next, int ofGpu) {
    since = nanos.getAsLong();
    gpu = ofGpu;
    call = next.ordinal();
  }

  void end(int code) {
    int ended = call;
    call = -1;
    long duration = nanos.getAsLong() - since;
    int bucket = 0;
    while (bucket < BOUNDS.length && duration > BOUNDS[bucket]) {
      bucket++;
    }
    add(durations, ended * BUCKETS + bucket, 1);
    add(sums, ended, duration);
    made = made + 1;
    if (duration >= SECOND) {
      slow = slow + 1;
    }
    if (code != NvmlReturn.SUCCESS) {
      failed(ended, code);
    }
  }

  /** Counts a failure inside a call that succeeded as a whole. */
  public void failed(NvmlCall inside, int code) {
    failed(inside.ordinal(), code);
  }

  private void failed(int ordinal, int code) {
    int place = code >= 0 && code < CODES - 1 ? code : CODES - 1;
    add(errors, ordinal * CODES + place, 1);
  }

  /** Only one thread writes. */
  private static void add(AtomicLongArray counts, int at, long more) {
    counts.lazySet(at, counts.get(at) + more);
  }

  /** The call in progress; null when there is none. */
  public InProgress inProgress() {
    long began = since;
    int ofGpu = gpu;
    int now = call;
    return now < 0 || began != since
        ? null
        : new InProgress(NvmlCall.values()[now], ofGpu, nanos.getAsLong() - began);
  }

  /** Calls that returned. */
  public long made() {
    return made;
  }

  /** Those of them that took a second or longer. */
  public long slow() {
    return slow;
  }

  /** Failures of calls, by the call and the code that NVML returned. */
  public Map<List<String>, Long> errors() {
    Map<List<String>, Long> counts = new HashMap<>();
    for (int i = 0; i < errors.length(); i++) {
      long count = errors.get(i);
      if (count > 0) {
        int place = i % CODES;
        String code = Integer.toString(place == CODES - 1 ? NvmlReturn.UNKNOWN : place);
        counts.put(List.of(NvmlCall.values()[i / CODES].label(), code), count);
      }
    }
    return counts;
  }

  /** Takes the durations of one call, in seconds; buckets are cumulative. */
  public interface Durations {
    void bucket(String call, String bound, long count);

    void sum(String call, double seconds, long count);
  }

  /** The durations of every call that was made at least once. */
  public void eachDuration(Durations out) {
    for (int i = 0; i < CALLS; i++) {
      long count = 0;
      for (int bucket = 0; bucket < BUCKETS; bucket++) {
        count += durations.get(i * BUCKETS + bucket);
      }
      if (count == 0) {
        continue;
      }
      String label = NvmlCall.values()[i].label();
      long upTo = 0;
      for (int bucket = 0; bucket < BUCKETS; bucket++) {
        upTo += durations.get(i * BUCKETS + bucket);
        out.bucket(label, BOUND_LABELS[bucket], upTo);
      }
      out.sum(label, sums.get(i) / (double) SECOND, count);
    }
  }
}
