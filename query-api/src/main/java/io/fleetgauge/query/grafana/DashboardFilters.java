package io.fleetgauge.query.grafana;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** The ad hoc filters of a dashboard. */
final class DashboardFilters {
  private DashboardFilters() {}

  /** The matchers that say the same. */
  static List<Matcher> matchers(List<JsonObject> filters) throws QueryFailure {
    List<Matcher> matchers = new ArrayList<>();
    for (JsonObject filter : filters) {
      String operator = GrafanaJson.text(filter, "operator");
      Matcher.Kind kind =
          switch (operator) {
            case "=", "" -> Matcher.Kind.EQUAL;
            case "!=" -> Matcher.Kind.NOT_EQUAL;
            case "=~" -> Matcher.Kind.REGEX;
            case "!~" -> Matcher.Kind.NOT_REGEX;
            default ->
                throw GrafanaJson.bad(
                    "a filter has the operator " + operator + "; use =, !=, =~ or !~");
          };
      String key = GrafanaJson.text(filter, "key");
      if (key.isEmpty()) {
        throw GrafanaJson.bad("a filter has no key");
      }
      try {
        matchers.add(Matcher.of(kind, key, GrafanaJson.text(filter, "value")));
      } catch (IllegalArgumentException e) {
        throw GrafanaJson.bad("the filter of " + key + " cannot be used: " + e.getMessage());
      }
    }
    return matchers;
  }
}
