package io.fleetgauge.query.grafana;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The query of a dashboard's variable: values of a label.
 *
 * @param matchers select the series
 * @param pattern matches the wanted values; null for all
 */
record VariableQuery(String label, List<Matcher> matchers, Matcher pattern) {
  private static final Pattern LABEL_VALUES =
      Pattern.compile("\\s*label_values\\(\\s*(?:(.+)\\s*,\\s*)?([^,]+?)\\s*\\)\\s*");
  private static final Pattern METRICS = Pattern.compile("\\s*metrics\\((.*)\\)\\s*");

  boolean accepts(String value) {
    return pattern == null || pattern.matches(value);
  }

  /**
   * Reads {@code label_values(LABEL)}, {@code label_values(SELECTOR, LABEL)}, {@code
   * metrics(REGEX)}, the name of a label, or nothing for the names of all metrics.
   */
  static VariableQuery of(String target) throws QueryFailure {
    if (target.isBlank()) {
      return new VariableQuery(Labels.NAME, List.of(), null);
    }
    try {
      var metrics = METRICS.matcher(target);
      if (metrics.matches()) {
        Matcher pattern =
            Matcher.of(Matcher.Kind.REGEX, Labels.NAME, ".*(?:" + metrics.group(1) + ").*");
        return new VariableQuery(Labels.NAME, List.of(), pattern);
      }
      var values = LABEL_VALUES.matcher(target);
      if (values.matches()) {
        List<Matcher> matchers =
            values.group(1) == null ? List.of() : Parser.parseSelector(values.group(1));
        return new VariableQuery(values.group(2), matchers, null);
      }
    } catch (ParseException | IllegalArgumentException e) {
      throw GrafanaJson.bad("the variable " + target + " cannot be read: " + e.getMessage());
    }
    return new VariableQuery(target.strip(), List.of(), null);
  }
}
