package io.fleetgauge.query.cache;

import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.query.Selection;
import java.util.List;

/**
 * Which samples an answer was read from, and when.
 *
 * @param after only samples after this time were read, ms
 * @param to the last time that was read, ms
 * @param stamp the newest stamp of {@link Versions} before reading began
 */
public record ReadTime(long after, long to, long stamp) {
  /** Returns the time of all reads of a query. */
  public static ReadTime of(List<SamplesRead> reads, long stamp) {
    long after = Long.MAX_VALUE;
    long to = Long.MIN_VALUE;
    for (SamplesRead read : reads) {
      Selection selection = read.selection();
      after = Math.min(after, selection.from());
      to = Math.max(to, selection.to());
    }
    return new ReadTime(after, to, stamp);
  }

  /** Read time of an answer that is made of two reads: valid only while both are. */
  public ReadTime and(ReadTime other) {
    return new ReadTime(
        Math.min(after, other.after), Math.max(to, other.to), Math.min(stamp, other.stamp));
  }
}
