package io.fleetgauge.gateway.ingest.host;

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

  /** Ticks of other gateways' hosts, of which this one has copies. */
  public final LongAdder framesCopied = new LongAdder();

  /** Bodies that went to no copy, because none could be reached, and were synced instead. */
  public final LongAdder keptAlone = new LongAdder();

  /** Times at which a sender had been told of more than is here. */
  public final LongAdder gapsFound = new LongAdder();

  /** Comparisons of a host with another holder, by how they ended. */
  public final LongAdder comparedEqual = new LongAdder();

  public final LongAdder comparedAndFilled = new LongAdder();
  public final LongAdder compareFailed = new LongAdder();

  /** Pages of samples that came from other holders. */
  public final LongAdder pagesMerged = new LongAdder();

  /** Hosts that went elsewhere and were removed here. */
  public final LongAdder straysRemoved = new LongAdder();

  /** Ticks that came back from the journal after the start. */
  public final LongAdder ticksReplayed = new LongAdder();

  /** Records of the journal that could not be understood. */
  public final LongAdder recordsLost = new LongAdder();
}
