package io.fleetgauge.gateway.store;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.stats.CacheStats;

/**
 * The use of a bounded cache.
 *
 * @param held its contents, in the unit of its limit
 * @param limit maximum of {@code held}
 * @param evicted how many entries were removed because of the limit or because they expired
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
