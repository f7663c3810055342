package io.fleetgauge.promql.expr;

import io.fleetgauge.sample.regexp.Match;
import io.fleetgauge.sample.regexp.Regexp;
import java.util.Optional;

/**
 * The regular expression and the replacement template of {@code label_replace}, as in {@link
 * Match}.
 */
public final class Rewriting {
  private final Regexp regexp;
  private final String template;

  /**
   * @throws IllegalArgumentException if {@code regex} is no regular expression
   */
  public Rewriting(String regex, String template) {
    this.regexp = Regexp.anchored(regex);
    this.template = template;
  }

  /**
   * The expanded template for a text that matches as a whole; empty when it does not match.
   *
   * @param enough when it is longer than this, it may end early, but has more characters than this
   */
  public Optional<String> apply(String text, int enough) {
    return regexp.match(text).map(match -> match.expand(template, enough));
  }
}
