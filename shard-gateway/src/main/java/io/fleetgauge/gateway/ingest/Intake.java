package io.fleetgauge.gateway.ingest;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.ownership.Ownership.Verdict;
import io.fleetgauge.gateway.replication.Reply;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Sealing;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.journal.Journal;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whose a body is and hands it to the host's lane thread. Safe for all threads. One file
 * for all that these threads do, bodies, the start, copies and keeping house, because it is the one
 * place that says what runs where; what is done with a host is in {@link HostIntake}.
 */
public final class Intake implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);

  private static final long UNKNOWN_RETRY_MILLIS = 250;
  private static final long UNSETTLED_RETRY_MILLIS = 100;
  private static final long FULL_RETRY_MILLIS = 500;
  private static final long TROUBLE_RETRY_MILLIS = 2_000;

  /** Records of the journal that are handed to a lane thread before it has done with others. */
  private static final int REPLAY_AHEAD = 16;

  private final Store store;
  private final Journal journal;
  private final Ownership ownership;
  private final Supplier<ClusterView> view;
  private final Consumer<String> register;
  private final Replicating replicating;
  private final MemoryWatermark memory;
  private final LongSupplier clock;
  private final IngestCounts counts = new IngestCounts();
  private final SegmentLedger ledger = new SegmentLedger();
  private final int maxQueued;
  private final LaneThread[] threads;
  private final ExecutorService sealer;
  private volatile boolean recovered;
  private volatile String blockTrouble = "";
  private volatile String recoveryTrouble = "";

  /** Hosts of which this gateway has a copy with all that the owner has. */
  private final Set<String> wholeCopies = ConcurrentHashMap.newKeySet();

  private final class LaneThread implements HostIntake.House {
    final Map<String, HostIntake> hosts = new HashMap<>();
    final Set<String> sealing = new HashSet<>();
    final Semaphore replayAhead = new Semaphore(REPLAY_AHEAD);
    final ThreadPoolExecutor executor;
    final AtomicBoolean looking = new AtomicBoolean();
    final AtomicBoolean reducing = new AtomicBoolean();
    ClusterView followed = ClusterView.EMPTY;
    volatile long copiesEqualAt = Long.MAX_VALUE;
    boolean recovering = true;

    LaneThread(int number) {
      executor =
          new ThreadPoolExecutor(
              1,
              1,
              0,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              Thread.ofPlatform().daemon().name("lane-" + number).factory());
    }

    @Override
    public String self() {
      return ownership.self();
    }

    @Override
    public ClusterView view() {
      return view.get();
    }

    @Override
    public Replicating replicating() {
      return replicating;
    }

    @Override
    public void onLane(Runnable work) {
      run(this, work);
    }

    @Override
    public long segment() {
      return journal.segment();
    }

    @Override
    public Journal.Appended append(
        long segment,
        String host,
        byte[] record,
        long newest,
        boolean forced,
        Consumer<Boolean> done) {
      // Before it is there: a segment that nobody has noted anything of may be removed at any time.
      ledger.note(segment, host, newest);
      return journal.append(segment, record, forced, done);
    }

    @Override
    public long steadyMillis() {
      return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    @Override
    public long clock() {
      return clock.getAsLong();
    }

    @Override
    public long latestTime() {
      return Intake.this.latestTime();
    }

    @Override
    public IngestCounts counts() {
      return counts;
    }

    @Override
    public boolean isRecovered() {
      return recovered;
    }

    @Override
    public void copyIsWhole(String host, boolean whole) {
      if (whole) {
        wholeCopies.add(host);
      } else {
        wholeCopies.remove(host);
      }
    }

    HostIntake host(String name) {
      return hosts.computeIfAbsent(
          name, host -> new HostIntake(host, store.lane(host), this, recovering));
    }
  }

  /**
   * @param view the newest view of the cluster
   * @param register makes a host known to the cluster; never waits
   * @param replicating how hosts are shared with other gateways
   * @param clock ms since the epoch
   * @param laneThreads how many threads decode and write
   * @param maxQueued most bodies that wait for each of them
   */
  public Intake(
      Store store,
      Journal journal,
      Ownership ownership,
      Supplier<ClusterView> view,
      Consumer<String> register,
      Replicating replicating,
      MemoryWatermark memory,
      LongSupplier clock,
      int laneThreads,
      int maxQueued) {
    this.store = store;
    this.journal = journal;
    this.ownership = ownership;
    this.view = view;
    this.register = register;
    this.replicating = replicating;
    this.memory = memory;
    this.clock = clock;
    this.maxQueued = maxQueued;
    this.threads = new LaneThread[laneThreads];
    for (int i = 0; i < laneThreads; i++) {
      threads[i] = new LaneThread(i);
    }
    this.sealer =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(100_000),
            Thread.ofPlatform().daemon().name("sealer").factory());
  }

  public IngestCounts counts() {
    return counts;
  }

  // --- bodies ---

  /**
   * Takes a body in.
   *
   * @param senderEpoch the newest epoch that the sender was told; 0 when none
   * @param acknowledged the last sequence of the body's run that the sender was told is kept; 0
   *     when it does not say
   * @param answer is given the answer, here or on another thread, once the body is kept
   */
  public void take(
      String host,
      byte[] body,
      long senderEpoch,
      long acknowledged,
      Consumer<IntakeAnswer> answer) {
    if (isAdmitted(host, senderEpoch, answer)) {
      onLane(host, answer, thread -> keep(thread, host, body, acknowledged, answer));
    }
  }

  /** The same of a sender that does not say what it was told. */
  public void take(String host, byte[] body, long senderEpoch, Consumer<IntakeAnswer> answer) {
    take(host, body, senderEpoch, 0, answer);
  }

  /** Finds out what of a body would be refused, and keeps nothing. */
  public void check(String host, byte[] body, long senderEpoch, Consumer<IntakeAnswer> answer) {
    if (isAdmitted(host, senderEpoch, answer)) {
      onLane(host, answer, thread -> answer.accept(thread.host(host).check(body)));
    }
  }

  private boolean isAdmitted(String host, long senderEpoch, Consumer<IntakeAnswer> answer) {
    switch (ownership.of(host, view.get(), senderEpoch)) {
      case Verdict.Mine mine -> {
        if (memory.samplesAreShed()) {
          counts.memoryShort.increment();
          answer.accept(new IntakeAnswer.SlowDown(TROUBLE_RETRY_MILLIS));
          return false;
        }
        return true;
      }
      case Verdict.Theirs theirs -> {
        counts.moved.increment();
        answer.accept(new IntakeAnswer.Moved(theirs.address(), theirs.epoch()));
      }
      case Verdict.Unknown unknown -> {
        register.accept(host);
        counts.unsettled.increment();
        answer.accept(new IntakeAnswer.SlowDown(UNKNOWN_RETRY_MILLIS));
      }
      case Verdict.Unsettled unsettled -> {
        counts.unsettled.increment();
        answer.accept(new IntakeAnswer.SlowDown(UNSETTLED_RETRY_MILLIS));
      }
    }
    return false;
  }

  private void onLane(String host, Consumer<IntakeAnswer> answer, Consumer<LaneThread> work) {
    LaneThread thread = threadOf(host);
    if (thread.executor.getQueue().size() < maxQueued) {
      try {
        thread.executor.execute(
            () -> {
              try {
                work.accept(thread);
              } catch (RuntimeException e) {
                // Whoever asked must not wait for ever for what went wrong here.
                LOG.error("a body of host {} cannot be taken", host, e);
                answer.accept(new IntakeAnswer.SlowDown(TROUBLE_RETRY_MILLIS));
              }
            });
        return;
      } catch (RejectedExecutionException e) {
        LOG.debug("closed", e);
      }
    }
    counts.queueFull.increment();
    answer.accept(new IntakeAnswer.SlowDown(FULL_RETRY_MILLIS));
  }

  private LaneThread threadOf(String host) {
    return threads[Math.floorMod(host.hashCode(), threads.length)];
  }

  private long latestTime() {
    return clock.getAsLong() + store.limits().future().toMillis();
  }

  private void keep(
      LaneThread thread,
      String host,
      byte[] body,
      long acknowledged,
      Consumer<IntakeAnswer> answer) {
    if (journal.trouble().isPresent()) {
      counts.diskTrouble.increment();
      answer.accept(new IntakeAnswer.SlowDown(TROUBLE_RETRY_MILLIS));
    } else {
      thread.host(host).take(body, acknowledged, answer);
    }
  }

  // --- holders ---

  /** The table has changed. */
  public void tableChanged() {
    timePassed();
  }

  /** Looks what is due of the hosts that are shared with others; several times a second. */
  public void timePassed() {
    if (replicating.replication() == 1 && wholeCopies.isEmpty() && !recovered) {
      return;
    }
    for (LaneThread thread : threads) {
      if (thread.looking.compareAndSet(false, true)) {
        run(
            thread,
            () -> {
              thread.looking.set(false);
              look(thread);
            });
      }
    }
  }

  private void look(LaneThread thread) {
    ClusterView now = view.get();
    if (now != thread.followed) {
      thread.followed = now;
      now.table()
          .holders()
          .forEach(
              (host, each) -> {
                if (threadOf(host) == thread && each.has(ownership.self())) {
                  thread.host(host);
                }
              });
    }
    for (Map.Entry<String, HostIntake> each : List.copyOf(thread.hosts.entrySet())) {
      if (each.getValue().timePassed() && !thread.sealing.contains(each.getKey())) {
        removeStray(thread, each.getKey());
      }
    }
  }

  private void removeStray(LaneThread thread, String host) {
    List<Path> files = store.blockFiles(host);
    store.forget(host);
    thread.hosts.remove(host);
    counts.straysRemoved.increment();
    LOG.info("host {} is kept elsewhere; what lay here of it is removed", host);
    remove(files);
  }

  /** Whether this gateway's copy of a host has all that its owner has. */
  public boolean isWholeCopy(String host) {
    return wholeCopies.contains(host);
  }

  /** Bodies have come from the owner of a host that this gateway has a copy of. */
  public void copied(Peers.Copy copy, Consumer<Peers.CopyAnswer> answer) {
    LaneThread thread = threadOf(copy.host());
    if (memory.samplesAreShed()
        || thread.executor.getQueue().size() >= maxQueued
        || !run(thread, () -> thread.host(copy.host()).copied(copy, answer))) {
      answer.accept(Peers.CopyAnswer.of(Reply.LATER));
    }
  }

  /** Another gateway says that it has something of a host that this one owns. */
  public void offered(String host, String from, Consumer<Boolean> merged) {
    LaneThread thread = threadOf(host);
    if (!run(thread, () -> thread.host(host).offered(from, merged))) {
      merged.accept(false);
    }
  }

  /** Finds out how a host stands, on its lane's thread. */
  public CompletableFuture<HostIntake.State> state(String host) {
    return onLane(host, thread -> thread.host(host).state());
  }

  /**
   * Takes in a page of samples that another gateway has.
   *
   * @return whether all of it is in memory and journal
   */
  public CompletableFuture<Boolean> merge(String host, byte[] page) {
    CompletableFuture<Boolean> kept = new CompletableFuture<>();
    return onLane(
            host,
            thread -> {
              try {
                thread.host(host).merge(page, kept::complete);
              } catch (WireException e) {
                LOG.warn("a page of host {} is refused: {}", host, e.getMessage());
                kept.complete(false);
              }
              return true;
            })
        .thenCompose(taken -> kept);
  }

  /** Takes in the blocks that were laid into the folder of a host of which nothing was here. */
  public CompletableFuture<Boolean> install(String host) {
    return onLane(
        host,
        thread -> {
          if (thread.host(host).session().lane().isEmpty()) {
            restore(host);
          }
          return true;
        });
  }

  private <T> CompletableFuture<T> onLane(String host, Function<LaneThread, T> work) {
    CompletableFuture<T> done = new CompletableFuture<>();
    LaneThread thread = threadOf(host);
    boolean running =
        run(
            thread,
            () -> {
              try {
                done.complete(work.apply(thread));
              } catch (RuntimeException e) {
                done.completeExceptionally(e);
              }
            });
    if (!running) {
      done.completeExceptionally(new IllegalStateException("closed"));
    }
    return done;
  }

  /**
   * When the copies that are here were last found equal to their owners', the longest ago, ms since
   * the epoch; 0 when one never was.
   */
  public long copiesEqualAt() {
    long equal = Long.MAX_VALUE;
    for (LaneThread thread : threads) {
      equal = Math.min(equal, thread.copiesEqualAt);
    }
    return equal == Long.MAX_VALUE ? 0 : equal;
  }

  // --- the start ---

  /** Says that what was kept before the start cannot be brought back. */
  public void recoveryFailed(Exception e) {
    LOG.error("what was kept before the start cannot be read", e);
    recoveryTrouble = "what was kept before the start cannot be read: " + e;
  }

  /**
   * Brings back what blocks and journal have. Intake is open meanwhile; what it takes goes behind
   * what comes back.
   *
   * @throws IOException if the disk cannot be read
   */
  public void recover() throws IOException, InterruptedException {
    long start = System.nanoTime();
    for (String host : store.hostsOnDisk()) {
      replay(host, REPLAY_AHEAD, () -> restore(host));
    }
    journal.replay(
        (segment, record) -> {
          try {
            String host = FrameDecoder.host(record);
            replay(host, 1, () -> replay(host, segment, record));
          } catch (WireException e) {
            lost(segment, e);
          }
        });
    CompletableFuture<?>[] all = new CompletableFuture<?>[threads.length];
    for (int i = 0; i < threads.length; i++) {
      LaneThread thread = threads[i];
      CompletableFuture<Void> last = new CompletableFuture<>();
      all[i] = last;
      thread.replayAhead.acquire(REPLAY_AHEAD);
      boolean running =
          run(
              thread,
              () -> {
                thread.recovering = false;
                thread.hosts.values().forEach(HostIntake::recovered);
                last.complete(null);
              });
      if (!running) {
        return; // closed before it was all back
      }
    }
    CompletableFuture.allOf(all).join();
    recovered = true;
    if (counts.ticksReplayed.sum() > 0 || store.blockCount() > 0) {
      LOG.info(
          "{} blocks and {} ticks of {} hosts are back after {} ms",
          store.blockCount(),
          counts.ticksReplayed.sum(),
          store.hostCount(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    }
  }

  private void replay(String host, int permits, Runnable work) throws InterruptedException {
    LaneThread thread = threadOf(host);
    thread.replayAhead.acquire(permits);
    boolean running =
        run(
            thread,
            () -> {
              try {
                work.run();
              } finally {
                thread.replayAhead.release(permits);
              }
            });
    if (!running) {
      throw new InterruptedException("closed");
    }
  }

  private void restore(String host) {
    try {
      store.restore(host);
      threadOf(host).host(host);
    } catch (IOException e) {
      LOG.error("the blocks of host {} cannot be read: {}", host, e.toString());
    }
  }

  private void replay(String host, long segment, byte[] record) {
    try {
      long newest = threadOf(host).host(host).replay(record);
      ledger.note(segment, host, newest);
    } catch (WireException e) {
      lost(segment, e);
    }
  }

  private void lost(long segment, WireException e) {
    counts.recordsLost.increment();
    LOG.error("a record of the journal's segment {} is lost: {}", segment, e.getMessage());
  }

  /** Whether all that was kept before the start is back. */
  public boolean isRecovered() {
    return recovered;
  }

  // --- keeping house ---

  /**
   * Runs something on a lane thread. Only bodies are turned away when much waits there: all else is
   * bounded where it comes from.
   *
   * @return whether it will be run; it will not when the intake is closed
   */
  private static boolean run(LaneThread thread, Runnable work) {
    try {
      thread.executor.execute(work);
      return true;
    } catch (RejectedExecutionException e) {
      LOG.debug("closed", e);
      return false;
    }
  }

  /**
   * Moves what has been in memory long enough to blocks, removes what has expired, and forgets
   * hosts that nothing is left of.
   *
   * @return completed when all of it is done or has failed
   */
  public CompletableFuture<Void> keepHouse() {
    if (!recovered) {
      return CompletableFuture.completedFuture(null);
    }
    long dropBefore = store.dropBefore();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (LaneThread thread : threads) {
      CompletableFuture<Void> begun = new CompletableFuture<>();
      List<CompletableFuture<Void>> sealings = new ArrayList<>();
      boolean running =
          run(
              thread,
              () -> {
                thread.copiesEqualAt =
                    thread.hosts.values().stream()
                        .map(HostIntake::copies)
                        .filter(HostCopies::isCopy)
                        .mapToLong(HostCopies::lastEqual)
                        .min()
                        .orElse(Long.MAX_VALUE);
                for (String host : List.copyOf(thread.hosts.keySet())) {
                  keepHouse(thread, host, dropBefore, sealings);
                }
                begun.complete(null);
              });
      if (running) {
        all.add(begun.thenCompose(none -> together(sealings)));
      }
    }
    return together(all)
        .thenRun(
            () -> {
              long current = journal.segment();
              journal.dropBefore(ledger.freeBefore(this::safeBefore, current));
            });
  }

  /** Reduces what has come since, host by host, so that no lane waits long. */
  public void reduce() {
    if (!recovered) {
      return;
    }
    for (LaneThread thread : threads) {
      if (thread.reducing.compareAndSet(false, true)
          && !run(thread, () -> reduceNext(thread, List.copyOf(thread.hosts.keySet()), 0))) {
        thread.reducing.set(false);
      }
    }
  }

  private void reduceNext(LaneThread thread, List<String> hosts, int next) {
    if (next == hosts.size()) {
      thread.reducing.set(false);
      return;
    }
    HostIntake host = thread.hosts.get(hosts.get(next));
    boolean more = host != null && host.session().lane().reduce();
    if (!run(thread, () -> reduceNext(thread, hosts, more ? next : next + 1))) {
      thread.reducing.set(false);
    }
  }

  private static CompletableFuture<Void> together(List<CompletableFuture<Void>> all) {
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
  }

  private long safeBefore(String host) {
    Optional<Lane> lane = store.find(host);
    return lane.isEmpty() ? Long.MAX_VALUE : lane.get().sealedBefore();
  }

  private void keepHouse(
      LaneThread thread, String host, long dropBefore, List<CompletableFuture<Void>> sealings) {
    HostSession session = thread.hosts.get(host).session();
    Lane lane = session.lane();
    long now = session.now(clock.getAsLong());
    long expired = Math.max(expiredBefore(), now - store.limits().retention().toMillis());
    remove(lane.dropBlocks(Math.max(dropBefore, expired)));
    if (!thread.sealing.contains(host)) {
      lane.beginSealing(now, expired).ifPresent(sealing -> sealings.add(seal(thread, sealing)));
    }
    lane.measure();
    boolean isBusy = thread.hosts.get(host).copies().isBusy();
    if (lane.isEmpty() && lane.newest() < expired && !thread.sealing.contains(host) && !isBusy) {
      thread.hosts.remove(host);
      store.forget(host);
    }
  }

  private long expiredBefore() {
    return clock.getAsLong() - store.limits().retention().toMillis();
  }

  private CompletableFuture<Void> seal(LaneThread thread, Sealing sealing) {
    String host = sealing.lane().host();
    CompletableFuture<Void> done = new CompletableFuture<>();
    thread.sealing.add(host);
    sealer.execute(
        () -> {
          Sealing.Written sealed;
          try {
            sealed = sealing.write(store.folder(host));
            blockTrouble = "";
          } catch (IOException e) {
            sealed = null;
            store.counts().blockFailed();
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
      LaneThread thread, Sealing sealing, Sealing.Written sealed, CompletableFuture<Void> done) {
    Runnable work =
        () -> {
          thread.sealing.remove(sealing.lane().host());
          if (sealed == null) {
            done.complete(null);
            return;
          }
          sealing.lane().finish(sealed);
          // There may be more: the host may have been away for long.
          Optional<Sealing> next =
              sealing
                  .lane()
                  .beginSealing(
                      thread.host(sealing.lane().host()).session().now(clock.getAsLong()),
                      expiredBefore());
          if (next.isPresent()) {
            seal(thread, next.get()).thenRun(() -> done.complete(null));
          } else {
            done.complete(null);
          }
        };
    if (!run(thread, work)) {
      done.complete(null);
    }
  }

  private void remove(List<Path> files) {
    if (!files.isEmpty()) {
      sealer.execute(
          () -> {
            for (Path file : files) {
              try {
                Files.deleteIfExists(file);
              } catch (IOException e) {
                LOG.warn("a block that is needed no more cannot be removed: {}", e.toString());
              }
            }
          });
    }
  }

  /** What is wrong with the disk; empty when nothing is. */
  public Optional<String> diskTrouble() {
    if (!recoveryTrouble.isEmpty()) {
      return Optional.of(recoveryTrouble);
    }
    Optional<String> trouble = journal.trouble();
    return trouble.isPresent() || blockTrouble.isEmpty() ? trouble : Optional.of(blockTrouble);
  }

  /** Finishes what was taken, then stops. */
  @Override
  public void close() {
    for (LaneThread thread : threads) {
      run(thread, () -> thread.hosts.values().forEach(HostIntake::close));
      thread.executor.shutdown();
    }
    sealer.shutdown();
    try {
      for (LaneThread thread : threads) {
        thread.executor.awaitTermination(2, TimeUnit.SECONDS);
      }
      sealer.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
