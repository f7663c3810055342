package io.fleetgauge.query.rules.definition;

import java.util.ArrayList;
import java.util.List;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.nodes.Node;

/** Collects what is wrong in one file. */
public final class Problems {
  private final String file;
  private final List<RuleProblem> all = new ArrayList<>();

  public Problems(String file) {
    this.file = file;
  }

  public void add(Node at, String message) {
    add(at.getStartMark(), message);
  }

  void add(Mark at, String message) {
    add(at.getLine() + 1, at.getColumn() + 1, message);
  }

  /**
   * @param line from 1
   * @param column from 1
   */
  public void add(int line, int column, String message) {
    all.add(new RuleProblem(file, line, column, message));
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** Throws all problems, in the order of their places, if there are any. */
  public void throwAny() throws InvalidRules {
    if (!all.isEmpty()) {
      all.sort(
          (a, b) ->
              a.line() != b.line()
                  ? Integer.compare(a.line(), b.line())
                  : Integer.compare(a.column(), b.column()));
      throw new InvalidRules(all);
    }
  }
}
