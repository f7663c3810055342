package io.fleetgauge.gateway.rollup;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.RollupShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which metrics have rollups, and how they are grouped. Safe for all threads.
 *
 * <p>All lengths in ms.
 */
public final class RollupRules {
  /** No rollups. */
  public static final RollupRules NONE = new RollupRules(15_000, 300_000, List.of());

  /**
   * A rule.
   *
   * @param metrics matches the names of the metrics
   * @param labels by which their series are grouped
   * @param latest whether the metric itself has a rollup
   * @param windows for which its rate and its increase have rollups
   */
  public record Rule(Matcher metrics, List<String> labels, boolean latest, List<Long> windows) {}

  /** The rollups of one metric. */
  public record OfMetric(List<String> labels, List<RollupKey> keys) {}

  private static final OfMetric NOTHING = new OfMetric(List.of(), List.of());

  private final long step;
  private final long lookback;
  private final List<Rule> rules;
  private final Map<String, OfMetric> byMetric = new ConcurrentHashMap<>();

  /** Keys of pages in blocks, by key. */
  private final Map<RollupKey, RollupKey> kept = new ConcurrentHashMap<>();

  /**
   * @param step distance of the steps, which are multiples of it since the epoch
   * @param lookback maximum age of a sample at a step
   * @param rules the first one that matches a metric applies to it
   */
  public RollupRules(long step, long lookback, List<Rule> rules) {
    this.step = step;
    this.lookback = lookback;
    this.rules = List.copyOf(rules);
  }

  public long step() {
    return step;
  }

  public long lookback() {
    return lookback;
  }

  /** The key under which a page of today's rules is kept in a block. */
  public RollupKey kept(RollupKey key) {
    OfMetric of = of(key.metric());
    return of.keys.contains(key) ? kept.computeIfAbsent(key, this::made) : key;
  }

  private RollupKey made(RollupKey key) {
    String how = step + " " + horizon(key) + " " + of(key.metric()).labels;
    return key.made(Integer.toHexString(how.hashCode()));
  }

  /** The time back from a step for which its value depends on samples. */
  public long horizon(RollupKey key) {
    return key.kind() == RollupShape.Kind.LATEST ? lookback : key.window();
  }

  /** The longest of all horizons. */
  public long horizon() {
    long farthest = lookback;
    for (Rule rule : rules) {
      for (long window : rule.windows()) {
        farthest = Math.max(farthest, window);
      }
    }
    return farthest;
  }

  public boolean isEmpty() {
    return rules.isEmpty();
  }

  /** The rollups of a metric; none if no rule matches. */
  public OfMetric of(String metric) {
    return byMetric.computeIfAbsent(metric, this::find);
  }

  private OfMetric find(String metric) {
    for (Rule rule : rules) {
      if (rule.metrics().matches(metric)) {
        List<RollupKey> keys = new ArrayList<>();
        if (rule.latest()) {
          keys.add(new RollupKey(metric, RollupShape.Kind.LATEST, 0));
        }
        for (long window : rule.windows()) {
          keys.add(new RollupKey(metric, RollupShape.Kind.RATE, window));
          keys.add(new RollupKey(metric, RollupShape.Kind.INCREASE, window));
        }
        return new OfMetric(rule.labels(), List.copyOf(keys));
      }
    }
    return NOTHING;
  }
}
