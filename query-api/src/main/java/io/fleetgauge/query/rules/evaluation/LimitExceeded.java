package io.fleetgauge.query.rules.evaluation;

/** More alerts are active than the group allows. */
final class LimitExceeded extends Exception {
  private static final long serialVersionUID = 1L;

  LimitExceeded(String message) {
    super(message);
  }
}
