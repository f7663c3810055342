package io.fleetgauge.query.cache;

import io.fleetgauge.promql.lookup.TimeBucket;
import java.util.Arrays;

/**
 * When each stretch of time last changed anywhere in the fleet, as far as the shards have reported.
 * A stamp numbers a report. What was read when a stamp was the newest is still valid while the time
 * that was read has no later stamp. Thread-safe.
 */
public final class Versions {
  /**
   * Fifteen days of five seconds. When a later bucket takes the slot of an earlier one, everything
   * counts as changed.
   */
  private static final int BUCKETS = 1 << 18;

  private static final int PER_MINUTE = (int) (60_000 / TimeBucket.MILLIS);
  private static final int MINUTES = 1 << 15;

  private final long[] stamps = new long[BUCKETS];
  private final long[] bucketAt = new long[BUCKETS];
  private final long[] minuteStamps = new long[MINUTES];
  private final long[] minuteAt = new long[MINUTES];
  private long stamp = 1;
  private long allAt = 1;

  public Versions() {
    Arrays.fill(bucketAt, Long.MIN_VALUE);
    Arrays.fill(minuteAt, Long.MIN_VALUE);
  }

  /** Notes that buckets of time changed, all at one new stamp. */
  public synchronized void changed(Iterable<Long> buckets) {
    stamp++;
    for (long bucket : buckets) {
      int at = (int) (bucket & BUCKETS - 1);
      if (bucketAt[at] != bucket && bucketAt[at] != Long.MIN_VALUE) {
        allAt = stamp;
      }
      bucketAt[at] = bucket;
      stamps[at] = stamp;
      long minute = Math.floorDiv(bucket, PER_MINUTE);
      int place = (int) (minute & MINUTES - 1);
      if (minuteAt[place] != minute && minuteAt[place] != Long.MIN_VALUE) {
        allAt = stamp;
      }
      minuteAt[place] = minute;
      minuteStamps[place] = stamp;
    }
  }

  /** Notes that anything may have changed. */
  public synchronized void allChanged() {
    allAt = ++stamp;
  }

  /** The newest stamp. */
  public synchronized long stamp() {
    return stamp;
  }

  /** Returns true if what was read has not changed since its stamp. */
  public synchronized boolean isUnchanged(ReadTime read) {
    long after = read.after();
    long to = read.to();
    long since = read.stamp();
    if (allAt > since) {
      return false;
    }
    if (stamp == since || to <= after) {
      return true;
    }
    long first = TimeBucket.of(after + 1);
    long last = TimeBucket.of(to);
    if (last - first >= BUCKETS / 2) {
      return false;
    }
    for (long bucket = first; bucket <= last; ) {
      if (Math.floorMod(bucket, PER_MINUTE) == 0 && bucket + PER_MINUTE - 1 <= last) {
        long minute = Math.floorDiv(bucket, PER_MINUTE);
        int place = (int) (minute & MINUTES - 1);
        if (minuteAt[place] == minute && minuteStamps[place] > since) {
          return false;
        }
        bucket += PER_MINUTE;
      } else {
        int at = (int) (bucket & BUCKETS - 1);
        if (bucketAt[at] == bucket && stamps[at] > since) {
          return false;
        }
        bucket++;
      }
    }
    return true;
  }
}
