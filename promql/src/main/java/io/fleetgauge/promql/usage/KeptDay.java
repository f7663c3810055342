package io.fleetgauge.promql.usage;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What GPUs of a host were used for in one day of UTC, as it is kept after samples expire. */
public interface KeptDay {
  /** Length of a day, ms. */
  long MILLIS = TimeUnit.DAYS.toMillis(1);

  /** Length of the intervals of {@link #hours}, ms. */
  long HOUR = TimeUnit.HOURS.toMillis(1);

  /** Hours of a day. */
  int HOURS = (int) (MILLIS / HOUR);

  /** The start of the day, ms since the epoch. */
  long from();

  /** Returns true if the samples that it was made of are here, so that they can be read instead. */
  boolean hasSamples();

  /** Size of what is read. */
  long bytes();

  /**
   * The day as one interval; its rows have no labels but {@link UsageLabels#OF_MODEL}. Empty if it
   * cannot be read.
   */
  Optional<KeptRows> whole();

  /** An interval for each hour; empty if it cannot be read. */
  Optional<KeptRows> hours();
}
