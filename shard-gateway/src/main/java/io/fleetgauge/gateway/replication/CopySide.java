package io.fleetgauge.gateway.replication;

/** A copy's side of one host. Not for several threads. Times in ms of any steady clock. */
public final class CopySide {
  static final long RETRY_MILLIS = 300;

  /** What to do with what came. */
  public enum Arrival {
    /** It is new. */
    TAKE,
    /** It was here before. */
    REPEATED,
    /** Something before it is missing. */
    BROKEN
  }

  private final long compareMillis;
  private String owner = "";
  private long session;
  private long expected;
  private boolean whole;
  private boolean pulling;
  private long pullAt;

  /**
   * @param compareMillis how often a whole copy is compared with the owner's
   */
  public CopySide(long compareMillis) {
    this.compareMillis = compareMillis;
  }

  /** Whether it has all that the owner acknowledged. */
  public boolean isWhole() {
    return whole;
  }

  /** Whose copy it is; empty before the first session. */
  public String owner() {
    return owner;
  }

  public long session() {
    return session;
  }

  /**
   * Bodies have come.
   *
   * @param number of the first of them within the session
   * @param count how many; 0 when the owner just asks
   */
  public Arrival arrived(String from, long fromSession, long number, int count, long now) {
    if (!from.equals(owner) || fromSession > session) {
      owner = from;
      session = fromSession;
      expected = number;
      whole = false;
      pulling = false;
      pullAt = now;
    }
    if (fromSession < session || number > expected) {
      return Arrival.BROKEN;
    }
    return number + count <= expected && count > 0 ? Arrival.REPEATED : Arrival.TAKE;
  }

  /** Bodies that had come are in memory now. */
  public void taken(long number, int count) {
    expected = Math.max(expected, number + count);
  }

  /** Bodies that had come could not be kept: the session cannot go on. */
  public void broke() {
    expected = -1;
    whole = false;
  }

  /**
   * Whether to pull from the owner now; the pull counts as begun then.
   *
   * @return whether there is anything to do
   */
  public boolean beginPull(long now) {
    if (owner.isEmpty() || pulling || expected < 0 || now < pullAt) {
      return false;
    }
    pulling = true;
    return true;
  }

  /**
   * A pull has ended.
   *
   * @param ofSession in which it was begun
   * @param done whether all that the owner had is here
   * @return whether the copy became whole by it
   */
  public boolean pulled(long ofSession, boolean done, long now) {
    if (ofSession != session || !pulling) {
      return false;
    }
    pulling = false;
    boolean became = done && !whole && expected >= 0;
    whole |= became;
    pullAt = now + (done ? compareMillis : RETRY_MILLIS);
    return became;
  }

  /** A pull has ended that compared a part only: the next one begins at once. */
  public void pullAgain(long ofSession, long now) {
    if (ofSession == session && pulling) {
      pulling = false;
      pullAt = now;
    }
  }
}
