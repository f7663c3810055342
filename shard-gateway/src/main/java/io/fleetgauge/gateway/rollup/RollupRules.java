package io.fleetgauge.gateway.rollup;

import io.fleetgauge.promql.expr.Matcher;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which metrics are reduced, and how. Safe for all threads.
 *
 * <p>Lengths in ms.
 */
public final class RollupRules {
  /** Keeps nothing. */
  public static final RollupRules NONE = new RollupRules(15_000, 300_000, List.of());

  /**
   * A rule.
   *
   * @param metrics matches the names of the metrics
   * @param labels by which their series are grouped
   * @param latest whether the metric itself is reduced
   * @param windows of which rate and increase are reduced
   */
  public record Rule(Matcher metrics, List<String> labels, boolean latest, List<Long> windows) {}

  /** What is kept of one metric. */
  public record Kept(List<String> labels, List<RollupKey> keys) {}

  private static final Kept NOTHING = new Kept(List.of(), List.of());

  private final long step;
  private final long lookback;
  private final List<Rule> rules;
  private final Map<String, Kept> byMetric = new ConcurrentHashMap<>();

  /**
   * @param step how far the steps are apart; they are multiples of it since the epoch
   * @param lookback how old a sample may be to count at a step
   * @param rules the first that matches a metric is its rule
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

  /** How far before a step its value depends on samples. */
  public long horizon(RollupKey key) {
    return key.kind() == RollupKey.Kind.LATEST ? lookback : key.window();
  }

  /** The farthest of all horizons. */
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

  /** What is kept of a metric; nothing when no rule matches. */
  public Kept of(String metric) {
    return byMetric.computeIfAbsent(metric, this::find);
  }

  private Kept find(String metric) {
    for (Rule rule : rules) {
      if (rule.metrics().matches(metric)) {
        List<RollupKey> keys = new java.util.ArrayList<>();
        if (rule.latest()) {
          keys.add(new RollupKey(metric, RollupKey.Kind.LATEST, 0));
        }
        for (long window : rule.windows()) {
          keys.add(new RollupKey(metric, RollupKey.Kind.RATE, window));
          keys.add(new RollupKey(metric, RollupKey.Kind.INCREASE, window));
        }
        return new Kept(rule.labels(), List.copyOf(keys));
      }
    }
    return NOTHING;
  }
}
