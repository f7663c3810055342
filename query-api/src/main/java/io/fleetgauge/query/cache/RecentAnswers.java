package io.fleetgauge.query.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToIntBiFunction;

/**
 * Whole answers of the last minute, for the many viewers of one dashboard: an equal query gets the
 * same answer as long as nothing that it read has changed. Thread-safe.
 */
public final class RecentAnswers<K, V> {
  private static final Duration KEPT = Duration.ofSeconds(60);

  private final Versions versions;
  private final Cache<K, Entry<V>> answers;
  private final LongAdder hits = new LongAdder();

  /** An answer, and when it was read. */
  private record Entry<V>(V answer, ReadTime read) {}

  /**
   * @param bytes most memory for all answers
   * @param size of a key and its answer in bytes, about
   */
  public RecentAnswers(Versions versions, long bytes, ToIntBiFunction<K, V> size) {
    this.versions = versions;
    this.answers =
        Caffeine.newBuilder()
            // Its upkeep takes less time than another thread takes to wake up.
            .executor(Runnable::run)
            .maximumWeight(bytes)
            .weigher((K key, Entry<V> entry) -> size.applyAsInt(key, entry.answer))
            .expireAfterAccess(KEPT)
            .build();
  }

  /** Returns true if there is an answer, valid or not. */
  public boolean has(K key) {
    return answers.getIfPresent(key) != null;
  }

  /** The answer, if it is still valid. */
  public Optional<V> find(K key) {
    Entry<V> entry = answers.getIfPresent(key);
    if (entry == null) {
      return Optional.empty();
    }
    if (!versions.isUnchanged(entry.read)) {
      answers.asMap().remove(key, entry);
      return Optional.empty();
    }
    hits.increment();
    return Optional.of(entry.answer);
  }

  public void keep(K key, V answer, ReadTime read) {
    answers.put(key, new Entry<>(answer, read));
  }

  /** Memory of the answers in bytes, about. */
  public long bytes() {
    return answers.policy().eviction().orElseThrow().weightedSize().orElseThrow();
  }

  public long hits() {
    return hits.sum();
  }
}
