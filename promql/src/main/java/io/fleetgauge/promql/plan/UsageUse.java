package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.exec.QueryWalk;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.usage.series.UsageSelection;
import io.fleetgauge.promql.usage.series.UsageSelector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Finds the series of usage that a query reads, which no shard has. */
final class UsageUse {
  /** Selectors of series of which all samples are needed. */
  private final Set<List<Matcher>> windows = new HashSet<>();

  /** When the other selectors look. */
  private final Map<List<Matcher>, List<Grid>> looks = new HashMap<>();

  private UsageUse() {}

  /** Why a shard cannot evaluate a selector; empty when it can. */
  static Optional<String> obstacle(Expr.Selector selector) {
    return UsageSelector.of(selector.matchers()).isEmpty()
        ? Optional.empty()
        : Optional.of(selector + " is made of the usage that gateways count");
  }

  /** Those of the selections of a query that select series of usage. */
  static List<UsageSelection> of(Query query, List<Selection> selections) throws QueryFailure {
    List<UsageSelection> all =
        selections.stream().flatMap(each -> UsageSelection.of(each).stream()).toList();
    if (all.isEmpty()) {
      return all;
    }
    UsageUse use = new UsageUse();
    QueryWalk.visit(query, (expr, grid) -> use.visit(query, expr, grid));
    return all.stream()
        .map(
            each -> {
              List<Matcher> matchers = each.selection().matchers();
              return use.windows.contains(matchers)
                  ? each
                  : each.at(use.looks.getOrDefault(matchers, List.of()), lookback(query));
            })
        .toList();
  }

  private static long lookback(Query query) {
    return query.settings().lookback();
  }

  private boolean visit(Query query, Expr expr, Grid grid) {
    if (expr instanceof Expr.Window window) {
      windows.addAll(matchers(window.selector()));
    } else if (expr instanceof Expr.Selector selector && grid.size() > 0) {
      for (List<Matcher> matchers : matchers(selector)) {
        if (selector.edges() == Expr.Edges.PLAIN) {
          looks
              .computeIfAbsent(matchers, none -> new ArrayList<>())
              .add(looks(query, selector, grid));
        } else {
          windows.add(matchers);
        }
      }
    }
    return true;
  }

  private static Grid looks(Query query, Expr.Selector selector, Grid grid) {
    long first = Grid.lookAt(query, selector.shift(), grid.start());
    long last = Grid.lookAt(query, selector.shift(), grid.last());
    return new Grid(first, grid.step(), last);
  }

  private static List<List<Matcher>> matchers(Expr.Selector selector) {
    return selector.readings().isEmpty()
        ? List.of(selector.matchers())
        : selector.readings().stream().map(reading -> reading.matchers()).toList();
  }

  /** Reads of stored series in place of those of series of usage. */
  static List<SamplesRead> stored(List<SamplesRead> reads) {
    List<SamplesRead> all = new ArrayList<>();
    for (SamplesRead read : reads) {
      Optional<UsageSelection> usage = UsageSelection.of(read.selection());
      if (usage.isEmpty() || !usage.get().selector().isAlone()) {
        all.add(read);
      }
      usage.ifPresent(
          each -> each.stored().forEach(stored -> all.add(SamplesRead.ofUsage(stored))));
    }
    return List.copyOf(all);
  }
}
