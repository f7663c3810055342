package io.fleetgauge.query.rules.source;

/** Rules that were refused because a limit is reached; the message names limit and value. */
public final class RuleLimit extends Exception {
  private static final long serialVersionUID = 1L;

  RuleLimit(String message) {
    super(message);
  }
}
