package io.fleetgauge.load.measure;

import io.fleetgauge.load.system.MeasuredSystem;
import io.fleetgauge.load.system.ResidentMemory;
import io.fleetgauge.load.traffic.Backlog;
import io.fleetgauge.load.traffic.Bodies.Body;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends a backlog to a system at full speed, and measures what it takes. The first part of it,
 * which meets a process that has just been started, is told apart.
 */
final class IntakeMeasurement {
  /** Samples of a host that count as cold: a million of 50 hosts. */
  private static final long COLD_OF_HOST = 20_000;

  /** Largest difference of the times of two senders' samples, ms. */
  private static final long SKEW = 10 * 60_000L;

  private static final int SETTLED_SECONDS = 60;
  private static final double SETTLED_CORES = 0.25;

  private final Target target;
  private final MeasuredSystem system;
  private final Backlog backlog;
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong pauses = new AtomicLong();
  private final long[] times;
  private final long coldSamples;
  private long coldNanos;
  private double coldCpu;
  private double coldCompilation;
  private long begin;

  /**
   * The cost of a part of a load.
   *
   * @param cpuSeconds of the processes that store
   * @param compilationSeconds of these, those in which they compiled
   */
  record Part(long samples, double seconds, double cpuSeconds, double compilationSeconds) {
    double samplesPerSecond() {
      return samples / seconds;
    }

    double cpuPerMillion() {
      return cpuSeconds / samples * 1e6;
    }

    double compilationPerMillion() {
      return compilationSeconds / samples * 1e6;
    }
  }

  /**
   * The cost of a load.
   *
   * @param warm with all that was done until the processes were idle again
   * @param settledSeconds until they were
   * @param halfSpeedSeconds after which the mean speed of a second was half of the warm one; NaN
   *     when it never was
   * @param pauses how often senders were told to send later
   */
  record Result(
      Part cold,
      Part warm,
      double settledSeconds,
      double halfSpeedSeconds,
      long pauses,
      ResidentMemory memory) {}

  IntakeMeasurement(Target target, Backlog backlog, int hosts) {
    this.target = target;
    this.system = target.system();
    this.backlog = backlog;
    times = new long[backlog.senders()];
    coldSamples = Math.min(COLD_OF_HOST * hosts, backlog.samples() / 4);
  }

  Result run() throws Exception {
    ResidentMemory memory = new ResidentMemory(system.processes());
    List<Double> speeds = new ArrayList<>();
    double cpuBefore = target.storeCpu();
    double compilationBefore = target.storeCompilation();
    begin = System.nanoTime();
    try (ExecutorService threads = Executors.newFixedThreadPool(backlog.senders())) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < backlog.senders(); i++) {
        int sender = i;
        all.add(
            threads.submit(
                () -> {
                  send(sender);
                  return null;
                }));
      }
      long before = 0;
      while (all.stream().anyMatch(each -> !each.isDone())) {
        TimeUnit.MILLISECONDS.sleep(1_000);
        memory.look();
        speeds.add((double) (sent.get() - before));
        before = sent.get();
        if (all.stream().anyMatch(each -> each.state() == Future.State.FAILED)) {
          threads.shutdownNow();
        }
      }
      for (Future<?> each : all) {
        try {
          each.get();
        } catch (ExecutionException e) {
          throw new IOException(system.name() + ": " + e.getCause().getMessage(), e.getCause());
        }
      }
    }
    long end = System.nanoTime();
    double settled = settle(memory);
    memory.look();
    Part cold =
        new Part(
            coldSamples,
            (coldNanos - begin) / 1e9,
            coldCpu - cpuBefore,
            coldCompilation - compilationBefore);
    Part warm =
        new Part(
            backlog.samples() - coldSamples,
            (end - coldNanos) / 1e9,
            target.storeCpu() - coldCpu,
            target.storeCompilation() - coldCompilation);
    double half = Double.NaN;
    for (int i = speeds.size() - 1; i >= 0; i--) {
      if (speeds.get(i) >= warm.samplesPerSecond() / 2) {
        half = i + 1.0;
      }
    }
    return new Result(cold, warm, settled, half, pauses.get(), memory);
  }

  private void send(int number) throws Exception {
    try (RetryingSender sender = new RetryingSender(target.stores(), number);
        Backlog.Reader reader = backlog.read(number)) {
      try {
        for (Body body = reader.next(); body != null; body = reader.next()) {
          awaitOthers(number, reader.time());
          sender.send(body);
          long all = sent.addAndGet(body.samples());
          if (all >= coldSamples && all - body.samples() < coldSamples) {
            coldNanos = System.nanoTime();
            coldCpu = target.storeCpu();
            coldCompilation = target.storeCompilation();
          }
        }
      } finally {
        reached(number, Long.MAX_VALUE);
        pauses.addAndGet(sender.pauses());
      }
    }
  }

  private synchronized void reached(int sender, long time) {
    times[sender] = time;
    notifyAll();
  }

  /** A sender must not run away: other systems do not accept samples that are much older. */
  private synchronized void awaitOthers(int sender, long time) throws InterruptedException {
    reached(sender, time);
    while (Arrays.stream(times).min().orElseThrow() + SKEW < time) {
      wait();
    }
  }

  /** Waits until what is done in the background is done; returns the seconds. */
  private double settle(ResidentMemory memory) throws Exception {
    int quiet = 0;
    int seconds = 0;
    double before = target.storeCpu();
    while (quiet < 2 && seconds < SETTLED_SECONDS) {
      TimeUnit.SECONDS.sleep(1);
      seconds++;
      memory.look();
      double now = target.storeCpu();
      quiet = now - before < SETTLED_CORES ? quiet + 1 : 0;
      before = now;
    }
    return seconds;
  }
}
