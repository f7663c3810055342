package io.fleetgauge.query.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;

/** Extents of answers, by tenant and question. Safe for all threads. */
public final class Extents {
  /** Steps of an extent. */
  public static final int STEPS = 60;

  private static final int MOST_TENANTS = 1_000;
  private static final int SERIES_BYTES = 200;

  private final Versions versions;
  private final long share;
  private final Cache<String, Cache<Key, Stretch>> byTenant;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();

  /**
   * What an answer depends on besides the time.
   *
   * @param question the scoped query's text
   * @param phase where the steps lie: the remainder of their times by the step, ms
   */
  public record Question(String question, long lookback, long step, long phase) {}

  private record Key(Question question, long extent) {}

  /**
   * Some steps of a question, answered.
   *
   * @param from the first step, ms
   * @param to the last step, ms
   * @param readAfter what was read begins behind this, ms
   * @param readTo the last time that was read, ms
   * @param stamp the newest when it was known to hold
   * @param isSteady whether what is remarked about the whole is remarked about every step of it
   */
  public record Stretch(
      long from,
      long to,
      List<Series> series,
      List<String> warnings,
      List<String> infos,
      long readAfter,
      long readTo,
      long stamp,
      boolean isSteady) {

    /**
     * Whether there is nothing to remark, or every step has a point.
     *
     * @param strict whether a point at a step says that all parts of the query gave something there
     */
    public static boolean isSteady(
        List<Series> series, boolean hasRemarks, boolean strict, long from, long to, long step) {
      if (!hasRemarks) {
        return true;
      }
      if (!strict) {
        return false;
      }
      BitSet present = new BitSet();
      for (Series each : series) {
        for (long time : each.times()) {
          present.set((int) ((time - from) / step));
        }
      }
      return present.cardinality() == (to - from) / step + 1;
    }

    Stretch slice(long newFrom, long newTo) {
      if (newFrom == from && newTo == to) {
        return this;
      }
      List<Series> sliced = new ArrayList<>();
      for (Series each : series) {
        int begin = Series.firstAfter(each.times(), 0, each.size(), newFrom - 1);
        int end = Series.firstAfter(each.times(), begin, each.size(), newTo);
        if (begin < end) {
          sliced.add(
              new Series(
                  each.labels(),
                  Arrays.copyOfRange(each.times(), begin, end),
                  Arrays.copyOfRange(each.values(), begin, end)));
        }
      }
      return new Stretch(
          newFrom, newTo, sliced, warnings, infos, readAfter, readTo, stamp, isSteady);
    }

    private List<List<String>> remarks() {
      return List.of(warnings, infos);
    }

    int bytes() {
      int bytes = SERIES_BYTES;
      for (Series each : series) {
        bytes += SERIES_BYTES + 16 * each.size();
      }
      return bytes;
    }
  }

  /**
   * @param bytes of all tenants together
   * @param shares how many tenants can each fill theirs
   */
  public Extents(Versions versions, long bytes, int shares) {
    this.versions = versions;
    this.byTenant = Caffeine.newBuilder().maximumSize(MOST_TENANTS).build();
    this.share = bytes / shares;
  }

  private Cache<Key, Stretch> of(String tenant) {
    return byTenant.get(
        tenant,
        none ->
            Caffeine.newBuilder()
                .maximumWeight(share)
                .weigher((Key key, Stretch stretch) -> stretch.bytes())
                .build());
  }

  /** The extent that a step is in. */
  private static long extent(Question question, long time) {
    return Math.floorDiv(Math.floorDiv(time - question.phase, question.step), STEPS);
  }

  private static long lastOf(Question question, long extent) {
    return ((extent + 1) * STEPS - 1) * question.step + question.phase;
  }

  /** Whether anything of a window is kept, whether or not it holds. */
  public boolean has(String tenant, Question question, long from, long to) {
    Cache<Key, Stretch> cache = of(tenant);
    for (long at = extent(question, from); at <= extent(question, to); at++) {
      if (cache.getIfPresent(new Key(question, at)) != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * What of a window is kept and holds.
   *
   * @param from the first step, ms
   * @param to the last step, ms
   * @return in order of time, and not over each other
   */
  public List<Stretch> find(String tenant, Question question, long from, long to) {
    List<Stretch> found = new ArrayList<>();
    Cache<Key, Stretch> cache = of(tenant);
    for (long at = extent(question, from); at <= extent(question, to); at++) {
      long first = Math.max(from, lastOf(question, at - 1) + question.step);
      long last = Math.min(to, lastOf(question, at));
      Key key = new Key(question, at);
      Stretch kept = cache.getIfPresent(key);
      if (kept != null && !versions.isUnchanged(kept.readAfter, kept.readTo, kept.stamp)) {
        cache.asMap().remove(key, kept);
        kept = null;
      }
      boolean fits = kept != null && kept.from <= first && kept.to >= first;
      if (fits && (kept.isSteady || kept.from == first && kept.to <= last)) {
        found.add(kept.slice(first, Math.min(last, kept.to)));
        hits.increment();
      } else {
        misses.increment();
      }
    }
    return found;
  }

  /**
   * Keeps what was answered, up to a time.
   *
   * @param until later steps may still get samples, ms
   */
  public void keep(String tenant, Question question, Stretch answered, long until) {
    long to =
        Math.min(
            answered.to,
            Math.floorDiv(until - question.phase, question.step) * question.step + question.phase);
    boolean isOne = to == answered.to && extent(question, answered.from) == extent(question, to);
    if (!answered.isSteady && !isOne) {
      return;
    }
    Cache<Key, Stretch> cache = of(tenant);
    for (long at = extent(question, answered.from);
        to >= answered.from && at <= extent(question, to);
        at++) {
      long first = Math.max(answered.from, lastOf(question, at - 1) + question.step);
      long last = Math.min(to, lastOf(question, at));
      Stretch part = answered.slice(first, last);
      Key key = new Key(question, at);
      Stretch kept = cache.getIfPresent(key);
      boolean goesOn =
          kept != null
              && kept.from < first
              && kept.to + question.step >= first
              && kept.to < last
              && kept.isSteady
              && versions.isUnchanged(kept.readAfter, kept.readTo, kept.stamp);
      if (goesOn) {
        part = joined(List.of(kept.slice(kept.from, first - question.step), part)).orElse(part);
      }
      if (kept == null || kept.from > part.from || kept.to < part.to || kept.stamp < part.stamp) {
        cache.put(key, part);
      }
    }
  }

  /**
   * Stretches that follow each other as one.
   *
   * @return empty when they make one remark about different parts of the query, so that which one
   *     is meant cannot be told
   */
  public static Optional<Stretch> joined(List<Stretch> stretches) {
    if (stretches.size() == 1) {
      return Optional.of(stretches.getFirst());
    }
    TreeMap<Labels, List<Series>> parts = new TreeMap<>();
    TreeSet<String> warnings = new TreeSet<>();
    TreeSet<String> infos = new TreeSet<>();
    long after = Long.MAX_VALUE;
    long to = Long.MIN_VALUE;
    long stamp = Long.MAX_VALUE;
    boolean steady = true;
    for (Stretch stretch : stretches) {
      for (Series series : stretch.series) {
        parts.computeIfAbsent(series.labels(), none -> new ArrayList<>()).add(series);
      }
      warnings.addAll(stretch.warnings);
      infos.addAll(stretch.infos);
      after = Math.min(after, stretch.readAfter);
      to = Math.max(to, stretch.readTo);
      stamp = Math.min(stamp, stretch.stamp);
      // A remark about one part need not hold for another.
      steady &= stretch.isSteady && stretch.remarks().equals(stretches.getFirst().remarks());
    }
    if (isAmbiguous(warnings) || isAmbiguous(infos)) {
      return Optional.empty();
    }
    List<Series> series = new ArrayList<>();
    for (Map.Entry<Labels, List<Series>> each : parts.entrySet()) {
      int size = each.getValue().stream().mapToInt(Series::size).sum();
      long[] times = new long[size];
      double[] values = new double[size];
      int at = 0;
      for (Series part : each.getValue()) {
        System.arraycopy(part.times(), 0, times, at, part.size());
        System.arraycopy(part.values(), 0, values, at, part.size());
        at += part.size();
      }
      series.add(new Series(each.getKey(), times, values));
    }
    return Optional.of(
        new Stretch(
            stretches.getFirst().from,
            stretches.getLast().to,
            series,
            List.copyOf(warnings),
            List.copyOf(infos),
            after,
            to,
            stamp,
            steady));
  }

  private static boolean isAmbiguous(TreeSet<String> lines) {
    TreeSet<String> texts = new TreeSet<>();
    for (String line : lines) {
      int place = line.lastIndexOf(" (");
      if (place < 0 || !texts.add(line.substring(0, place))) {
        return true;
      }
    }
    return false;
  }

  public long hits() {
    return hits.sum();
  }

  public long misses() {
    return misses.sum();
  }

  /** Bytes that are kept, about. */
  public long bytes() {
    long bytes = 0;
    for (Cache<Key, Stretch> cache : byTenant.asMap().values()) {
      bytes += cache.policy().eviction().map(each -> each.weightedSize().orElse(0)).orElse(0L);
    }
    return bytes;
  }
}
