package io.fleetgauge.query.answer;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.admission.QueryLane;
import java.util.List;

/**
 * A caller's request and how it is to be answered.
 *
 * @param <T> the value of the answer
 */
public record Ask<T>(Caller caller, Request<T> request, Options options) {
  /**
   * Options of an answer.
   *
   * @param mode limits of the plan of a PromQL query
   * @param cached true if an answer may be taken from, and kept in, the caches
   * @param strict true if an answer that does not cover all hosts is an error
   * @param timeoutMillis time for everything, waiting included, above 0
   * @param lane the lane whose places it takes
   */
  public record Options(
      Planner.Mode mode, boolean cached, boolean strict, long timeoutMillis, QueryLane lane) {
    /** For somebody who waits. */
    public Options(Planner.Mode mode, boolean cached, boolean strict, long timeoutMillis) {
      this(mode, cached, strict, timeoutMillis, QueryLane.QUERIES);
    }
  }

  /** A request that uses every optimisation and is as strict as the tenant's limits say. */
  public static <T> Ask<T> of(Caller caller, Request<T> request, long timeoutMillis) {
    Options options = new Options(Planner.Mode.AUTO, true, caller.limits().strict(), timeoutMillis);
    return new Ask<>(caller, request, options);
  }

  /**
   * Everything that the answer of a PromQL query depends on. Strictness is not part of it: the same
   * answer is a success for one caller and an error for another.
   *
   * @param named true if warnings have the names of hosts in them
   */
  record Key(
      String tenant,
      List<Matcher> scope,
      boolean named,
      String text,
      long start,
      long end,
      long step,
      long lookback,
      Planner.Mode mode) {}

  /**
   * Key that callers that wait for one execution have in common: it ends at their common time
   * limit.
   */
  record FlightKey(Key key, long timeoutMillis) {}

  Key key(Request.Promql promql) {
    return new Key(
        caller.tenant(),
        caller.scope(),
        caller.seesAllHosts(),
        promql.text(),
        promql.start(),
        promql.end(),
        promql.step(),
        promql.lookback(),
        options.mode);
  }

  FlightKey flightKey(Key key) {
    return new FlightKey(key, options.timeoutMillis);
  }

  /** The failure when its time is over. */
  QueryFailure timedOut() {
    return new QueryFailure(
        QueryFailure.Kind.TIMEOUT,
        "query timed out in expression evaluation after " + options.timeoutMillis + " ms");
  }
}
