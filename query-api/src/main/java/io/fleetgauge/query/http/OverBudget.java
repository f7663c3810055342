package io.fleetgauge.query.http;

/** That an answer is more than a limit allows. */
final class OverBudget extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OverBudget(String message) {
    super(message, null, false, false);
  }
}
