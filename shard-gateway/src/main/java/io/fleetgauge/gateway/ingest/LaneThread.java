package io.fleetgauge.gateway.ingest;

import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.HostEnvironment;
import io.fleetgauge.gateway.ingest.host.HostIntake;
import io.fleetgauge.gateway.ingest.host.IngestCounts;
import io.fleetgauge.gateway.ingest.host.LaneHosts;
import io.fleetgauge.sample.journal.Journal;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One thread that decodes frames and is the only writer of its hosts' lanes. */
final class LaneThread implements HostEnvironment {
  private static final Logger LOG = LoggerFactory.getLogger(LaneThread.class);

  /** Records of the journal that wait for this thread at most. */
  static final int REPLAY_AHEAD = 16;

  final Semaphore replayAhead = new Semaphore(REPLAY_AHEAD);

  /** True if a look at what is due is queued. */
  final AtomicBoolean looking = new AtomicBoolean();

  /** True if the next look is one at all hosts. */
  final AtomicBoolean lookAtAll = new AtomicBoolean();

  /** Hosts that a block is being written of; only this thread uses it. */
  final Set<String> sealing = new HashSet<>();

  private final LaneThreads all;
  private final ThreadPoolExecutor executor;
  private final LaneHosts hosts;

  LaneThread(int number, LaneThreads all) {
    this.all = all;
    this.hosts = new LaneHosts(this, all.store::lane, host -> all.of(host) == this);
    this.executor =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("lane-" + number).factory());
  }

  /** Only this thread uses them. */
  LaneHosts hosts() {
    return hosts;
  }

  /** In how many ms something of its hosts is due, at least 0; safe for all threads. */
  long dueInMillis() {
    return hosts.dueInMillis();
  }

  /** Tasks that wait for this thread. */
  int queued() {
    return executor.getQueue().size();
  }

  /**
   * Runs something on this thread. Only bodies are turned away when many wait: all else is bounded
   * where it comes from.
   *
   * @return whether it will be run; it will not when the intake is closed
   */
  boolean run(Runnable work) {
    try {
      executor.execute(work);
      return true;
    } catch (RejectedExecutionException e) {
      LOG.debug("not run, because the intake is closed", e);
      return false;
    }
  }

  /** Runs something on this thread and gives its result. */
  <T> CompletableFuture<T> call(Function<LaneHosts, T> work) {
    CompletableFuture<T> done = new CompletableFuture<>();
    boolean running =
        run(
            () -> {
              try {
                done.complete(work.apply(hosts));
              } catch (RuntimeException e) {
                done.completeExceptionally(e);
              }
            });
    if (!running) {
      done.completeExceptionally(new IllegalStateException("the intake is closed"));
    }
    return done;
  }

  /** Runs what was given before; takes nothing more. */
  void shutdown() {
    run(() -> hosts.all().forEach(HostIntake::close));
    executor.shutdown();
  }

  void awaitEnd(long seconds) throws InterruptedException {
    executor.awaitTermination(seconds, TimeUnit.SECONDS);
  }

  @Override
  public ClusterAccess cluster() {
    return all.cluster;
  }

  @Override
  public void onLane(Runnable work) {
    run(work);
  }

  @Override
  public long segment() {
    return all.journal.segment();
  }

  @Override
  public Journal.AppendResult append(
      long segment,
      String host,
      byte[] record,
      long newest,
      boolean forced,
      Consumer<Boolean> done) {
    // Noted first: a segment of which nothing is noted may be removed at any time.
    all.segments.note(segment, host, newest);
    return all.journal.append(segment, record, forced, done);
  }

  @Override
  public boolean isDiskFailing() {
    return all.journal.trouble().isPresent();
  }

  @Override
  public long steadyMillis() {
    return all.steadyMillis.getAsLong();
  }

  @Override
  public long clock() {
    return all.clock.getAsLong();
  }

  @Override
  public long latestTime() {
    return clock() + all.store.limits().future().toMillis();
  }

  @Override
  public long retentionMillis() {
    return all.store.limits().retention().toMillis();
  }

  @Override
  public boolean hasUsage(String host) {
    return all.store.usage().has(host);
  }

  @Override
  public boolean isKeptForUsage(String host) {
    return GoneHosts.isKept(
        cluster().view().get().table(),
        host,
        all.store.usage().lastDay(host),
        all.store.usage().retentionMillis(),
        clock());
  }

  @Override
  public IngestCounts counts() {
    return all.counts;
  }

  @Override
  public boolean isRecovered() {
    return all.isRecovered();
  }

  @Override
  public void copyIsWhole(String host, OptionalLong ofOwnerSince) {
    if (ofOwnerSince.isPresent()) {
      all.wholeCopies.put(host, ofOwnerSince.getAsLong());
    } else {
      all.wholeCopies.remove(host);
    }
  }
}
