package io.fleetgauge.gateway.ingest;

import io.fleetgauge.cluster.member.ClusterView;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.ownership.Ownership.Verdict;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.sample.frame.IntakeAnswer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides whose a body is and hands it to the host's lane thread. Safe for all threads. */
public final class Intake implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);

  private static final long UNKNOWN_RETRY_MILLIS = 250;
  private static final long UNSETTLED_RETRY_MILLIS = 100;
  private static final long FULL_RETRY_MILLIS = 500;

  private final Store store;
  private final Ownership ownership;
  private final Supplier<ClusterView> view;
  private final Consumer<String> register;
  private final IngestCounts counts = new IngestCounts();
  private final LaneThread[] threads;

  private final class LaneThread {
    final Map<String, HostSession> sessions = new HashMap<>();
    final ThreadPoolExecutor executor;

    LaneThread(int number, int maxQueued) {
      executor =
          new ThreadPoolExecutor(
              1,
              1,
              0,
              TimeUnit.SECONDS,
              new ArrayBlockingQueue<>(maxQueued),
              Thread.ofPlatform().daemon().name("lane-" + number).factory());
    }

    HostSession session(String host) {
      return sessions.computeIfAbsent(
          host, name -> new HostSession(name, store.lane(name), counts));
    }
  }

  /**
   * @param view the newest view of the cluster
   * @param register makes a host known to the cluster; never waits
   * @param laneThreads how many threads decode and write
   * @param maxQueued most bodies that wait for each of them
   */
  public Intake(
      Store store,
      Ownership ownership,
      Supplier<ClusterView> view,
      Consumer<String> register,
      int laneThreads,
      int maxQueued) {
    this.store = store;
    this.ownership = ownership;
    this.view = view;
    this.register = register;
    this.threads = new LaneThread[laneThreads];
    for (int i = 0; i < laneThreads; i++) {
      threads[i] = new LaneThread(i, maxQueued);
    }
  }

  public IngestCounts counts() {
    return counts;
  }

  /**
   * Takes a body in.
   *
   * @param senderEpoch the newest epoch that the sender was told; 0 when none
   * @param answer is given the answer, here or on the lane thread
   */
  public void take(String host, byte[] body, long senderEpoch, Consumer<IntakeAnswer> answer) {
    switch (ownership.of(host, view.get(), senderEpoch)) {
      case Verdict.Mine mine -> enqueue(host, body, answer);
      case Verdict.Theirs theirs -> {
        counts.moved.increment();
        answer.accept(new IntakeAnswer.Moved(theirs.address(), theirs.epoch()));
      }
      case Verdict.Unknown unknown -> {
        register.accept(host);
        slowDown(UNKNOWN_RETRY_MILLIS, answer);
      }
      case Verdict.Unsettled unsettled -> slowDown(UNSETTLED_RETRY_MILLIS, answer);
    }
  }

  private void enqueue(String host, byte[] body, Consumer<IntakeAnswer> answer) {
    LaneThread thread = threads[Math.floorMod(host.hashCode(), threads.length)];
    try {
      thread.executor.execute(() -> answer.accept(thread.session(host).take(body)));
    } catch (RejectedExecutionException e) {
      slowDown(FULL_RETRY_MILLIS, answer);
    }
  }

  /**
   * Forgets hosts, and what is kept of them, that have sent nothing newer than a time. Each lane
   * thread does it for its own hosts, so that none of them is being written meanwhile.
   *
   * @param before ms since the epoch
   */
  public void forgetSilentHosts(long before) {
    for (LaneThread thread : threads) {
      try {
        thread.executor.execute(
            () ->
                thread
                    .sessions
                    .entrySet()
                    .removeIf(
                        session -> {
                          boolean silent = session.getValue().newest() < before;
                          if (silent) {
                            store.forget(session.getKey());
                          }
                          return silent;
                        }));
      } catch (RejectedExecutionException e) {
        LOG.debug("a lane thread is too busy to forget hosts; it will be asked again", e);
      }
    }
  }

  private void slowDown(long millis, Consumer<IntakeAnswer> answer) {
    counts.slowedDown.increment();
    answer.accept(new IntakeAnswer.SlowDown(millis));
  }

  /** Finishes what was taken, then stops. */
  @Override
  public void close() {
    for (LaneThread thread : threads) {
      thread.executor.shutdown();
    }
    try {
      for (LaneThread thread : threads) {
        thread.executor.awaitTermination(2, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
