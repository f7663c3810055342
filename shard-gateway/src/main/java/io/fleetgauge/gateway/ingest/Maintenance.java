package io.fleetgauge.gateway.ingest;

import io.fleetgauge.gateway.ingest.host.HostIntake;
import io.fleetgauge.gateway.ingest.host.LaneHosts;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Sealing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work on samples after they were taken in: sealed blocks are written, usage is kept, expired
 * blocks are removed, segments of the journal freed whose samples are in blocks, and the others
 * packed.
 */
final class Maintenance {
  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

  private static final int MAX_WRITES_QUEUED = 100_000;

  /** A segment that covers so much of a host's time ends, so that it can be packed. */
  private static final long LONG_SEGMENT_MILLIS = 30 * 60_000;

  /** During a backlog, a segment that has just been closed is about to be freed. */
  private static final long UNPACKED_MILLIS = 30_000;

  private final LaneThreads threads;
  private final ExecutorService writer;
  private final UsageKeeper usage;
  private volatile String blockTrouble = "";

  /** When closed segments were first seen, ms of a clock that is never set. Sealer thread only. */
  private final Map<Long, Long> closedAt = new HashMap<>();

  private boolean isPackingFailing;

  private volatile long copiesEqualAt;

  Maintenance(LaneThreads threads) {
    this.threads = threads;
    this.usage = new UsageKeeper(threads.store, threads.clock);
    this.writer =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WRITES_QUEUED),
            Thread.ofPlatform().daemon().name("sealer").factory());
  }

  /** Why blocks cannot be written; empty when they can. */
  String blockTrouble() {
    return blockTrouble;
  }

  /**
   * When all copies here had been found equal to their owners', ms since the epoch; 0 when one
   * never was or none is here.
   */
  long copiesEqualAt() {
    return copiesEqualAt;
  }

  /**
   * Moves what has been in memory long enough to blocks, removes what has expired, and forgets
   * hosts that nothing is left of.
   *
   * @return completed when all of it is done or has failed
   */
  CompletableFuture<Void> run() {
    if (!threads.isRecovered()) {
      return CompletableFuture.completedFuture(null);
    }
    long dropBefore = threads.store.dropBefore();
    List<CompletableFuture<Long>> all = new ArrayList<>();
    for (LaneThread thread : threads.all()) {
      List<CompletableFuture<Void>> sealings = new ArrayList<>();
      all.add(
          thread
              .call(hosts -> maintain(thread, hosts, dropBefore, sealings))
              .thenCompose(equalAt -> together(sealings).thenApply(none -> equalAt))
              .exceptionally(closed -> Long.MAX_VALUE));
    }
    return together(all)
        .thenCompose(
            none -> {
              long oldest = all.stream().mapToLong(CompletableFuture::join).min().orElseThrow();
              copiesEqualAt = oldest == Long.MAX_VALUE ? 0 : oldest;
              long current = threads.journal.segment();
              threads.journal.dropBefore(threads.segments.freeBefore(this::safeBefore, current));
              if (threads.segments.covers(current, LONG_SEGMENT_MILLIS)) {
                threads.journal.endSegment();
              }
              return packing();
            });
  }

  private CompletableFuture<Void> packing() {
    try {
      return CompletableFuture.runAsync(this::pack, writer);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.completedFuture(null); // the intake is closed
    }
  }

  /** Packs the segments that have been closed for a while. */
  private void pack() {
    List<Long> closed = threads.journal.unpacked();
    long now = threads.steadyMillis.getAsLong();
    closedAt.keySet().retainAll(closed);
    for (long segment : closed) {
      if (now - closedAt.computeIfAbsent(segment, none -> now) < UNPACKED_MILLIS) {
        continue;
      }
      try {
        threads.journal.pack(segment);
        isPackingFailing = false;
      } catch (IOException e) {
        threads.counts.packingsFailed.increment();
        if (!isPackingFailing) {
          LOG.warn("a segment of the journal is kept longer than necessary: {}", e.toString());
        }
        isPackingFailing = true;
      }
    }
  }

  /**
   * Maintains the hosts of one thread, on that thread.
   *
   * @return when its copies were last found equal to their owners', the longest ago
   */
  private long maintain(
      LaneThread thread, LaneHosts hosts, long dropBefore, List<CompletableFuture<Void>> sealings) {
    long equalAt =
        hosts.all().stream()
            .flatMapToLong(host -> host.copyEqualAt().stream())
            .min()
            .orElse(Long.MAX_VALUE);
    for (String host : hosts.names()) {
      maintain(thread, host, dropBefore, sealings);
    }
    return equalAt;
  }

  private static CompletableFuture<Void> together(List<? extends CompletableFuture<?>> all) {
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
  }

  private long safeBefore(String host) {
    Optional<Lane> lane = threads.store.find(host);
    return lane.isEmpty() ? Long.MAX_VALUE : lane.get().sealedBefore();
  }

  private void maintain(
      LaneThread thread, String host, long dropBefore, List<CompletableFuture<Void>> sealings) {
    HostIntake intake = thread.hosts().host(host);
    Lane lane = intake.lane();
    long now = intake.now(thread.clock());
    long expired = Math.max(expiredBefore(), now - threads.store.limits().retention().toMillis());
    // Before samples are dropped, the usage is kept that they tell.
    long before = usage.keep(lane, now, Math.max(dropBefore, expired), sealings);
    delete(lane.dropBlocks(before));
    if (!thread.sealing.contains(host)) {
      // A block that is sealed again may have the name of the damaged one.
      delete(lane.missing().takeUnneeded());
      lane.beginSealing(now, expired).ifPresent(sealing -> sealings.add(seal(thread, sealing)));
    }
    lane.measure();
    if (lane.isEmpty()
        && lane.newest() < expired
        && !thread.sealing.contains(host)
        && !thread.isKeptForUsage(host)
        && !intake.isHeld()) {
      if (threads.store.usage().has(host)) {
        usage.remove(host);
        threads.store.usage().counts().dropped.increment();
        LOG.info(
            "the usage of host {}, which is gone, is removed early: the cluster has many hosts",
            host);
      }
      thread.hosts().remove(host);
      threads.store.forget(host);
    }
  }

  private long expiredBefore() {
    return threads.clock.getAsLong() - threads.store.limits().retention().toMillis();
  }

  private CompletableFuture<Void> seal(LaneThread thread, Sealing sealing) {
    String host = sealing.lane().host();
    CompletableFuture<Void> done = new CompletableFuture<>();
    thread.sealing.add(host);
    writer.execute(
        () -> {
          Sealing.SealedBlock sealed;
          try {
            // A block in another folder would be lost when the right one is back.
            threads.journal.requireFolders();
            sealed = sealing.write(threads.store.folder(host));
            blockTrouble = "";
          } catch (IOException | RuntimeException e) {
            sealed = null;
            threads.store.counts().blockFailed();
            if (blockTrouble.isEmpty()) {
              LOG.error("a block of host {} cannot be written: {}", host, e.toString());
            }
            blockTrouble = "blocks cannot be written: " + e;
          }
          finish(thread, sealing, sealed, done);
        });
    return done;
  }

  private void finish(
      LaneThread thread,
      Sealing sealing,
      Sealing.SealedBlock sealed,
      CompletableFuture<Void> done) {
    Runnable work =
        () -> {
          String host = sealing.lane().host();
          thread.sealing.remove(host);
          if (sealed == null) {
            done.complete(null);
            return;
          }
          sealing.lane().finish(sealed);
          // A host that was away for long may have more to seal.
          long now = thread.hosts().host(host).now(thread.clock());
          Optional<Sealing> next = sealing.lane().beginSealing(now, expiredBefore());
          if (next.isPresent()) {
            seal(thread, next.get()).thenRun(() -> done.complete(null));
          } else {
            done.complete(null);
          }
        };
    if (!thread.run(work)) {
      done.complete(null);
    }
  }

  /**
   * Removes all of a host that is kept elsewhere, or that an operator removes; on the host's
   * thread.
   */
  void remove(LaneThread thread, String host) {
    if (thread.sealing.contains(host)) {
      return;
    }
    boolean isRemoved = thread.hosts().find(host).map(HostIntake::isRemoved).orElse(false);
    List<Path> files = threads.store.blockFiles(host);
    threads.store.forget(host);
    usage.remove(host);
    thread.hosts().remove(host);
    if (isRemoved) {
      threads.counts.hostsRemoved.increment();
      LOG.info("host {} is removed by an operator, and its samples here with it", host);
      // When the blocks are gone: at a start, those that are there are newer than the record.
      writer.execute(
          () -> {
            deleteNow(files);
            thread.run(() -> thread.hosts().host(host).noteRemoval());
          });
    } else {
      threads.counts.straysRemoved.increment();
      LOG.info("host {} is kept on other gateways; its samples here are removed", host);
      delete(files);
    }
  }

  private void delete(List<Path> files) {
    if (!files.isEmpty()) {
      writer.execute(() -> deleteNow(files));
    }
  }

  private static void deleteNow(List<Path> files) {
    for (Path file : files) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        LOG.warn("an obsolete block cannot be removed: {}", e.toString());
      }
    }
  }

  /** Finishes what was begun. */
  void shutdown() {
    writer.shutdown();
    usage.shutdown();
  }

  void awaitEnd(long seconds) throws InterruptedException {
    writer.awaitTermination(seconds, TimeUnit.SECONDS);
    usage.awaitEnd(seconds);
  }
}
