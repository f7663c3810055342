package io.fleetgauge.gateway.store.read;

/** A read that would go over its budget; nothing of it is answered. */
public final class TooManySamples extends Exception {
  private static final long serialVersionUID = 1L;

  private TooManySamples(String message) {
    super(message);
  }

  /** That more series or bytes are asked for than a limit allows. */
  public static TooManySamples of(String what, long found, long most) {
    return new TooManySamples("there are " + found + " " + what + ", allowed are " + most);
  }

  public TooManySamples(long budget) {
    super(
        "query processing would load too many samples into memory in query execution; the limit is "
            + budget);
  }
}
