package io.fleetgauge.query.cache;

import io.fleetgauge.promql.fragment.FragmentAnswer;
import java.util.Arrays;

/**
 * When which time last changed anywhere in the fleet, as far as the gateways have told. Stamps
 * count what was told: whatever was read when a stamp was newest is still so while no later stamp
 * stands at the time that it was read from. Safe for all threads.
 */
public final class Versions {
  /** Fifteen days of five seconds; a change that is pushed out by a later time counts for all. */
  private static final int BUCKETS = 1 << 18;

  private static final int PER_MINUTE = (int) (60_000 / FragmentAnswer.BUCKET_MILLIS);
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

  /** Notes what changed; one stamp for all of it. */
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

  /** Anything may have changed. */
  public synchronized void allChanged() {
    allAt = ++stamp;
  }

  /** The newest stamp. */
  public synchronized long stamp() {
    return stamp;
  }

  /**
   * Whether what was read at a stamp still holds.
   *
   * @param after the time that was read begins behind this, ms
   * @param to the last time that was read, ms
   */
  public synchronized boolean isUnchanged(long after, long to, long since) {
    if (allAt > since) {
      return false;
    }
    if (stamp == since || to <= after) {
      return true;
    }
    long first = FragmentAnswer.bucket(after + 1);
    long last = FragmentAnswer.bucket(to);
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
