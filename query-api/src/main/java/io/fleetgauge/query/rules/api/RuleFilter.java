package io.fleetgauge.query.rules.api;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Which groups and rules {@code /api/v1/rules} answers, by the parameters of Prometheus.
 *
 * @param type {@code alert}, {@code record}, or empty for both
 * @param names of rules; empty for all
 * @param groups names of groups; empty for all
 * @param files empty for all
 * @param matchers of which a rule's labels have to match one list; none for all rules
 * @param excludesAlerts true if alerts are left out of rules
 * @param limit most groups; 0 for no limit
 * @param token of the group to begin with; empty for the first
 */
record RuleFilter(
    String type,
    Set<String> names,
    Set<String> groups,
    Set<String> files,
    List<List<Matcher>> matchers,
    boolean excludesAlerts,
    int limit,
    String token) {

  private static final String NON_EMPTY = " must contain at least one non-empty matcher";

  static RuleFilter of(Parameters parameters) throws QueryFailure {
    List<List<Matcher>> matchers = matchers(parameters.selectors());
    String type = parameters.text("type").toLowerCase(Locale.ROOT);
    if (!Set.of("", "alert", "record").contains(type)) {
      throw Parameters.invalid("type", "not supported value \"" + type + "\"");
    }
    boolean excludesAlerts = excludesAlerts(parameters.text("exclude_alerts"));
    int limit = limit(parameters.text("group_limit"));
    String token = parameters.text("group_next_token");
    if (!token.isEmpty() && limit == 0) {
      throw Parameters.invalid(
          "group_next_token",
          "group_limit needs to be present in order to paginate over the groups");
    }
    return new RuleFilter(
        type,
        new HashSet<>(parameters.texts("rule_name[]")),
        new HashSet<>(parameters.texts("rule_group[]")),
        new HashSet<>(parameters.texts("file[]")),
        matchers,
        excludesAlerts,
        limit,
        token);
  }

  private static List<List<Matcher>> matchers(List<String> selectors) throws QueryFailure {
    List<List<Matcher>> all = new ArrayList<>();
    for (String selector : selectors) {
      List<Matcher> matchers;
      try {
        matchers = Parser.parseSelector(selector);
      } catch (ParseException e) {
        throw new QueryFailure(
            QueryFailure.Kind.BAD_DATA,
            e.getMessage().endsWith(NON_EMPTY) ? "match[]" + NON_EMPTY : e.getMessage());
      }
      all.add(matchers);
    }
    return all;
  }

  private static boolean excludesAlerts(String text) throws QueryFailure {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "", "0", "f", "false" -> false;
      case "1", "t", "true" -> true;
      default ->
          throw Parameters.invalid(
              "exclude_alerts",
              "error converting exclude_alerts: strconv.ParseBool: parsing \""
                  + text.toLowerCase(Locale.ROOT)
                  + "\": invalid syntax");
    };
  }

  private static int limit(String text) throws QueryFailure {
    if (text.isEmpty()) {
      return 0;
    }
    int limit;
    try {
      limit = Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw Parameters.invalid(
          "group_limit",
          "group_limit needs to be a valid number: strconv.ParseInt: parsing \""
              + text
              + "\": "
              + (text.matches("[+-]?\\d+") ? "value out of range" : "invalid syntax"));
    }
    if (limit <= 0) {
      throw Parameters.invalid("group_limit", "group_limit needs to be greater than 0");
    }
    return limit;
  }

  boolean takes(RuleGroup group) {
    return (groups.isEmpty() || groups.contains(group.id().name()))
        && (files.isEmpty() || files.contains(group.id().file()));
  }

  /**
   * @param labels of the rule, with those of its group
   */
  boolean takes(Rule rule, Map<String, String> labels) {
    boolean isOfType =
        switch (rule) {
          case Rule.Alerting alerting -> !type.equals("record");
          case Rule.Recording recording -> !type.equals("alert");
        };
    return isOfType
        && (names.isEmpty() || names.contains(rule.name()))
        && (matchers.isEmpty()
            || matchers.stream()
                .anyMatch(
                    all ->
                        all.stream()
                            .allMatch(each -> each.matches(labels.getOrDefault(each.name(), "")))));
  }
}
