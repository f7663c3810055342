package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.gateway.replication.ReplicaReply;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Counters of intake: requests, frames, copies and replay. */
public final class IngestCounts {
  public final LongAdder framesKept = new LongAdder();
  public final LongAdder framesRefused = new LongAdder();
  public final LongAdder dictionariesWanted = new LongAdder();
  public final LongAdder moved = new LongAdder();

  /** Approximate bytes in memory of the dictionaries of all runs. */
  public final LongAdder dictionaryBytes = new LongAdder();

  /** Requests rejected with 503: one counter for each exhausted resource. */
  public final LongAdder queueFull = new LongAdder();

  public final LongAdder replicaSlow = new LongAdder();
  public final LongAdder unsettled = new LongAdder();
  public final LongAdder memoryShort = new LongAdder();
  public final LongAdder diskTrouble = new LongAdder();

  /** Requests refused because their host would exceed a limit of the cluster, or of the tenant. */
  public final LongAdder overCluster = new LongAdder();

  public final LongAdder overHosts = new LongAdder();

  public final LongAdder overNewHosts = new LongAdder();

  /** Ticks of hosts that other gateways own and this one has copies of. */
  public final LongAdder framesCopied = new LongAdder();

  /** Requests to replicas that were sent again, because there was no answer or a wish for time. */
  public final LongAdder copiesRepeated = new LongAdder();

  /** Sessions with replicas that ended because of the replica's answer, or its silence. */
  private final Map<ReplicaReply, LongAdder> replicasLost = new EnumMap<>(ReplicaReply.class);

  {
    Stream.of(ReplicaReply.FAILED, ReplicaReply.LATER, ReplicaReply.BROKEN, ReplicaReply.STRANGER)
        .forEach(each -> replicasLost.put(each, new LongAdder()));
  }

  void replicaLost(ReplicaReply because) {
    replicasLost.get(because).increment();
  }

  /** The number of times that replicas fell behind, by reason. */
  public Map<String, Long> replicasLost() {
    Map<String, Long> byReason = new TreeMap<>();
    replicasLost.forEach((because, times) -> byReason.put(reason(because), times.sum()));
    return byReason;
  }

  static String reason(ReplicaReply because) {
    return switch (because) {
      case FAILED -> "silent";
      case LATER -> "slow";
      case BROKEN -> "protocol_error";
      case STRANGER -> "unknown_peer";
      case WHOLE, KEPT -> throw new IllegalArgumentException("" + because);
    };
  }

  /** Times that samples were written in the place of a silent probe. */
  public final LongAdder syntheticTicks = new LongAdder();

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

  /** Attempts to pack a closed segment of the journal that failed. */
  public final LongAdder packingsFailed = new LongAdder();
}
