package io.fleetgauge.gateway.ingest;

import java.util.concurrent.atomic.LongAdder;

/** What became of every request and frame. */
public final class IngestCounts {
  public final LongAdder framesKept = new LongAdder();
  public final LongAdder framesRefused = new LongAdder();
  public final LongAdder dictionariesWanted = new LongAdder();
  public final LongAdder moved = new LongAdder();

  /** Bodies that were told to come again: for each reason one. */
  public final LongAdder queueFull = new LongAdder();

  public final LongAdder unsettled = new LongAdder();
  public final LongAdder memoryShort = new LongAdder();
  public final LongAdder diskTrouble = new LongAdder();

  /** Ticks that came back from the journal after the start. */
  public final LongAdder ticksReplayed = new LongAdder();

  /** Records of the journal that could not be understood. */
  public final LongAdder recordsLost = new LongAdder();
}
