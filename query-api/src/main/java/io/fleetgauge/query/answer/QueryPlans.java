package io.fleetgauge.query.answer;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.plan.AliasUse;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.vocabulary.AliasTable;
import java.util.Set;

/** Plans of PromQL queries: shape, text, aliases, scope, rewrites. Thread-safe. */
final class QueryPlans {
  private final Set<Feature> features;
  private final AliasTable aliases;

  QueryPlans(Set<Feature> features, AliasTable aliases) {
    this.features = features;
    this.aliases = aliases;
  }

  /**
   * An expression from its text.
   *
   * @param range of the query, ms
   * @param step of the query, ms
   * @throws QueryFailure with Prometheus's message for its parameter {@code query}
   */
  Expr parsed(String text, long range, long step) throws QueryFailure {
    try {
      return Parser.parse(text, new ParseOptions(features, range, step));
    } catch (ParseException e) {
      throw new QueryFailure(
          QueryFailure.Kind.BAD_DATA, "invalid parameter \"query\": " + e.getMessage());
    }
  }

  /**
   * A query with its plan.
   *
   * @throws QueryFailure if it is no PromQL, or over one of the tenant's limits whatever it reads
   */
  Planned plan(Caller caller, Request.Promql promql, Planner.Mode mode) throws QueryFailure {
    checkShape(caller, promql);
    Query query = query(caller, promql);
    return Planner.plan(query, caller.scope(), AliasUse.of(query.expr(), aliases), mode);
  }

  private static void checkShape(Caller caller, Request.Promql promql) throws QueryFailure {
    long range = promql.end() - promql.start();
    caller.checkRange(range);
    long points = promql.isInstant() ? 1 : range / promql.step() + 1;
    if (points > caller.limits().points()) {
      throw caller.over("points", points, caller.limits().points());
    }
  }

  private Query query(Caller caller, Request.Promql promql) throws QueryFailure {
    Expr expr =
        promql.parsed().isPresent()
            ? promql.parsed().get()
            : parsed(promql.text(), promql.end() - promql.start(), promql.step());
    return new Query(
        promql.text(),
        expr,
        promql.start(),
        promql.end(),
        promql.step(),
        Query.Settings.STOCK
            .withLookback(promql.lookback())
            .withMaxSamples(caller.limits().samples())
            .withFeatures(features));
  }
}
