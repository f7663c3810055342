package io.fleetgauge.query.prices;

import java.math.BigDecimal;
import java.util.SortedSet;

/**
 * Prices and carbon as they are in the files at one time.
 *
 * @param pue energy of the site for one of its computers' energy
 * @param leftOut entries of the files that are not understood
 */
public record Rates(Prices prices, Carbon carbon, BigDecimal pue, int leftOut) {
  public static final Rates NONE = new Rates(Prices.NONE, Carbon.NONE, BigDecimal.ONE, 0);

  /** The times after {@code from} and before {@code to} at which anything changes. */
  public SortedSet<Long> changes(long from, long to) {
    SortedSet<Long> changes = prices.changes(from, to);
    changes.addAll(carbon.changes(from, to));
    return changes;
  }
}
