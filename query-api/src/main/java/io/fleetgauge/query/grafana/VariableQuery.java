package io.fleetgauge.query.grafana;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Optional;

/**
 * The query of a dashboard's variable: values of a label.
 *
 * @param matchers select the series
 * @param pattern matches the wanted values; null for all
 */
record VariableQuery(String label, List<Matcher> matchers, Matcher pattern) {
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
    String text = target.strip();
    try {
      Optional<String> regex = argument(text, "metrics(");
      if (regex.isPresent()) {
        Matcher pattern =
            Matcher.of(Matcher.Kind.REGEX, Labels.NAME, ".*(?:" + regex.get() + ").*");
        return new VariableQuery(Labels.NAME, List.of(), pattern);
      }
      Optional<String> values = argument(text, "label_values(");
      if (values.isPresent()) {
        return values(values.get());
      }
    } catch (ParseException | IllegalArgumentException e) {
      throw GrafanaJson.bad("the variable " + target + " cannot be read: " + e.getMessage());
    }
    return new VariableQuery(text, List.of(), null);
  }

  /** Text between the parentheses, if the text is a call of a function. */
  private static Optional<String> argument(String text, String function) {
    return text.startsWith(function) && text.endsWith(")")
        ? Optional.of(text.substring(function.length(), text.length() - 1))
        : Optional.empty();
  }

  /** Reads {@code LABEL} or {@code SELECTOR, LABEL}. */
  private static VariableQuery values(String argument) throws ParseException {
    int comma = argument.lastIndexOf(',');
    String label = argument.substring(comma + 1).strip();
    if (label.isEmpty()) {
      throw new IllegalArgumentException("label_values needs the name of a label");
    }
    List<Matcher> matchers =
        comma < 0 ? List.of() : Parser.parseSelector(argument.substring(0, comma));
    return new VariableQuery(label, matchers, null);
  }
}
