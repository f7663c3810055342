package io.fleetgauge.promql.function;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The result of {@code absent} and {@code absent_over_time}. */
public final class Absence {
  private Absence() {}

  /** 1 at steps without any series, with the labels that a selector's matchers determine. */
  public static Column of(boolean[] there, Expr argument) {
    double[] out = new double[there.length];
    for (int i = 0; i < out.length; i++) {
      out[i] = there[i] ? Staleness.MARKER : 1;
    }
    List<Matcher> matchers =
        argument instanceof Expr.Selector selector ? selector.matchers() : List.of();
    return new Column(fixedBy(matchers), out);
  }

  /**
   * The labels that matchers determine: an equality matcher gives the value, unless another matcher
   * of that label follows it. Matchers that only exclude series come last, in the order in which
   * Prometheus's storage sorts them.
   */
  private static Labels fixedBy(List<Matcher> matchers) {
    Set<String> demanded = new HashSet<>();
    for (Matcher matcher : matchers) {
      if (!matcher.matches("")) {
        demanded.add(matcher.name());
      }
    }
    List<Matcher> ordered = new ArrayList<>();
    List<Matcher> last = new ArrayList<>();
    for (Matcher matcher : matchers) {
      boolean negative =
          matcher.kind() == Matcher.Kind.NOT_EQUAL || matcher.kind() == Matcher.Kind.NOT_REGEX;
      boolean takesAway = negative && matcher.matches("") || !demanded.contains(matcher.name());
      (takesAway ? last : ordered).add(matcher);
    }
    ordered.addAll(last);
    Map<String, String> fixed = new HashMap<>();
    Set<String> seen = new HashSet<>();
    for (Matcher matcher : ordered) {
      if (matcher.kind() == Matcher.Kind.EQUAL && seen.add(matcher.name())) {
        fixed.put(matcher.name(), matcher.value());
      } else {
        fixed.remove(matcher.name());
      }
    }
    fixed.remove(Labels.NAME);
    return Labels.of(fixed);
  }
}
