package io.fleetgauge.probe.host.reading;

/** Counts what could not be understood of a subject, and knows the last of it. One thread adds. */
public final class Faults {
  private static final int MAX_LENGTH = 200;

  private volatile long count;
  private String last = "";

  /**
   * Counts one.
   *
   * @param what the file, the line, and what is wrong with it
   */
  void add(String what) {
    last = what.length() <= MAX_LENGTH ? what : what.substring(0, MAX_LENGTH) + " ...";
    count = count + 1;
  }

  /** The number of faults so far; for any thread. */
  public long count() {
    return count;
  }

  /** The last one; empty if there was none. */
  public String last() {
    return last;
  }
}
