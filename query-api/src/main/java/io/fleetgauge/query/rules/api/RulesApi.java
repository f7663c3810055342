package io.fleetgauge.query.rules.api;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.rules.source.GroupExchange;
import io.fleetgauge.query.rules.source.RuleSource;
import java.net.URI;
import java.util.List;
import java.util.function.Supplier;

/** All routes of rules and alerts. */
public final class RulesApi {
  private RulesApi() {}

  /**
   * @param exchange changes the groups that are set by API
   * @param alertmanagers the URLs to which alerts are sent now
   */
  public static void mount(
      ApiRoutes routes,
      RuleSource source,
      GroupExchange exchange,
      RuleStates states,
      Supplier<List<URI>> alertmanagers) {
    new RuleRoutes(source, states).mount(routes);
    new ConfigRoutes(source.store(), exchange).mount(routes);
    new ReloadRoute(exchange).mount(routes);
    new AlertmanagersRoute(alertmanagers).mount(routes);
  }

  /** The tenants whose groups a request sees; the operator's groups have the empty one. */
  static List<String> tenants(ApiRequest request) {
    List<String> scoped = request.scopedTenants();
    return scoped.isEmpty() ? List.of("") : scoped;
  }

  /** The tenant whose groups a request changes. */
  static String tenant(ApiRequest request) throws QueryFailure {
    List<String> tenants = tenants(request);
    if (tenants.size() > 1) {
      throw new QueryFailure(
          QueryFailure.Kind.BAD_DATA,
          "X-Scope-OrgID names several tenants, "
              + String.join("|", tenants)
              + "; rule groups are read and set for one");
    }
    return tenants.getFirst();
  }
}
