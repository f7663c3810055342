package io.fleetgauge.gateway.store.run;

import io.fleetgauge.gateway.store.chunk.Chunks;
import io.fleetgauge.sample.wire.WireWriter;

/**
 * The position of the times of a series' open page.
 *
 * @param number of the column
 * @param from the first of its times
 */
public record Page(TimeColumn column, int number, int from) {
  /** The lane as series need it while it writes. */
  public interface Maker {
    /** A page that begins with a time. */
    Page page(TimeColumn before, int number, long time);

    /** A page with some times of a column and one more that is not the column's next time. */
    Page diverge(TimeColumn column, int from, int count, long time);

    Chunks chunks();

    WireWriter scratch();
  }
}
