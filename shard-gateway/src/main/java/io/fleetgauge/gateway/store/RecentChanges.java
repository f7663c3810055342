package io.fleetgauge.gateway.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The times of one host whose samples have changed recently, so that caches can check whether their
 * entries are still valid. One counter numbers the changes of all hosts. Safe for all threads.
 *
 * <p>A number is drawn and its change recorded under one lock, so that a reader of the counter that
 * then asks each host misses none.
 *
 * <p>Law: a change is recorded before the sample that made it is acknowledged. For changes too old
 * to be distinguished the answer is that any time may have changed.
 */
final class RecentChanges {
  private static final long BUCKET_MILLIS = 5_000;

  /** An hour of ticks, and late samples. */
  private static final int MAX_BUCKETS = 1_024;

  private final AtomicLong counter;
  private final LinkedHashMap<Long, Long> byBucket = new LinkedHashMap<>();
  private long newestBucket = Long.MIN_VALUE;
  private long allAt;
  private long last;

  /**
   * @param counter numbers the changes of all hosts of the store
   */
  RecentChanges(AtomicLong counter) {
    this.counter = counter;
    all();
  }

  /**
   * Bucket n is the time after 5 s n and up to 5 s (n + 1): left-open, as windows of PromQL are.
   */
  private static long bucket(long time) {
    return Math.floorDiv(time - 1, BUCKET_MILLIS);
  }

  /** Samples of a time have been written, ms. */
  synchronized void at(long time) {
    long bucket = bucket(time);
    long change = counter.incrementAndGet();
    if (bucket != newestBucket) {
      // In order of their last change, so that the oldest is removed first.
      byBucket.remove(bucket);
      newestBucket = bucket;
      if (byBucket.size() == MAX_BUCKETS) {
        var eldest = byBucket.entrySet().iterator();
        allAt = Math.max(allAt, eldest.next().getValue());
        eldest.remove();
      }
    }
    byBucket.put(bucket, change);
    last = change;
  }

  /** Any time may have changed. */
  synchronized void all() {
    allAt = counter.incrementAndGet();
    byBucket.clear();
    newestBucket = Long.MIN_VALUE;
    last = allAt;
  }

  /** The changes since the change with a number; empty if there are none. */
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
   * The first time after {@code after} and up to {@code to} of which a sample may have changed
   * since the change with a number, ms; empty if none has.
   */
  synchronized OptionalLong firstSince(long number, long after, long to) {
    if (last <= number) {
      return OptionalLong.empty();
    }
    if (allAt > number) {
      return OptionalLong.of(after + 1);
    }
    long first = bucket(after + 1);
    long end = bucket(to);
    long found = Long.MAX_VALUE;
    for (var change : byBucket.sequencedEntrySet().reversed()) {
      if (change.getValue() <= number) {
        break;
      }
      if (change.getKey() >= first && change.getKey() <= end) {
        found = Math.min(found, change.getKey());
      }
    }
    return found == Long.MAX_VALUE
        ? OptionalLong.empty()
        : OptionalLong.of(Math.max(after, found * BUCKET_MILLIS) + 1);
  }

  /**
   * Returns true if no sample after {@code after} and up to {@code to} has changed since the change
   * with a number.
   */
  synchronized boolean isUnchanged(long number, long after, long to) {
    return firstSince(number, after, to).isEmpty();
  }
}
