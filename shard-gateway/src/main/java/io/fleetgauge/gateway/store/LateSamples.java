package io.fleetgauge.gateway.store;

import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * Hears of samples that are stored when those of their time may have been read already. Safe for
 * all threads; it is called on the threads of the lanes' writers, and does not block.
 */
public interface LateSamples {
  /** Hears of nothing. */
  LateSamples NONE =
      new LateSamples() {
        @Override
        public boolean isLate(String host, Lane.Source source, long time) {
          return false;
        }

        @Override
        public void stored(String host, long time, List<Labels> series) {}

        @Override
        public void stored(String host, long after, long to) {}
      };

  /**
   * Returns true if {@link #stored} wants to know of a sample. It is asked after the sample was
   * stored, so whoever reads after it has been asked finds the sample.
   *
   * @param time ms since the epoch
   */
  boolean isLate(String host, Lane.Source source, long time);

  /** Samples of a time were stored that were not here before. */
  void stored(String host, long time, List<Labels> series);

  /** Samples of a range of time were stored as a block; some of them may have been here before. */
  void stored(String host, long after, long to);
}
