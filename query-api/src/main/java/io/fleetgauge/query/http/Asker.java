package io.fleetgauge.query.http;

import io.fleetgauge.cluster.process.Guard;
import io.fleetgauge.cluster.tenant.Grant;
import io.fleetgauge.cluster.tenant.Right;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.QueryFailure;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;

/**
 * Who asks, and how: what a request's token and headers say.
 *
 * @param scope what everything that is asked for has to match besides
 */
public record Asker(Grant grant, List<Matcher> scope) {
  private static final String PLAN = "X-Fleetgauge-Plan";

  /**
   * @throws QueryFailure if the scopes of its tenants cannot be put together
   */
  public static Asker of(RoutingContext http) throws QueryFailure {
    Grant grant = Guard.grant(http).orElseThrow();
    return new Asker(grant, Scopes.of(grant.scopes()));
  }

  /** The same, seeing only what matches these besides. */
  public Asker with(List<Matcher> matchers) {
    List<Matcher> all = new ArrayList<>(scope);
    all.addAll(matchers);
    return new Asker(grant, List.copyOf(all));
  }

  public String tenant() {
    return grant.tenant();
  }

  /** The names of its tenants. */
  public List<String> tenants() {
    return List.of(grant.tenant().split("\\|"));
  }

  /** Whether it sees everything, so that names of hosts are no secret. */
  public boolean isAll() {
    return grant.scopes().isEmpty() || grant.scopes().contains("");
  }

  public boolean isOperator() {
    return grant.may(Right.OPERATE);
  }

  public boolean isStrict(Parameters parameters) {
    String asked = parameters.text("strict");
    return asked.isEmpty() ? grant.limits().strict() : asked.equals("1");
  }

  public static Planner.Mode mode(RoutingContext http) throws QueryFailure {
    String wanted = http.request().getHeader(PLAN);
    if (wanted == null || wanted.equals("auto")) {
      return Planner.Mode.AUTO;
    }
    if (wanted.equals("raw")) {
      return Planner.Mode.RAW;
    }
    throw new QueryFailure(
        QueryFailure.Kind.BAD_DATA,
        "the header " + PLAN + " is \"" + wanted + "\"; it may be auto or raw");
  }

  /** Whether what was answered before may be taken. */
  public static boolean takesKnown(RoutingContext http, Parameters parameters) {
    String control = http.request().getHeader("Cache-Control");
    return (control == null || !control.contains("no-store"))
        && !parameters.text("nocache").equals("1");
  }
}
