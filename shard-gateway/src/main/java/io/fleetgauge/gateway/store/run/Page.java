package io.fleetgauge.gateway.store.run;

import io.fleetgauge.gateway.store.chunk.Chunks;
import io.fleetgauge.sample.wire.WireWriter;

/**
 * Where the times of a series' open page stand.
 *
 * @param number of the column
 * @param from the first of its times
 */
public record Page(TimeColumn column, int number, int from) {
  /** What a lane lends its series while it writes. */
  public interface Maker {
    /** A page whose first time is this one. */
    Page page(TimeColumn before, int number, long time);

    /** A page with some times of a column and one more, which is not the column's next. */
    Page diverge(TimeColumn column, int from, int count, long time);

    Chunks chunks();

    WireWriter scratch();
  }
}
