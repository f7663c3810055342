package io.fleetgauge.query.http;

/** That an answer is more than a limit allows. */
public final class OverBudget extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public OverBudget(String message) {
    super(message, null, false, false);
  }
}
