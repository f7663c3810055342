package io.fleetgauge.query.rules.api;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.source.GroupExchange;
import io.fleetgauge.query.rules.source.RuleSource;
import io.vertx.core.Future;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** All routes of rules and alerts. */
public final class RulesApi {
  private RulesApi() {}

  /**
   * @param exchange changes the groups that are set by API
   * @param states answers the newest known state of each group, wherever in the cluster it is
   *     evaluated; a group that was never evaluated is missing
   * @param alertmanagers the URLs to which alerts are sent now
   */
  public static void mount(
      ApiRoutes routes,
      RuleSource source,
      GroupExchange exchange,
      Supplier<Future<Map<RuleGroup.Id, GroupState>>> states,
      Supplier<List<URI>> alertmanagers) {
    new RuleRoutes(source, states, alertmanagers).mount(routes);
    new ConfigRoutes(source.store(), exchange).mount(routes);
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
