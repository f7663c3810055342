package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.ownership.Ownership.Verdict;
import io.fleetgauge.sample.frame.IntakeAnswer;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Decides, before a request reaches its host's lane, whether this gateway takes it. Safe for all
 * threads; never waits.
 */
public final class AdmissionControl {
  /** When a sender comes again, ms: after its host was made known to the cluster. */
  static final long UNKNOWN_RETRY_MILLIS = 250;

  /** After a while in which the newest table should have arrived. */
  static final long UNSETTLED_RETRY_MILLIS = 100;

  /** After a while in which a full queue has become shorter. */
  public static final long FULL_RETRY_MILLIS = 500;

  /** After a while in which memory or disk may have recovered. */
  public static final long TROUBLE_RETRY_MILLIS = 2_000;

  private final ClusterAccess cluster;
  private final Ownership ownership;
  private final BooleanSupplier isMemoryShort;
  private final IngestCounts counts;
  private final LongSupplier clock;
  private final NewHosts newHosts = new NewHosts();

  /**
   * @param isMemoryShort whether samples have to be turned away because memory is short
   * @param counts in which the answers are counted
   * @param clock ms since the epoch
   */
  public AdmissionControl(
      ClusterAccess cluster,
      BooleanSupplier isMemoryShort,
      IngestCounts counts,
      LongSupplier clock) {
    this.clock = clock;
    this.cluster = cluster;
    this.ownership = new Ownership(cluster.self());
    this.isMemoryShort = isMemoryShort;
    this.counts = counts;
  }

  /**
   * Decides on a sender's request.
   *
   * @param senderEpoch the newest epoch that the sender knows; 0 for none
   * @return the answer, if the request is not taken
   */
  public Optional<IntakeAnswer> refusal(String host, Sender sender, long senderEpoch) {
    return switch (ownership.of(host, cluster.view().get(), senderEpoch)) {
      case Verdict.Mine mine -> {
        if (!isMemoryShort.getAsBoolean()) {
          yield Optional.empty();
        }
        counts.memoryShort.increment();
        yield slowDown(TROUBLE_RETRY_MILLIS);
      }
      case Verdict.Theirs theirs -> {
        counts.moved.increment();
        yield Optional.of(new IntakeAnswer.Moved(theirs.address(), theirs.epoch()));
      }
      case Verdict.Unknown unknown -> {
        ClusterView view = cluster.view().get();
        if (view.table().hosts().size() >= OwnershipTable.MAX_HOSTS) {
          counts.overCluster.increment();
          yield Optional.of(NewHosts.overCluster(host));
        }
        long now = clock.getAsLong();
        Optional<IntakeAnswer> refusal = newHosts.refusal(host, sender, view, now);
        if (refusal.isEmpty()) {
          cluster.register().accept(host, new Admission(sender.tenant(), now));
        }
        if (refusal.orElse(null) instanceof IntakeAnswer.OverLimit over) {
          (over.millis() == 0 ? counts.overHosts : counts.overNewHosts).increment();
        } else {
          counts.unsettled.increment();
        }
        yield refusal.or(() -> slowDown(UNKNOWN_RETRY_MILLIS));
      }
      case Verdict.Unsettled unsettled -> {
        counts.unsettled.increment();
        yield slowDown(UNSETTLED_RETRY_MILLIS);
      }
    };
  }

  private static Optional<IntakeAnswer> slowDown(long millis) {
    return Optional.of(new IntakeAnswer.SlowDown(millis));
  }

  /** Returns true if what an owner sends to its replica here is taken now; later otherwise. */
  public boolean takesCopies() {
    return !isMemoryShort.getAsBoolean();
  }
}
