package io.fleetgauge.query.answer;

import io.fleetgauge.cluster.config.TenantLimits;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import java.util.List;

/**
 * A question and how it is to be answered.
 *
 * @param limits what the tenant may use
 * @param scope matchers that every selector gets
 * @param cached whether what was answered before may be taken
 * @param strict whether an answer that misses hosts is an error
 * @param timeoutMillis for everything, waiting included; over it, the query fails as timed out
 */
public record Ask(
    String tenant,
    TenantLimits limits,
    Query query,
    List<Matcher> scope,
    Planner.Mode mode,
    boolean cached,
    boolean strict,
    long timeoutMillis) {

  /** What two asks have in common that are answered alike. */
  public record Key(
      String tenant,
      List<Matcher> scope,
      String text,
      long start,
      long end,
      long step,
      long lookback,
      Planner.Mode mode,
      boolean strict) {}

  Key key() {
    return new Key(
        tenant,
        scope,
        query.text(),
        query.start(),
        query.end(),
        query.step(),
        query.settings().lookback(),
        mode,
        strict);
  }

  /** Says that a limit does not allow this. */
  QueryFailure over(String limit, Object figure, Object most) {
    return new QueryFailure(
        QueryFailure.Kind.LIMITED,
        "the query of tenant "
            + tenant
            + " is over its limit "
            + limit
            + ": "
            + figure
            + " of at most "
            + most
            + "; ask for less");
  }
}
