package io.fleetgauge.gateway.remotewrite;

import java.util.concurrent.atomic.LongAdder;

/** What became of remote writes. */
public final class RemoteWriteCounts {
  public final LongAdder written = new LongAdder();
  public final LongAdder refused = new LongAdder();
  public final LongAdder putOff = new LongAdder();
  public final LongAdder samples = new LongAdder();

  /** Samples of series without a name, or with labels that are none. */
  public final LongAdder badSeries = new LongAdder();
}
