package io.fleetgauge.gateway.store.series;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.roaringbitmap.IntIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * The index of a host's series: for each label and value a bitmap of series. Immutable, except for
 * the newest series, which are not indexed yet and are examined one by one, or those of one metric.
 * When there are many of them, a new index includes them.
 */
public final class Catalog {
  /** Up to this many series are not indexed. */
  private static final int MIN_UNINDEXED = 64;

  private static final int[] NONE = {};

  /** Never changed. */
  private static final RoaringBitmap NO_SERIES = new RoaringBitmap();

  private final Set<String> dimensions;
  private final int indexed;
  private final RoaringBitmap all;
  private final Map<String, Map<String, RoaringBitmap>> byValue;

  /** The series that have a label. */
  private final Map<String, RoaringBitmap> byName;

  /** The series that have dimensions. */
  private final RoaringBitmap dimensioned;

  /** By metric, the series that are not indexed. The writer adds a series before it counts it. */
  private final Map<String, int[]> recent = new ConcurrentHashMap<>();

  // The writer adds at the size; a reader that has read the size may read the series below it.
  private volatile StoredSeries[] series;
  private volatile int size;

  private Catalog(
      Set<String> dimensions,
      StoredSeries[] series,
      int size,
      Map<String, Map<String, RoaringBitmap>> byValue,
      Map<String, RoaringBitmap> byName,
      RoaringBitmap dimensioned) {
    this.dimensions = dimensions;
    this.series = series;
    this.size = size;
    this.indexed = size;
    this.all = RoaringBitmap.bitmapOfRange(0, size);
    this.byValue = byValue;
    this.byName = byName;
    this.dimensioned = dimensioned;
  }

  public static Catalog of(Set<String> dimensions, Collection<StoredSeries> series) {
    return build(dimensions, series.toArray(StoredSeries[]::new), series.size());
  }

  private static Catalog build(Set<String> dimensions, StoredSeries[] series, int size) {
    Map<String, Map<String, RoaringBitmap>> byValue = new HashMap<>();
    Map<String, RoaringBitmap> byName = new HashMap<>();
    RoaringBitmap dimensioned = new RoaringBitmap();
    for (int i = 0; i < size; i++) {
      Labels labels = series[i].identity;
      for (int j = 0; j < labels.size(); j++) {
        byValue
            .computeIfAbsent(labels.name(j), none -> new HashMap<>())
            .computeIfAbsent(labels.value(j), none -> new RoaringBitmap())
            .add(i);
        byName.computeIfAbsent(labels.name(j), none -> new RoaringBitmap()).add(i);
      }
      if (series[i].timeline != null) {
        dimensioned.add(i);
      }
    }
    return new Catalog(dimensions, series, size, byValue, byName, dimensioned);
  }

  public int size() {
    return size;
  }

  /** An index with one more series: the same object while few are unindexed. Writer only. */
  public Catalog with(StoredSeries added) {
    StoredSeries[] now = series;
    if (size == now.length) {
      now = Arrays.copyOf(now, Math.max(16, 2 * size));
      series = now;
    }
    now[size] = added;
    recent.merge(
        added.identity.value(Labels.NAME), new int[] {size}, (old, one) -> joined(old, one[0]));
    size = size + 1;
    // The limit grows with the index, so that each series is indexed a bounded number of times.
    return size - indexed <= Math.max(MIN_UNINDEXED, indexed / 4)
        ? this
        : build(dimensions, Arrays.copyOf(now, now.length), size);
  }

  private static int[] joined(int[] old, int one) {
    int[] all = Arrays.copyOf(old, old.length + 1);
    all[old.length] = one;
    return all;
  }

  /** Every series that may match: its identity matches, its dimensions have to be checked. */
  public void find(List<Matcher> matchers, Consumer<StoredSeries> found) {
    int count = size; // read before the array: a later array holds at least as many
    StoredSeries[] now = series;
    RoaringBitmap candidates = candidates(matchers);
    for (IntIterator each = candidates.getIntIterator(); each.hasNext(); ) {
      found.accept(now[each.next()]);
    }
    for (Matcher matcher : matchers) {
      if (matcher.isName()) {
        for (int i : recent.getOrDefault(matcher.value(), NONE)) {
          if (i < count && mayMatch(matchers, now[i])) {
            found.accept(now[i]);
          }
        }
        return;
      }
    }
    for (int i = indexed; i < count; i++) {
      if (mayMatch(matchers, now[i])) {
        found.accept(now[i]);
      }
    }
  }

  private RoaringBitmap candidates(List<Matcher> matchers) {
    RoaringBitmap left = null;
    for (Matcher matcher : matchers) {
      // Most hosts have no series of another host's name: that is seen without a bitmap.
      if (isOneValue(matcher) && !has(matcher.name(), matcher.value())) {
        return NO_SERIES;
      }
    }
    for (Matcher matcher : matchers) {
      RoaringBitmap matching = matching(matcher);
      if (dimensions.contains(matcher.name())) {
        matching = RoaringBitmap.or(matching, dimensioned);
      }
      left = left == null ? matching : RoaringBitmap.and(left, matching);
      if (left.isEmpty()) {
        break;
      }
    }
    return left == null ? all : left;
  }

  /** Returns true if only series that are indexed under one value can match. */
  private boolean isOneValue(Matcher matcher) {
    return matcher.kind() == Matcher.Kind.EQUAL
        && !matcher.value().isEmpty()
        && !dimensions.contains(matcher.name());
  }

  private boolean has(String name, String value) {
    Map<String, RoaringBitmap> values = byValue.get(name);
    return values != null && values.containsKey(value);
  }

  /** A label that a series does not have counts as the empty value. */
  private RoaringBitmap matching(Matcher matcher) {
    Map<String, RoaringBitmap> values = byValue.getOrDefault(matcher.name(), Map.of());
    RoaringBitmap having = byName.getOrDefault(matcher.name(), new RoaringBitmap());
    boolean empty = matcher.matches("");
    return switch (matcher.kind()) {
      case EQUAL ->
          empty
              ? RoaringBitmap.andNot(all, having)
              : values.getOrDefault(matcher.value(), new RoaringBitmap());
      case NOT_EQUAL ->
          empty
              ? RoaringBitmap.andNot(all, values.getOrDefault(matcher.value(), new RoaringBitmap()))
              : having;
      case REGEX, NOT_REGEX -> {
        // A matcher that matches the empty value also selects series without the label: it is
        // evaluated by the values that do not match.
        List<RoaringBitmap> some = new ArrayList<>();
        for (var entry : values.entrySet()) {
          if (matcher.matches(entry.getKey()) != empty) {
            some.add(entry.getValue());
          }
        }
        RoaringBitmap union = RoaringBitmap.or(some.iterator());
        yield empty ? RoaringBitmap.andNot(all, union) : union;
      }
    };
  }

  private boolean mayMatch(List<Matcher> matchers, StoredSeries candidate) {
    for (Matcher matcher : matchers) {
      boolean open = candidate.timeline != null && dimensions.contains(matcher.name());
      if (!open && !matcher.matches(candidate.identity)) {
        return false;
      }
    }
    return true;
  }

  /** The values of a label that is not a dimension, each with its series. */
  public void values(String label, ValueVisitor visitor) {
    int count = size;
    StoredSeries[] now = series;
    byValue
        .getOrDefault(label, Map.of())
        .forEach((value, bitmap) -> visitor.visit(value, bitmap.stream().mapToObj(i -> now[i])));
    for (int i = indexed; i < count; i++) {
      String value = now[i].identity.value(label);
      if (!value.isEmpty()) {
        visitor.visit(value, Stream.of(now[i]));
      }
    }
  }

  /** Receives a value and the series that have it. */
  public interface ValueVisitor {
    void visit(String value, Stream<StoredSeries> series);
  }
}
