package io.fleetgauge.gateway.remotewrite;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What became of remote writes. */
public final class RemoteWriteCounts {
  public final LongAdder written = new LongAdder();
  public final LongAdder refused = new LongAdder();
  public final LongAdder putOff = new LongAdder();
  public final LongAdder samples = new LongAdder();

  /** Samples of series without a name, or with labels that are none. */
  public final LongAdder badSeries = new LongAdder();

  /** Bytes by which series are known that have been sent before. */
  public final AtomicLong keyBytes = new AtomicLong();

  /** How often a tenant's series had to be made known anew, because there were too many. */
  public final LongAdder forgotten = new LongAdder();
}
