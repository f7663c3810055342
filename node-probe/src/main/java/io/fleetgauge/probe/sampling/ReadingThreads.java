package io.fleetgauge.probe.sampling;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lets readers read one behind the other, on one thread. A reader that blocks keeps the thread, and
 * another one goes on with the rest; so there are at most as many threads as blocked readers, and
 * one more.
 */
final class ReadingThreads implements AutoCloseable {
  /** The number of times that a thread is given up on within the limit of a round. */
  private static final int HAND_OVERS = 4;

  /** One reader's call. What it holds may be read when it has ended in time. */
  static final class Call {
    final Reader reader;
    final Set<TickClass> due;
    final Readings readings = new Readings();
    private boolean ended;
    private Throwable failure;
    private long nanos;
    private volatile boolean running;

    Call(Reader reader, Set<TickClass> due) {
      this.reader = reader;
      this.due = due;
    }

    /** Tells whether the reader may not be called again yet. */
    boolean isRunning() {
      return running;
    }

    /** Tells whether it had ended when its round was over. */
    boolean hasEnded() {
      return ended;
    }

    /** Null if it read. */
    Throwable failure() {
      return failure;
    }

    long nanos() {
      return nanos;
    }
  }

  private static final class Round implements Runnable {
    private final Queue<Call> waiting;
    private final LongSupplier nanos;
    private int open;
    private boolean over;

    Round(List<Call> calls, LongSupplier nanos) {
      this.nanos = nanos;
      this.waiting = new ArrayDeque<>(calls);
      this.open = calls.size();
    }

    private synchronized Call next() {
      Call call = over ? null : waiting.poll();
      if (call != null) {
        call.running = true;
      }
      return call;
    }

    private synchronized void end(Call call, Throwable failure, long nanos) {
      call.running = false;
      if (!over) {
        call.ended = true;
        call.failure = failure;
        call.nanos = nanos;
        open--;
        if (open == 0) {
          notifyAll(); // to wake the round for each call costs more than most calls
        }
      }
    }

    @Override
    public void run() {
      for (Call call = next(); call != null; call = next()) {
        long begun = nanos.getAsLong();
        Throwable failure = null;
        try {
          call.reader.read(call.due, call.readings);
        } catch (Throwable e) {
          failure = e;
        }
        end(call, failure, nanos.getAsLong() - begun);
      }
    }
  }

  private final LongSupplier nanos;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("reading-", 0).factory());

  /**
   * @param nanos a clock that only moves forward, by which calls are measured
   */
  ReadingThreads(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Returns when all calls have ended, or after the limit. */
  void run(List<Call> calls, Duration limit) throws InterruptedException {
    if (calls.isEmpty()) {
      return;
    }
    Round round = new Round(calls, nanos);
    threads.execute(round);
    long patience = limit.toNanos() / HAND_OVERS;
    long begun = System.nanoTime();
    long handOver = patience;
    synchronized (round) {
      int open = round.open;
      for (long past = 0; round.open > 0 && past < limit.toNanos(); ) {
        if (past >= handOver) {
          if (round.open == open && !round.waiting.isEmpty()) {
            threads.execute(round);
          }
          open = round.open;
          handOver = past + patience;
        }
        TimeUnit.NANOSECONDS.timedWait(round, Math.min(limit.toNanos(), handOver) - past);
        past = System.nanoTime() - begun;
      }
      round.over = true;
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
