package io.fleetgauge.runtime.tenant;

/** A request is not allowed. */
public final class Refusal extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;

  private Refusal(int status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  /** The sender is unknown. The message says no more, so that nothing can be learned from it. */
  static Refusal unknown() {
    return new Refusal(401, "unauthorized");
  }

  static Refusal forbidden(String why) {
    return new Refusal(403, why);
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }
}
