package io.fleetgauge.gateway.store;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.store.block.Block;
import java.util.Optional;

/**
 * Caches of the rollups of a store: of those that were read from blocks, and of those that were
 * computed of samples. Safe for all threads.
 */
final class RollupPages {
  private static final long MAX_BYTES = Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 32);

  private final Cache<OfBlock, Optional<RollupPage>> sealed =
      Caffeine.newBuilder()
          .maximumWeight(MAX_BYTES / 2)
          .weigher(
              (OfBlock key, Optional<RollupPage> page) -> page.map(RollupPage::bytes).orElse(100))
          .recordStats()
          .build();

  private final Cache<Place, ComputedStretch> computed =
      Caffeine.newBuilder()
          .maximumWeight(MAX_BYTES)
          .weigher(
              (Place key, ComputedStretch each) -> 200 + each.page.map(RollupPage::bytes).orElse(0))
          .recordStats()
          .build();

  /** Blocks are compared by identity. */
  private record OfBlock(Block block, RollupKey rollup) {}

  /**
   * Where a computed page belongs.
   *
   * @param lane stands for the lane, compared by identity; not the lane itself, so that no samples
   *     are held that have been forgotten
   * @param stretch number of the stretch of time, counted from the epoch
   */
  record Place(Object lane, RollupKey rollup, long stretch) {}

  /**
   * The result of computing a stretch.
   *
   * @param page empty if the values cannot be aggregated exactly
   * @param first the time of the first step, ms
   * @param end the time after the last step, ms
   * @param madeAt the number of the store's last change before samples were read
   */
  record ComputedStretch(Optional<RollupPage> page, long first, long end, long madeAt) {}

  CacheUse sealedUse() {
    return CacheUse.of(sealed);
  }

  CacheUse computedUse() {
    return CacheUse.of(computed);
  }

  /** A block's rollup; empty if it has none. */
  Optional<RollupPage> sealed(Block block, RollupKey rollup) {
    return sealed.get(new OfBlock(block, rollup), key -> key.block.rollup(key.rollup));
  }

  /** The result that was computed before; null if there is none. */
  ComputedStretch computed(Place place) {
    return computed.getIfPresent(place);
  }

  void keep(Place place, ComputedStretch made) {
    computed.put(place, made);
  }
}
