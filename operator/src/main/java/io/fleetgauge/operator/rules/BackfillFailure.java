package io.fleetgauge.operator.rules;

/** Why a range cannot be filled. */
public final class BackfillFailure extends Exception {
  private static final long serialVersionUID = 1L;

  public BackfillFailure(String message) {
    super(message);
  }
}
