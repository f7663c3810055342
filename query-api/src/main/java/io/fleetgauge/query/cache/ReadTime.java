package io.fleetgauge.query.cache;

/**
 * Which samples an answer was read from, and when.
 *
 * @param after only samples after this time were read, ms
 * @param to the last time that was read, ms
 * @param stamp the newest stamp of {@link Versions} before reading began
 */
public record ReadTime(long after, long to, long stamp) {
  /** Read time of an answer that is made of two reads: valid only while both are. */
  public ReadTime and(ReadTime other) {
    return new ReadTime(
        Math.min(after, other.after), Math.max(to, other.to), Math.min(stamp, other.stamp));
  }
}
