package io.fleetgauge.gateway.store;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.stats.CacheStats;

/**
 * What a bounded cache is good for.
 *
 * @param held how much it holds, in what its limit counts
 * @param limit the most it may hold
 * @param evicted how many things gave way to others
 */
public record CacheUse(long held, long limit, long hits, long misses, long evicted) {
  /**
   * @param cache with a limit, and with statistics
   */
  public static CacheUse of(Cache<?, ?> cache) {
    var limit = cache.policy().eviction().orElseThrow();
    CacheStats stats = cache.stats();
    return new CacheUse(
        limit.weightedSize().orElseGet(cache::estimatedSize),
        limit.getMaximum(),
        stats.hitCount(),
        stats.missCount(),
        stats.evictionCount());
  }
}
