package io.fleetgauge.load.measure;

import io.fleetgauge.load.traffic.Bodies.Body;
import io.fleetgauge.load.traffic.FleetTraffic;
import io.fleetgauge.load.traffic.GpuFleet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Sends a tick of each host every 15 s to all systems, the hosts spread evenly, each on a
 * connection of its own, until it is closed.
 */
final class LiveTraffic implements AutoCloseable {
  private final FleetTraffic traffic;
  private final List<Target> targets;
  private final List<Lines> lines = new ArrayList<>();
  private final List<Future<?>> answers = new ArrayList<>();
  private final Thread clock;
  private volatile boolean isOver;

  /** The connections of one host, to each of the systems. */
  private record Lines(List<RetryingSender> senders, List<ExecutorService> threads) {}

  /** Begins. Nothing else may use the traffic until this is closed. */
  LiveTraffic(FleetTraffic traffic, List<Target> targets) {
    this.traffic = traffic;
    this.targets = targets;
    for (int i = 0; i < traffic.fleet().size(); i++) {
      int host = i;
      lines.add(
          new Lines(
              targets.stream().map(target -> new RetryingSender(target.stores(), host)).toList(),
              targets.stream()
                  .map(none -> Executors.newSingleThreadExecutor(Thread.ofVirtual().factory()))
                  .toList()));
    }
    clock = Thread.ofPlatform().name("live").start(this::run);
  }

  private void run() {
    int hosts = traffic.fleet().size();
    long begin = System.currentTimeMillis();
    try {
      for (int sent = 0; !isOver; sent++) {
        long due = begin + sent * GpuFleet.TICK / hosts;
        TimeUnit.MILLISECONDS.sleep(Math.max(0, due - System.currentTimeMillis()));
        var bodies = traffic.tick(sent % hosts, due);
        Lines line = lines.get(sent % hosts);
        for (int i = 0; i < targets.size(); i++) {
          Body body = bodies.get(targets.get(i).form());
          if (body == null) {
            continue; // its last reading is not a tick ago yet
          }
          RetryingSender sender = line.senders().get(i);
          answers.add(
              line.threads()
                  .get(i)
                  .submit(
                      () -> {
                        sender.send(body);
                        return null;
                      }));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until each host has sent once, so that connections and code are there. */
  void awaitFirstTicks() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(GpuFleet.TICK + 1_000);
  }

  /**
   * Waits until all has been accepted.
   *
   * @throws IOException if something was not
   */
  @Override
  public void close() throws IOException {
    isOver = true;
    try {
      clock.join();
      for (Future<?> answer : answers) {
        answer.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IOException("live samples were not accepted: " + e.getCause().getMessage(), e);
    } finally {
      for (Lines line : lines) {
        line.threads().forEach(ExecutorService::shutdownNow);
        for (RetryingSender sender : line.senders()) {
          sender.close();
        }
      }
    }
  }
}
