package io.fleetgauge.query.rules.running;

/** Why a slot is not evaluated now: what is missing may come. */
final class RetryLater extends Exception {
  private static final long serialVersionUID = 1L;

  RetryLater(String why) {
    super(why);
  }
}
