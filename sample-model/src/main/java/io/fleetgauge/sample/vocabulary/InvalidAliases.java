package io.fleetgauge.sample.vocabulary;

import java.util.List;

/** A file of aliases cannot be used. */
public final class InvalidAliases extends Exception {
  private static final long serialVersionUID = 1;

  private final transient List<String> problems;

  InvalidAliases(String source, List<String> problems) {
    super(source + ":\n  " + String.join("\n  ", problems));
    this.problems = List.copyOf(problems);
  }

  /** Each problem with the line that has it. */
  public List<String> problems() {
    return problems;
  }
}
