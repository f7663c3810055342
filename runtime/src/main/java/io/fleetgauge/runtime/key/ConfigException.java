package io.fleetgauge.runtime.key;

import java.util.List;

/** A configuration that cannot be used: all its problems. */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<String> problems;

  ConfigException(String source, List<String> problems) {
    super(
        source
            + " has "
            + problems.size()
            + (problems.size() == 1 ? " problem:" : " problems:")
            + "\n  - "
            + String.join("\n  - ", problems));
    this.problems = List.copyOf(problems);
  }

  public List<String> problems() {
    return problems;
  }
}
