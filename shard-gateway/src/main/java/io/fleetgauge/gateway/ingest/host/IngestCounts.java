package io.fleetgauge.gateway.ingest.host;

import java.util.concurrent.atomic.LongAdder;

/** Counters of intake: requests, frames, copies and replay. */
public final class IngestCounts {
  public final LongAdder framesKept = new LongAdder();
  public final LongAdder framesRefused = new LongAdder();
  public final LongAdder dictionariesWanted = new LongAdder();
  public final LongAdder moved = new LongAdder();

  /** Requests rejected with 503: one counter for each exhausted resource. */
  public final LongAdder queueFull = new LongAdder();

  /** Requests refused because their host would exceed a limit of the tenant. */
  public final LongAdder overHosts = new LongAdder();

  public final LongAdder overNewHosts = new LongAdder();

  public final LongAdder unsettled = new LongAdder();
  public final LongAdder memoryShort = new LongAdder();
  public final LongAdder diskTrouble = new LongAdder();

  /** Ticks of hosts that other gateways own and this one has copies of. */
  public final LongAdder framesCopied = new LongAdder();

  /** Bodies synced to the local disk because no replica could be reached. */
  public final LongAdder keptAlone = new LongAdder();

  /** Times that ticks were missing here which had been acknowledged to their sender. */
  public final LongAdder gapsFound = new LongAdder();

  /** Comparisons of a host with another gateway, by result. */
  public final LongAdder comparedEqual = new LongAdder();

  public final LongAdder comparedAndFilled = new LongAdder();
  public final LongAdder compareFailed = new LongAdder();

  /** Pages of samples fetched from other gateways. */
  public final LongAdder pagesMerged = new LongAdder();

  /** Hosts removed here because they belong to other gateways. */
  public final LongAdder straysRemoved = new LongAdder();

  /** Hosts removed here because an operator wanted it. */
  public final LongAdder hostsRemoved = new LongAdder();

  /** Ticks replayed from the journal after the start. */
  public final LongAdder ticksReplayed = new LongAdder();

  /** Records of the journal that could not be decoded. */
  public final LongAdder recordsLost = new LongAdder();
}
