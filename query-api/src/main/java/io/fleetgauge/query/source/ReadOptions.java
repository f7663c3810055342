package io.fleetgauge.query.source;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.runtime.trace.Span;

/**
 * Options of a read.
 *
 * @param load of the read
 * @param timeoutMillis time for the whole read, above 0
 * @param cancellation ends the read early, here and wherever it is executed
 * @param span that the read is a part of
 * @param together true if it may share a request with others that begin at the same time, which it
 *     then waits for
 */
public record ReadOptions(
    Load load, long timeoutMillis, Cancellation cancellation, Span span, boolean together) {
  /** Part of no trace. */
  public ReadOptions(Load load, long timeoutMillis, Cancellation cancellation) {
    this(load, timeoutMillis, cancellation, Span.NONE, false);
  }

  /** The same, as a part of a trace. */
  public ReadOptions within(Span part) {
    return new ReadOptions(load, timeoutMillis, cancellation, part, together);
  }

  /** The same, in requests that it may share. */
  public ReadOptions together(boolean may) {
    return new ReadOptions(load, timeoutMillis, cancellation, span, may);
  }
}
