package io.fleetgauge.query.answer;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.cache.Versions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Answers of the last seconds as a whole, for the many who look at one dashboard: an equal question
 * joins the one that was answered, as it would have joined it under way, if nothing that it read
 * has changed since. Safe for all threads.
 */
final class Recent {
  private static final Duration KEPT = Duration.ofSeconds(60);
  private static final int POINT_BYTES = 16;

  /** Of a point, plain and compressed. */
  private static final int BODY_BYTES = 40;

  private final Versions versions;
  private final Cache<Ask.Key, Entry> answers;
  private final LongAdder hits = new LongAdder();

  /**
   * @param after what was read begins behind this, ms
   * @param to the last time that was read, ms
   * @param stamp the newest when it began
   */
  private record Entry(Answered answered, long after, long to, long stamp) {
    int bytes() {
      int points =
          switch (answered.result()) {
            case Answer.Matrix matrix ->
                matrix.series().stream().mapToInt(each -> each.size() + 20).sum();
            case Answer.Vector vector -> 20 * vector.samples().size();
            default -> 1;
          };
      // The body is written later; that there will be one of about this size is known.
      return 500 + points * (POINT_BYTES + BODY_BYTES) + answered.body().bytes();
    }
  }

  Recent(Versions versions, long bytes) {
    this.versions = versions;
    this.answers =
        Caffeine.newBuilder()
            .maximumWeight(bytes)
            .weigher((Ask.Key key, Entry entry) -> entry.bytes())
            .expireAfterAccess(KEPT)
            .build();
  }

  boolean has(Ask.Key key) {
    return answers.getIfPresent(key) != null;
  }

  /** The answer, if it still holds. */
  Optional<Answered> find(Ask.Key key) {
    Entry entry = answers.getIfPresent(key);
    if (entry == null) {
      return Optional.empty();
    }
    if (!versions.isUnchanged(entry.after, entry.to, entry.stamp)) {
      answers.asMap().remove(key, entry);
      return Optional.empty();
    }
    hits.increment();
    return Optional.of(entry.answered);
  }

  void keep(Ask.Key key, Answered answered, long after, long to, long stamp) {
    answers.put(key, new Entry(answered, after, to, stamp));
  }

  /** Bytes of the answers, about. */
  long bytes() {
    return answers.policy().eviction().orElseThrow().weightedSize().orElseThrow();
  }

  long hits() {
    return hits.sum();
  }
}
