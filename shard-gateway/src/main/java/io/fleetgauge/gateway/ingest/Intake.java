package io.fleetgauge.gateway.ingest;

import io.fleetgauge.gateway.ingest.host.AdmissionControl;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.HostIntake;
import io.fleetgauge.gateway.ingest.host.IngestCounts;
import io.fleetgauge.gateway.ingest.host.Peers;
import io.fleetgauge.gateway.ingest.host.Sender;
import io.fleetgauge.gateway.replication.ReplicaReply;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.journal.Journal;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes in what senders and other gateways send: decides whether this gateway takes it and hands it
 * to the host's lane thread. Safe for all threads.
 */
public final class Intake implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);

  private final LaneThreads threads;
  private final AdmissionControl admission;
  private final Recovery recovery;
  private final Maintenance maintenance;
  private final int maxQueued;

  /**
   * @param clock ms since the epoch
   * @param laneThreads how many threads decode and write
   * @param maxQueued most bodies that wait for each of them
   */
  public Intake(
      Store store,
      Journal journal,
      ClusterAccess cluster,
      MemoryWatermark memory,
      LongSupplier clock,
      int laneThreads,
      int maxQueued) {
    this(
        store,
        journal,
        cluster,
        memory,
        clock,
        () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
        laneThreads,
        maxQueued);
  }

  /**
   * As above.
   *
   * @param steadyMillis ms of a clock that is never set
   */
  Intake(
      Store store,
      Journal journal,
      ClusterAccess cluster,
      MemoryWatermark memory,
      LongSupplier clock,
      LongSupplier steadyMillis,
      int laneThreads,
      int maxQueued) {
    this.threads = new LaneThreads(store, journal, cluster, clock, steadyMillis, laneThreads);
    this.admission = new AdmissionControl(cluster, memory::samplesAreShed, threads.counts, clock);
    this.recovery = new Recovery(threads);
    this.maintenance = new Maintenance(threads);
    this.maxQueued = maxQueued;
  }

  public IngestCounts counts() {
    return threads.counts;
  }

  // --- senders ---

  /**
   * Takes a body in.
   *
   * @param sender who sends it, if the host is new
   * @param senderEpoch the newest epoch that the sender knows; 0 for none
   * @param acknowledged the last sequence of the body's run that was acknowledged to the sender; 0
   *     when it does not say
   * @param answer is given the answer, here or on another thread, once the body is kept
   */
  public void take(
      String host,
      Sender sender,
      byte[] body,
      long senderEpoch,
      long acknowledged,
      HostIntake.Acknowledger answer) {
    admit(host, sender, senderEpoch, answer, intake -> intake.take(body, acknowledged, answer));
  }

  /** The same of a sender without limits that does not say what was acknowledged to it. */
  public void take(String host, byte[] body, long senderEpoch, HostIntake.Acknowledger answer) {
    take(host, Sender.UNLIMITED, body, senderEpoch, 0, answer);
  }

  /** Finds out what of a body would be refused, and keeps nothing. */
  public void check(
      String host, Sender sender, byte[] body, long senderEpoch, HostIntake.Acknowledger answer) {
    admit(host, sender, senderEpoch, answer, intake -> answer.accept(intake.check(body)));
  }

  private void admit(
      String host,
      Sender sender,
      long senderEpoch,
      HostIntake.Acknowledger answer,
      Consumer<HostIntake> work) {
    Optional<IntakeAnswer> refusal = admission.refusal(host, sender, senderEpoch);
    if (refusal.isPresent()) {
      answer.accept(refusal.get());
      return;
    }
    LaneThread thread = threads.of(host);
    Span wait = answer.span().child("ingest queue");
    boolean isTaken =
        thread.queued() < maxQueued
            && thread.run(
                () -> {
                  wait.end();
                  try {
                    work.accept(thread.hosts().host(host));
                  } catch (RuntimeException | VirtualMachineError e) {
                    // Without an answer, also when memory is short, the sender would wait for its
                    // timeout.
                    LOG.error("a request body of host {} cannot be accepted", host, e);
                    answer.accept(new IntakeAnswer.SlowDown(AdmissionControl.TROUBLE_RETRY_MILLIS));
                  }
                });
    if (!isTaken) {
      threads.counts.queueFull.increment();
      answer.accept(new IntakeAnswer.SlowDown(AdmissionControl.FULL_RETRY_MILLIS));
    }
  }

  // --- other gateways ---

  /** The table has changed, or this gateway has read what it kept before its start. */
  public void lookAtAll() {
    look(true);
  }

  /** Does what is due of the hosts that are shared with others; called several times a second. */
  public void timePassed() {
    look(false);
  }

  /** In how many ms {@link #timePassed} has something to do, as far as is known now. */
  public long dueInMillis() {
    long next = Long.MAX_VALUE;
    for (LaneThread thread : threads.all()) {
      next = Math.min(next, thread.dueInMillis());
    }
    return next;
  }

  private void look(boolean atAll) {
    if (!threads.cluster.isReplicated()
        && threads.wholeCopies.isEmpty()
        && !threads.isRecovered()) {
      return;
    }
    for (LaneThread thread : threads.all()) {
      if (atAll) {
        thread.lookAtAll.set(true);
      }
      if ((atAll || thread.dueInMillis() == 0) && thread.looking.compareAndSet(false, true)) {
        thread.run(
            () -> {
              thread.looking.set(false);
              if (thread.lookAtAll.getAndSet(false)) {
                thread.hosts().lookAtAll();
              }
              for (String host : thread.hosts().timePassed()) {
                maintenance.remove(thread, host);
              }
            });
      }
    }
  }

  /**
   * Returns true if this gateway's copy of a host has all that its owner has. An answer about an
   * earlier owner, or an earlier time of the same one, says nothing: the table may be known here
   * before the host's lane follows it.
   *
   * @param ownerSince the epoch from which on the owner has owned the host
   */
  public boolean isWholeCopy(String host, long ownerSince) {
    Long since = threads.wholeCopies.get(host);
    return since != null && since == ownerSince;
  }

  /** Bodies have come from the owner of a host that this gateway has a copy of. */
  public void copied(Peers.Copy copy, Consumer<Peers.CopyAnswer> answer) {
    LaneThread thread = threads.of(copy.host());
    if (!admission.takesCopies()
        || thread.queued() >= maxQueued
        || !thread.run(() -> thread.hosts().host(copy.host()).copied(copy, answer))) {
      answer.accept(Peers.CopyAnswer.of(ReplicaReply.LATER));
    }
  }

  /** Another gateway has something of a host that this one owns. */
  public void offered(String host, String from, Consumer<Boolean> merged) {
    LaneThread thread = threads.of(host);
    if (!thread.run(() -> thread.hosts().host(host).offered(from, merged))) {
      merged.accept(false);
    }
  }

  /** Finds out the state of a host, on its lane's thread. */
  public CompletableFuture<HostIntake.State> state(String host) {
    return threads.of(host).call(hosts -> hosts.host(host).state());
  }

  /**
   * Takes in a page of samples that another gateway has.
   *
   * @return whether all of it is in memory and journal
   */
  public CompletableFuture<Boolean> merge(String host, byte[] page) {
    CompletableFuture<Boolean> kept = new CompletableFuture<>();
    return threads
        .of(host)
        .call(
            hosts -> {
              try {
                hosts.host(host).merge(page, kept::complete);
              } catch (WireException e) {
                LOG.warn("a page of host {} is rejected: {}", host, e.getMessage());
                kept.complete(false);
              }
              return true;
            })
        .thenCompose(taken -> kept);
  }

  /** Takes in the blocks that were put into the folder of a host of which nothing was here. */
  public CompletableFuture<Boolean> install(String host) {
    return threads
        .of(host)
        .call(
            hosts -> {
              if (hosts.host(host).lane().isEmpty()) {
                recovery.restore(host);
              }
              return true;
            });
  }

  /**
   * Puts a file of another gateway in the place of a damaged block of a host.
   *
   * @return whether it is there
   */
  public CompletableFuture<Boolean> replaceBlock(String host, Path file, String name) {
    return threads
        .of(host)
        .call(
            hosts -> {
              try {
                threads.store.replaceBlock(host, file, name);
                return true;
              } catch (IOException e) {
                LOG.debug("a damaged block of host {} stays: {}", host, e.getMessage());
                return false;
              }
            });
  }

  // --- backups ---

  /** Looks at a host on its lane's thread, so that nothing of it changes meanwhile. */
  public <T> CompletableFuture<T> look(String host, Function<HostIntake, T> look) {
    return threads.of(host).call(hosts -> look.apply(hosts.host(host)));
  }

  /**
   * Takes in blocks of a backup, as {@link Store#adopt} does.
   *
   * @return fails while a block of the host is being written
   */
  public CompletableFuture<List<Store.Adoption>> adopt(String host, List<Path> files) {
    LaneThread thread = threads.of(host);
    return thread.call(
        hosts -> {
          if (thread.sealing.contains(host)) {
            throw new IllegalStateException("a block of host " + host + " is being written");
          }
          try {
            hosts.host(host);
            return threads.store.adopt(host, files);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** Samples of a backup were taken in: the replicas fetch those that they do not have. */
  public CompletableFuture<Boolean> restored(String host) {
    return threads
        .of(host)
        .call(
            hosts -> {
              hosts.host(host).restored();
              return true;
            });
  }

  /**
   * When all copies here had been found equal to their owners', ms since the epoch; 0 when one
   * never was or none is here.
   */
  public long copiesEqualAt() {
    return maintenance.copiesEqualAt();
  }

  // --- start, maintenance, end ---

  /** States that what was kept before the start cannot be read. */
  public void recoveryFailed(Exception e) {
    recovery.failed(e);
  }

  /**
   * Reads what blocks and journal have kept. Intake is open meanwhile; what it takes goes behind
   * what is read.
   *
   * @throws IOException if the disk cannot be read
   * @throws InterruptedException if this intake was closed meanwhile
   */
  public void recover() throws IOException, InterruptedException {
    recover(JournalTail.none());
  }

  /**
   * As above.
   *
   * @param tail hears of the last ticks, before they are read for good
   */
  public void recover(JournalTail tail) throws IOException, InterruptedException {
    recovery.run(tail);
  }

  /** Returns true if all that was kept before the start has been read. */
  public boolean isRecovered() {
    return threads.isRecovered();
  }

  /**
   * Moves what has been in memory long enough to blocks, removes what has expired, and forgets
   * hosts that nothing is left of.
   *
   * @return completed when all of it is done or has failed
   */
  public CompletableFuture<Void> maintain() {
    return maintenance.run();
  }

  /** The problem with the disk; empty when there is none. */
  public Optional<String> diskTrouble() {
    if (!recovery.trouble().isEmpty()) {
      return Optional.of(recovery.trouble());
    }
    Optional<String> trouble = threads.journal.trouble();
    return trouble.isPresent() || maintenance.blockTrouble().isEmpty()
        ? trouble
        : Optional.of(maintenance.blockTrouble());
  }

  /** Finishes what was taken, then stops. */
  @Override
  public void close() {
    threads.all().forEach(LaneThread::shutdown);
    maintenance.shutdown();
    try {
      for (LaneThread thread : threads.all()) {
        thread.awaitEnd(2);
      }
      maintenance.awaitEnd(5);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
