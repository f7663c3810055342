package io.fleetgauge.gateway.store;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.store.block.Block;
import java.util.Optional;

/** A cache of the rollups of blocks. Safe for all threads. */
final class SealedRollups {
  private static final long MAX_BYTES = Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 8);

  private final Cache<Key, Optional<RollupPage>> pages =
      Caffeine.newBuilder()
          .maximumWeight(MAX_BYTES)
          .weigher((Key key, Optional<RollupPage> page) -> page.map(RollupPage::bytes).orElse(100))
          .recordStats()
          .build();

  /** Blocks are compared by identity. */
  private record Key(Block block, RollupKey rollup) {}

  CacheUse use() {
    return CacheUse.of(pages);
  }

  /** A block's rollup; empty if it has none. */
  Optional<RollupPage> page(Block block, RollupKey rollup) {
    return pages.get(new Key(block, rollup), key -> key.block.rollup(key.rollup));
  }
}
