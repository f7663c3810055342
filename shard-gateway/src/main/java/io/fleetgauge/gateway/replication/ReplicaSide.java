package io.fleetgauge.gateway.replication;

/**
 * Decides for one host on a gateway that is a replica of it. Not thread-safe. Times in ms of any
 * steady clock.
 */
public final class ReplicaSide {
  static final long RETRY_MILLIS = 300;

  /** The place in the session of the bodies that arrived. */
  public enum Arrival {
    /** They are new. */
    TAKE,
    /** They were taken before. */
    REPEATED,
    /** Bodies before them are missing. */
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
   * @param compareMillis interval at which a whole replica is compared with the owner, ms
   */
  public ReplicaSide(long compareMillis) {
    this.compareMillis = compareMillis;
  }

  /** Returns true if the replica has every tick that the owner acknowledged. */
  public boolean isWhole() {
    return whole;
  }

  /** The id of the owner; empty before the first session. */
  public String owner() {
    return owner;
  }

  public long session() {
    return session;
  }

  /**
   * Bodies have arrived.
   *
   * @param number of the first of them within the session
   * @param count number of bodies; 0 when the owner only asks for the replica's state
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

  /** Bodies that arrived are in memory now. */
  public void taken(long number, int count) {
    expected = Math.max(expected, number + count);
  }

  /** Bodies that arrived could not be kept: ends the session. */
  public void broke() {
    expected = -1;
    whole = false;
  }

  /**
   * Begins a pull from the owner if one is due.
   *
   * @return whether a pull has begun
   */
  public boolean beginPull(long now) {
    if (now < pullAt()) {
      return false;
    }
    pulling = true;
    return true;
  }

  /** When the next pull is due; {@link Long#MAX_VALUE} when none is before something happens. */
  public long pullAt() {
    return owner.isEmpty() || pulling || expected < 0 ? Long.MAX_VALUE : pullAt;
  }

  /**
   * A pull has ended.
   *
   * @param ofSession the session in which the pull began
   * @param done whether everything that the owner had is here
   * @return whether this made the replica whole
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

  /** A pull has ended that compared only a part: the next one is due at once. */
  public void pullAgain(long ofSession, long now) {
    if (ofSession == session && pulling) {
      pulling = false;
      pullAt = now;
    }
  }
}
