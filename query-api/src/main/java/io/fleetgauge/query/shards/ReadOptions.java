package io.fleetgauge.query.shards;

import io.fleetgauge.promql.fair.Load;
import java.util.Optional;

/**
 * How shards are read.
 *
 * @param load whose read it is and how much work
 * @param timeoutMillis time for the whole read, above 0
 * @param cancellation ends the read early, here and on the shards
 * @param since parts of a query are to come with what had changed since this look; empty when
 *     nobody asks
 */
public record ReadOptions(
    Load load, long timeoutMillis, Cancellation cancellation, Optional<Changes> since) {
  /** Without a question for changes. */
  public ReadOptions(Load load, long timeoutMillis, Cancellation cancellation) {
    this(load, timeoutMillis, cancellation, Optional.empty());
  }

  /** The same, with a question for changes. */
  public ReadOptions since(Optional<Changes> last) {
    return new ReadOptions(load, timeoutMillis, cancellation, last);
  }
}
