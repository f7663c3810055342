package io.fleetgauge.promql.usage;

import java.util.List;
import java.util.Optional;

/** What GPUs of a host were used for in one month of UTC, as it is kept after samples expire. */
public interface KeptMonth {
  /** The start of the month, ms since the epoch. */
  long from();

  /** The start of the next month, ms since the epoch. */
  long to();

  /** Returns true if samples of it are here, so that they can be read instead. */
  boolean hasSamples();

  /** Size of what {@link #whole} reads; 0 if it is empty. */
  long bytes();

  /**
   * All that is known of the month as one interval, as {@link KeptDay#whole}; empty if only its
   * days tell it.
   */
  Optional<KeptRows> whole();

  /** The days of it that are asked about and kept, in order. */
  List<KeptDay> days();
}
