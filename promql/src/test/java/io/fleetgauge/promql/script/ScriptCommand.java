package io.fleetgauge.promql.script;

import io.fleetgauge.promql.expr.Matcher;
import java.util.List;
import java.util.Optional;

/** One command of a script. */
sealed interface ScriptCommand {
  record Clear() implements ScriptCommand {}

  /**
   * @param step ms between positions
   */
  record Load(long step, List<Notation.Line> series, boolean customBuckets)
      implements ScriptCommand {}

  /**
   * @param line its line in the script, from 1
   * @param step ms; 0 for an instant query
   */
  record Eval(int line, long start, long end, long step, String query, Expectation expected)
      implements ScriptCommand {
    boolean isInstant() {
      return step == 0;
    }
  }

  /** Matches a text: exactly, by a pattern, or any text if neither is given. */
  record TextRule(Optional<String> exact, Optional<Matcher> pattern) {
    static final TextRule ANY = new TextRule(Optional.empty(), Optional.empty());

    boolean allows(String text) {
      return exact.map(text::equals).orElse(true)
          && pattern.map(regex -> regex.matches(text)).orElse(true);
    }

    @Override
    public String toString() {
      return exact.orElse(pattern.map(regex -> "something like " + regex.value()).orElse("any"));
    }
  }

  /**
   * The expected result.
   *
   * @param warnings null when they are not checked; empty when there must be none
   * @param infos as {@code warnings}
   * @param grid start, end and step of a result that is a range vector
   */
  record Expectation(
      Optional<TextRule> failure,
      List<TextRule> warnings,
      List<TextRule> infos,
      boolean ordered,
      Optional<String> text,
      Optional<Double> scalar,
      Optional<long[]> grid,
      List<Notation.Line> series) {}
}
