package io.fleetgauge.promql.expr;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/** Parts of the language that a stock Prometheus 3.5 lacks or has behind a flag. */
public enum Feature {
  /** Functions that 3.5 has behind {@code promql-experimental-functions}. */
  EXPERIMENTAL_FUNCTIONS("promql-experimental-functions"),

  /** Arithmetic in ranges and offsets; 3.5 has it behind {@code promql-duration-expr}. */
  DURATION_EXPRESSIONS("promql-duration-expr"),

  /**
   * The metric name that a function drops is dropped at the end of the query, not immediately; 3.5
   * has it behind {@code promql-delayed-name-removal}.
   */
  DELAYED_NAME_REMOVAL("promql-delayed-name-removal"),

  /** {@code anchored} and {@code smoothed}; younger than 3.5. */
  EXTENDED_RANGES("promql-extended-range-selectors"),

  /** {@code fill}, {@code fill_left} and {@code fill_right}; younger than 3.5. */
  FILL_MODIFIERS("promql-binop-fill-modifiers"),

  /** Functions, and words of duration arithmetic, that are younger than 3.5. */
  NEWER_FUNCTIONS("promql-newer-functions");

  /** The name of Prometheus's flag; an own name where it has none. */
  public final String flag;

  Feature(String flag) {
    this.flag = flag;
  }

  /** The features that flags name. */
  public static Set<Feature> named(Set<String> flags) {
    return Arrays.stream(values())
        .filter(feature -> flags.contains(feature.flag))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** A stock Prometheus 3.5 enables none. */
  public static final Set<Feature> STOCK = Set.of();

  /** Everything there is. */
  public static final Set<Feature> ALL = Set.of(values());
}
