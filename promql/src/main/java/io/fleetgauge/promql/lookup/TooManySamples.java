package io.fleetgauge.promql.lookup;

/** A read that exceeds a limit; nothing of it is returned. */
public final class TooManySamples extends Exception {
  private static final long serialVersionUID = 1L;

  private TooManySamples(String message) {
    super(message);
  }

  /** More series or bytes than a limit allows. */
  public static TooManySamples of(String what, long found, long most) {
    return new TooManySamples("there are " + found + " " + what + "; the limit is " + most);
  }

  public TooManySamples(long budget) {
    super(
        "query processing would load too many samples into memory in query execution; the limit is "
            + budget);
  }
}
