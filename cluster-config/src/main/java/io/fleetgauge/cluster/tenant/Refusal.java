package io.fleetgauge.cluster.tenant;

/** That somebody may not do what was asked. */
public final class Refusal extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;

  private Refusal(int status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  /** Nobody knows who asks; no more is said. */
  static Refusal unknown() {
    return new Refusal(401, "unauthorized");
  }

  static Refusal forbidden(String why) {
    return new Refusal(403, why);
  }

  static Refusal busy() {
    return new Refusal(503, "too many tokens are being checked; come again");
  }

  /** As HTTP has it. */
  public int status() {
    return status;
  }
}
