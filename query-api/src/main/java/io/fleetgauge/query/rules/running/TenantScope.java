package io.fleetgauge.query.rules.running;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Caller;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.tenant.Access;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Scope in which the rules of a tenant read and write.
 *
 * @param labels labels of everything they write: those that the scope demands
 * @param others matchers of the scope that everything they write has to match besides
 */
record TenantScope(Caller caller, Labels labels, List<Matcher> others) {
  /** As what the operator's own rules appear among tenants. */
  private static final String OPERATOR = "(rules)";

  /**
   * @param tenant empty for the operator's own rules
   * @throws QueryFailure if there is no such tenant
   */
  static TenantScope of(Access access, String tenant) throws QueryFailure {
    TenantLimits limits = access.limits(tenant);
    if (tenant.isEmpty()) {
      return new TenantScope(new Caller(OPERATOR, List.of(), true, limits), Labels.of(), List.of());
    }
    Optional<String> scope = access.scope(tenant);
    if (scope.isEmpty()) {
      throw new QueryFailure(
          QueryFailure.Kind.FORBIDDEN, "there is no tenant " + tenant + " in the tenants file");
    }
    Caller caller = Caller.of(tenant, List.of(scope.get()), limits);
    List<String> pairs = new ArrayList<>();
    List<Matcher> others = new ArrayList<>();
    for (Matcher matcher : caller.scope()) {
      if (matcher.kind() == Matcher.Kind.EQUAL && !matcher.value().isEmpty()) {
        pairs.add(matcher.name());
        pairs.add(matcher.value());
      } else {
        others.add(matcher);
      }
    }
    return new TenantScope(caller, Labels.of(pairs.toArray(String[]::new)), List.copyOf(others));
  }
}
