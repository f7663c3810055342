package io.fleetgauge.gateway.ingest;

import io.fleetgauge.gateway.ingest.host.HostIntake;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads blocks and journal after a start, host by host on the lane threads. Intake is open
 * meanwhile.
 */
final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  private final LaneThreads threads;
  private volatile String trouble = "";

  Recovery(LaneThreads threads) {
    this.threads = threads;
  }

  /** Why the recovery failed; empty when it did not. */
  String trouble() {
    return trouble;
  }

  void failed(Exception e) {
    LOG.error("samples from before the start cannot be loaded", e);
    trouble = "samples from before the start cannot be loaded: " + e;
  }

  /**
   * @param tail hears of the last ticks
   * @throws IOException if the disk cannot be read
   * @throws InterruptedException if the intake was closed meanwhile
   */
  void run(JournalTail tail) throws IOException, InterruptedException {
    long start = System.nanoTime();
    for (String host : threads.store.hostsOnDisk()) {
      onLane(host, LaneThread.REPLAY_AHEAD, () -> restore(host));
    }
    threads.journal.replay(
        (segment, record) -> {
          try {
            String host = FrameDecoder.host(record);
            tail.record(segment, host, record); // before the recovery is known to be over
            onLane(host, 1, () -> replay(host, segment, record));
          } catch (WireException e) {
            lost(segment, e);
          }
        });
    List<CompletableFuture<Boolean>> all = new ArrayList<>();
    for (LaneThread thread : threads.all()) {
      thread.replayAhead.acquire(LaneThread.REPLAY_AHEAD);
      CompletableFuture<Boolean> last =
          thread.call(
              hosts -> {
                hosts.recovered();
                return true;
              });
      if (last.isCompletedExceptionally()) {
        return; // closed before all was read
      }
      all.add(last);
    }
    all.forEach(CompletableFuture::join);
    threads.recovered();
    if (threads.counts.ticksReplayed.sum() > 0 || threads.store.blockCount() > 0) {
      LOG.info(
          "recovered {} blocks and {} ticks of {} hosts in {} ms",
          threads.store.blockCount(),
          threads.counts.ticksReplayed.sum(),
          threads.store.hostCount(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    }
  }

  /**
   * Hands work to a host's thread; waits while too much waits there.
   *
   * @param permits how much of what may wait the work counts for
   */
  private void onLane(String host, int permits, Runnable work) throws InterruptedException {
    LaneThread thread = threads.of(host);
    thread.replayAhead.acquire(permits);
    boolean running =
        thread.run(
            () -> {
              try {
                work.run();
              } finally {
                thread.replayAhead.release(permits);
              }
            });
    if (!running) {
      throw new InterruptedException("the intake is closed");
    }
  }

  /** Takes in the blocks in a host's folder; on the host's thread. */
  void restore(String host) {
    try {
      threads.store.restore(host);
      threads.of(host).hosts().host(host);
    } catch (IOException e) {
      LOG.error("the blocks of host {} cannot be read: {}", host, e.toString());
    }
  }

  private void replay(String host, long segment, byte[] record) {
    try {
      HostIntake.ReplayedRecord replayed = threads.of(host).hosts().host(host).replay(record);
      if (replayed.isRemoval()) {
        // Blocks that were there before it are gone; those that are there came later.
        threads.store.forget(host);
        threads.of(host).hosts().remove(host);
        restore(host);
      }
      threads.segments.note(segment, host, replayed.newest());
    } catch (WireException e) {
      lost(segment, e);
    }
  }

  private void lost(long segment, WireException e) {
    threads.counts.recordsLost.increment();
    LOG.error("a record of the journal's segment {} is lost: {}", segment, e.getMessage());
  }
}
