package io.fleetgauge.gateway.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Which buckets of one host's time have changed lately, so that whoever keeps answers can tell
 * whether they still hold. The changes of all hosts are numbered by one counter. Safe for all
 * threads.
 *
 * <p>A number is drawn and its change noted under one lock, so that who has read the counter and
 * then asks each host misses none.
 *
 * <p>Law: a change is here before the sample that made it is acknowledged. Of changes that are too
 * long ago to be told apart it is said that everything has changed.
 */
final class Changes {
  private static final long BUCKET_MILLIS = 5_000;

  /** An hour of ticks, and late ones. */
  private static final int MOST = 1_024;

  private final AtomicLong counter;
  private final LinkedHashMap<Long, Long> byBucket = new LinkedHashMap<>();
  private long newestBucket = Long.MIN_VALUE;
  private long allAt;
  private long last;

  /**
   * @param counter that of the store
   */
  Changes(AtomicLong counter) {
    this.counter = counter;
    all();
  }

  /**
   * Bucket n is the time after 5 s n and up to 5 s (n + 1): left-open, as windows of PromQL are.
   */
  private static long bucket(long time) {
    return Math.floorDiv(time - 1, BUCKET_MILLIS);
  }

  /** Samples of this time have been written, ms. */
  synchronized void at(long time) {
    long bucket = bucket(time);
    long change = counter.incrementAndGet();
    if (bucket != newestBucket) {
      // Those that changed last stand last, so that the eldest go first.
      byBucket.remove(bucket);
      newestBucket = bucket;
      if (byBucket.size() == MOST) {
        var eldest = byBucket.entrySet().iterator();
        allAt = Math.max(allAt, eldest.next().getValue());
        eldest.remove();
      }
    }
    byBucket.put(bucket, change);
    last = change;
  }

  /** Anything may have changed. */
  synchronized void all() {
    allAt = counter.incrementAndGet();
    byBucket.clear();
    newestBucket = Long.MIN_VALUE;
    last = allAt;
  }

  /** What has changed since the change of a number; empty when nothing has. */
  synchronized Optional<StoreChanges.OfHost> since(String host, long number) {
    if (last <= number) {
      return Optional.empty();
    }
    if (allAt > number) {
      return Optional.of(new StoreChanges.OfHost(host, true, List.of()));
    }
    List<StoreChanges.Range> ranges = new ArrayList<>();
    byBucket.forEach(
        (bucket, change) -> {
          if (change > number) {
            ranges.add(
                new StoreChanges.Range(bucket * BUCKET_MILLIS, (bucket + 1) * BUCKET_MILLIS));
          }
        });
    return Optional.of(new StoreChanges.OfHost(host, false, ranges));
  }

  /**
   * Whether nothing has changed in a time since the change of a number.
   *
   * @param after the time begins behind this, ms
   * @param to the last time, ms
   */
  synchronized boolean isUnchanged(long number, long after, long to) {
    if (last <= number) {
      return true;
    }
    if (allAt > number) {
      return false;
    }
    long first = bucket(after + 1);
    long end = bucket(to);
    for (var change : byBucket.sequencedEntrySet().reversed()) {
      if (change.getValue() <= number) {
        return true;
      }
      if (change.getKey() >= first && change.getKey() <= end) {
        return false;
      }
    }
    return true;
  }
}
