package io.fleetgauge.load.measure;

import io.fleetgauge.load.measure.Panels.Panel;
import io.fleetgauge.load.system.Connection;
import io.fleetgauge.load.traffic.FleetTraffic;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Many who ask at the same time: 200 viewers of one dashboard against one viewer, and four tenants
 * beside a fifth that asks without limit; while samples arrive.
 */
final class ViewerLoad {
  private static final int VIEWERS = 200;
  private static final int REFRESH_MILLIS = 5_000;
  private static final String UNBOUNDED = "count(max_over_time({__name__=~\".+\"}[6h]))";

  private final PrintWriter out;
  private final FleetTraffic traffic;
  private final List<Target> targets;
  private final List<Panel> panels =
      Panels.ALL.stream().filter(panel -> panel.window().startsWith("1 h")).toList();

  ViewerLoad(PrintWriter out, FleetTraffic traffic, List<Target> targets) {
    this.out = out;
    this.traffic = traffic;
    this.targets = targets;
  }

  void run() throws Exception {
    try (LiveTraffic live = new LiveTraffic(traffic, targets)) {
      live.awaitFirstTicks();
      for (Target target : targets) {
        if (target.system().ours()) {
          viewers(target);
          tenants(target);
        }
      }
    }
  }

  private void viewers(Target target) throws Exception {
    look(target, VIEWERS, 15, new Timings()); // warms up
    double nobody = look(target, 0, 20, new Timings());
    double one = look(target, 1, 20, new Timings());
    Timings timings = new Timings();
    double many = look(target, VIEWERS, 20, timings);
    out.printf(
        Locale.ROOT,
        "%n%s: viewers of %d panels of 1 h, refreshed each 5 s; CPU seconds in 20 s%n    none %.2f,"
            + " one %.2f, %d: %.2f, %.2f times one; %d responses, p50 %.1f ms, p99 %.1f ms%n",
        target.system().name(),
        panels.size(),
        nobody,
        one,
        VIEWERS,
        many,
        many / one,
        timings.size(),
        timings.median(),
        timings.quantile(0.99));
    out.flush();
  }

  /** CPU seconds of all processes while viewers refresh for some seconds. */
  private double look(Target target, int count, int seconds, Timings took) throws Exception {
    double before = target.cpu();
    AtomicInteger failed = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      long offset = (long) i * REFRESH_MILLIS / count;
      Thread.ofVirtual()
          .start(
              () -> {
                try (Connection connection = new Connection(target.system().query().address())) {
                  TimeUnit.MILLISECONDS.sleep(offset);
                  for (int refresh = 0; refresh < seconds * 1_000 / REFRESH_MILLIS; refresh++) {
                    long begin = System.currentTimeMillis();
                    for (Panel panel : panels) {
                      // As Grafana does.
                      double millis =
                          panel.ask(connection, begin / 1_000, "", "Accept-Encoding", "gzip");
                      synchronized (took) {
                        took.add(millis);
                      }
                    }
                    TimeUnit.MILLISECONDS.sleep(
                        Math.max(0, REFRESH_MILLIS - (System.currentTimeMillis() - begin)));
                  }
                } catch (IOException | InterruptedException e) {
                  failed.incrementAndGet();
                } finally {
                  done.countDown();
                }
              });
    }
    if (count == 0) {
      TimeUnit.SECONDS.sleep(seconds);
    }
    done.await();
    if (failed.get() > 0) {
      throw new IOException(failed + " viewers got no response");
    }
    return target.cpu() - before;
  }

  private void tenants(Target target) throws Exception {
    URI query = target.system().query().address();
    tenants(query, true, 20, new Timings()); // warms up
    Timings alone = new Timings();
    tenants(query, false, 15, alone);
    Timings beside = new Timings();
    Timings refusals = tenants(query, true, 15, beside);
    out.printf(
        Locale.ROOT,
        "%n%s: four tenants, and a fifth that sends ten times as many queries, some of them"
            + " unbounded%n    p99 of the four: alone %.1f ms, beside %.1f ms, ratio %.2f (p50 %.1f"
            + " and %.1f)%n    %d rejections: p50 %.1f ms, p99 %.1f ms%n",
        target.system().name(),
        alone.quantile(0.99),
        beside.quantile(0.99),
        beside.quantile(0.99) / alone.quantile(0.99),
        alone.median(),
        beside.median(),
        refusals.size(),
        refusals.median(),
        refusals.quantile(0.99));
    out.flush();
  }

  private Timings tenants(URI query, boolean isNoisy, int seconds, Timings took)
      throws InterruptedException {
    Timings refusals = new Timings();
    List<Thread> all = new ArrayList<>();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (int i = 0; i < 4; i++) {
      String tenant = "tenant-" + i;
      int first = 3 * i;
      all.add(
          Thread.ofVirtual().start(() -> keepAsking(query, tenant, first, end, took, refusals)));
    }
    for (int i = 0; isNoisy && i < 10; i++) {
      int first = i;
      all.add(
          Thread.ofVirtual().start(() -> keepAsking(query, "noisy", first, end, null, refusals)));
    }
    for (Thread thread : all) {
      thread.join();
    }
    return refusals;
  }

  /**
   * @param took null for the tenant whose answers do not count
   */
  private void keepAsking(
      URI query, String tenant, int first, long end, Timings took, Timings refusals) {
    try (Connection connection = new Connection(query)) {
      for (int asked = first; System.nanoTime() < end; asked++) {
        Panel panel = panels.get(asked % panels.size());
        Panel asks =
            took == null && asked % 3 == 0
                ? new Panel("", UNBOUNDED, panel.length(), panel.step())
                : panel;
        long begin = System.nanoTime();
        int status =
            connection
                .get(
                    asks.path(System.currentTimeMillis() / 1_000) + "&nocache=1",
                    "X-Scope-OrgID",
                    tenant)
                .status();
        double millis = (System.nanoTime() - begin) / 1e6;
        synchronized (refusals) {
          if (status == 429 || status == 503) {
            refusals.add(millis);
          } else if (took != null) {
            took.add(millis);
          }
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
