package io.fleetgauge.query.shards;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.runtime.trace.Span;
import java.util.Optional;

/**
 * How shards are read.
 *
 * @param load whose read it is and how much work
 * @param timeoutMillis time for the whole read, above 0
 * @param cancellation ends the read early, here and on the shards
 * @param since parts of a query are to come with what had changed since this look; empty when
 *     nobody asks
 * @param span what the read is a part of
 * @param together whether it may share a request with others that begin at the same time, which it
 *     then waits for
 */
public record ReadOptions(
    Load load,
    long timeoutMillis,
    Cancellation cancellation,
    Optional<Changes> since,
    Span span,
    boolean together) {
  /** Without a question for changes, and part of no trace. */
  public ReadOptions(Load load, long timeoutMillis, Cancellation cancellation) {
    this(load, timeoutMillis, cancellation, Optional.empty(), Span.NONE, false);
  }

  /** The same, as a part of a trace. */
  public ReadOptions within(Span part) {
    return new ReadOptions(load, timeoutMillis, cancellation, since, part, together);
  }

  /** The same, with a question for changes. */
  public ReadOptions since(Optional<Changes> last) {
    return new ReadOptions(load, timeoutMillis, cancellation, last, span, together);
  }

  /** The same, in requests that it may share. */
  public ReadOptions together(boolean may) {
    return new ReadOptions(load, timeoutMillis, cancellation, since, span, may);
  }
}
