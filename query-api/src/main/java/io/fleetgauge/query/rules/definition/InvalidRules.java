package io.fleetgauge.query.rules.definition;

import java.util.List;
import java.util.stream.Collectors;

/** Rules that cannot be used; lists all problems at once. */
public final class InvalidRules extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<RuleProblem> problems;

  public InvalidRules(List<RuleProblem> problems) {
    super(problems.stream().map(RuleProblem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  public List<RuleProblem> problems() {
    return problems;
  }
}
