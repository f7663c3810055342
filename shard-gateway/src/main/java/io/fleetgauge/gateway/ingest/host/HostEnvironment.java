package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.sample.journal.Journal;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * All that is outside of a host's intake: its thread, journal, clocks, the cluster. In production a
 * lane thread, in the cluster simulation one simulated process.
 */
public interface HostEnvironment {
  ClusterAccess cluster();

  /**
   * Runs {@code work} on the one thread that uses the host, after all that was given here before;
   * never within this call, and never waits.
   */
  void onLane(Runnable work);

  /** The journal's segment that records go into now. */
  long segment();

  /**
   * Appends a record to the journal, if its segment is still that one; never waits. Records are
   * written in the order in which they are appended.
   *
   * @param newest time of the newest sample in it, ms
   * @param forced whether the record counts as kept only when it and all before it are on the disk
   * @param done is given once, on any thread, whether the record is kept; never if it is not {@link
   *     Journal.AppendResult#QUEUED}
   */
  Journal.AppendResult append(
      long segment,
      String host,
      byte[] record,
      long newest,
      boolean forced,
      Consumer<Boolean> done);

  /** Returns true if the journal cannot be written at the moment. */
  boolean isDiskFailing();

  /** ms since the epoch. */
  long clock();

  /** ms of a clock that is never set. */
  long steadyMillis();

  /** Time for which samples are kept, ms. */
  long retentionMillis();

  /** Returns true if it is kept here what the host's GPUs were used for. */
  boolean hasUsage(String host);

  /** Returns true if that is a reason to keep a host that has no samples any more. */
  boolean isKeptForUsage(String host);

  /** The latest time of a sample that is not refused, ms since the epoch. */
  long latestTime();

  IngestCounts counts();

  /** Returns true if all that was kept before the start has been read. */
  boolean isRecovered();

  /**
   * States whether this gateway's copy of a host has all that its owner has.
   *
   * @param ofOwnerSince the epoch from which on that owner has owned the host; empty if the copy
   *     does not have all
   */
  void copyIsWhole(String host, OptionalLong ofOwnerSince);
}
