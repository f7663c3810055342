package io.fleetgauge.gateway.ingest;

import java.util.concurrent.atomic.LongAdder;

/** What became of every request and frame. */
public final class IngestCounts {
  public final LongAdder framesKept = new LongAdder();
  public final LongAdder framesRepeated = new LongAdder();
  public final LongAdder framesRefused = new LongAdder();
  public final LongAdder dictionariesWanted = new LongAdder();
  public final LongAdder moved = new LongAdder();
  public final LongAdder slowedDown = new LongAdder();
}
