package io.fleetgauge.load.measure;

import io.fleetgauge.load.measure.Dashboard.Panel;
import io.fleetgauge.load.measure.Dashboard.Window;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a dashboard costs: our gateways, Prometheus and VictoriaMetrics hold the same samples on one
 * machine and get the same queries in turn. Only ratios within one run are meaningful.
 */
final class QueryLoad implements AutoCloseable {
  /** Six hours of what the dashboard shows, and ten minutes. */
  private static final int TICKS = 6 * 240 + 40;

  private static final int WARM_UP = 1_500;
  private static final String NO_STORE = "no-store";

  private final PrintWriter out;
  private final int rounds;
  private final MeasuredSystems systems;

  QueryLoad(Path folder, PrintWriter out, int hosts, int rounds) {
    this.out = out;
    this.rounds = rounds;
    systems = new MeasuredSystems(folder, hosts, TICKS, Dashboard.METRICS::contains);
  }

  void run() throws Exception {
    systems.start();
    out.printf(
        "%n%d hosts, %d series, %d ticks of 15 s%n",
        systems.hosts(), systems.series(), systems.ticks());
    cold();
    warm();
    cpu();
    viewers();
    noisyTenant();
  }

  // --- the questions ---

  private URI question(URI server, String text, long end, Window window, String more) {
    long to = end / 1000 / window.step() * window.step();
    return server.resolve(
        "/api/v1/query_range?query="
            + URLEncoder.encode(text, StandardCharsets.UTF_8)
            + "&start="
            + (to - window.length())
            + "&end="
            + to
            + "&step="
            + window.step()
            + more);
  }

  private static double quantile(List<Double> values, double q) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted[(int) Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  }

  private void cold() throws Exception {
    out.printf("%ncold, one client: p50 in ms (ratio: of the faster of the others to ours)%n");
    out.printf(
        "%-26s %-12s %8s %11s %9s %7s%n",
        "panel", "window", "ours", "prometheus", "victoria", "ratio");
    Map<String, List<Double>> all = new LinkedHashMap<>();
    warmUp();
    for (int round = -2; round < rounds; round++) {
      // The whole dashboard of one system and then of the next, as a viewer loads it.
      rest();
      dashboard("ours", round, all, systems.query(), "", "Cache-Control", NO_STORE);
      for (var peer : systems.peers().entrySet()) {
        rest();
        String more = peer.getKey().equals("prometheus") ? "" : "&nocache=1";
        dashboard(peer.getKey(), round, all, peer.getValue(), more);
      }
    }
    for (Window window : Dashboard.WINDOWS) {
      for (Panel panel : Dashboard.PANELS) {
        line(all, panel.title(), window.name(), window.name() + panel.title());
      }
    }
    line(all, "all", "", "");
    out.flush();
  }

  /** Lets the system that was asked last finish its background work. */
  private static void rest() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(500);
  }

  private void dashboard(
      String name,
      int round,
      Map<String, List<Double>> all,
      URI server,
      String more,
      String... headers)
      throws Exception {
    for (Window window : Dashboard.WINDOWS) {
      for (Panel panel : Dashboard.PANELS) {
        double took =
            systems.ask(question(server, panel.query(), systems.last(), window, more), headers);
        if (round >= 0) {
          add(all, name + window.name() + panel.title(), took);
          add(all, name, took);
        }
      }
    }
  }

  /**
   * Runs the queries until the just-in-time compilers of our processes are done, which on two cores
   * take CPU from the queries for long. Caches are bypassed.
   */
  private void warmUp() throws Exception {
    for (int round = 0; round < WARM_UP; round++) {
      for (Window window : Dashboard.WINDOWS) {
        for (Panel panel : Dashboard.PANELS) {
          if (panel.rewritten() || round % 4 == 0) {
            systems.ask(
                question(systems.query(), panel.query(), systems.last(), window, ""),
                "Cache-Control",
                NO_STORE);
          }
        }
      }
    }
  }

  private static void add(Map<String, List<Double>> all, String key, double value) {
    all.computeIfAbsent(key, none -> new ArrayList<>()).add(value);
  }

  private void line(Map<String, List<Double>> all, String title, String window, String key) {
    double mine = quantile(all.get("ours" + key), 0.5);
    double prometheus = quantile(all.get("prometheus" + key), 0.5);
    double victoria = quantile(all.get("victoria-metrics" + key), 0.5);
    out.printf(
        "%-26s %-12s %8.2f %11.2f %9.2f %7.1f%n",
        title, window, mine, prometheus, victoria, Math.min(prometheus, victoria) / mine);
  }

  private void warm() throws Exception {
    List<Double> took = new ArrayList<>();
    for (int round = -rounds; round < rounds; round++) {
      for (Window window : Dashboard.WINDOWS) {
        for (Panel panel : Dashboard.PANELS) {
          double millis =
              systems.ask(question(systems.query(), panel.query(), systems.last(), window, ""));
          if (round >= 0) {
            took.add(millis);
          }
        }
      }
    }
    out.printf(
        "%nwarm, one client: p50 %.2f ms, p99 %.2f ms%n",
        quantile(took, 0.5), quantile(took, 0.99));
    out.flush();
  }

  private void cpu() throws Exception {
    out.printf("%nCPU of a rewritten query, of all our processes, in ms%n");
    List<Double> raw = new ArrayList<>();
    for (Window window : Dashboard.WINDOWS) {
      raw.add(cpuOfRewritten(window, 20, Math.max(4, rounds / 3), "X-Fleetgauge-Plan", "raw"));
    }
    for (Window window : Dashboard.WINDOWS) {
      double rewritten = cpuOfRewritten(window, WARM_UP / 3, 6 * rounds, "Cache-Control", NO_STORE);
      double mine = raw.removeFirst();
      out.printf(
          "  %-12s rewritten %.2f, raw %.1f: ratio %.0f%n",
          window.name(), rewritten, mine, mine / rewritten);
    }
    out.flush();
  }

  /** CPU of a query, ms, without the first rounds, in which code is compiled. */
  private double cpuOfRewritten(Window window, int first, int times, String... headers)
      throws Exception {
    List<Panel> panels = Dashboard.PANELS.stream().filter(Panel::rewritten).toList();
    double before = 0;
    for (int round = 0; round < first + times; round++) {
      if (round == first) {
        before = systems.ourCpu();
      }
      for (Panel panel : panels) {
        systems.ask(question(systems.query(), panel.query(), systems.last(), window, ""), headers);
      }
    }
    return (systems.ourCpu() - before) / times / panels.size() * 1_000;
  }

  // --- many viewers ---

  private void viewers() throws Exception {
    out.printf("%nviewers of the dashboard (1 h), refresh 5 s, all hosts sending%n");
    AtomicBoolean over = new AtomicBoolean();
    Thread sender = Thread.ofPlatform().name("ticks").start(() -> keepSending(over));
    try {
      TimeUnit.SECONDS.sleep(2);
      look(200, 15, new ArrayList<>()); // warms up
      List<Double> one = new ArrayList<>();
      double cpuOfOne = look(1, 20, one);
      List<Double> many = new ArrayList<>();
      double cpuOfMany = look(200, 20, many);
      out.printf(
          "  one: CPU %.2f s in 20 s; 200: %.2f s, ratio %.2f, p50 %.1f ms, p99 %.1f ms, %d"
              + " answers%n",
          cpuOfOne,
          cpuOfMany,
          cpuOfMany / cpuOfOne,
          quantile(many, 0.5),
          quantile(many, 0.99),
          many.size());
      out.flush();
    } finally {
      over.set(true);
      sender.join();
    }
  }

  /** Sends one tick of every host each 15 s, spread evenly. */
  private void keepSending(AtomicBoolean over) {
    try {
      long begin = System.currentTimeMillis();
      for (int sent = 0; !over.get(); sent++) {
        long due = begin + sent * MeasuredSystems.TICK / systems.hosts();
        long now = System.currentTimeMillis();
        if (due > now) {
          TimeUnit.MILLISECONDS.sleep(due - now);
        }
        int host = sent % systems.hosts();
        systems.sendTick(host);
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** CPU seconds of all our processes while a number of viewers refresh for some seconds. */
  private double look(int count, int seconds, List<Double> took) throws Exception {
    double before = systems.ourCpu();
    Window window = Dashboard.WINDOWS.getFirst();
    AtomicInteger failed = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      long offset = i * 5_000L / count;
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  TimeUnit.MILLISECONDS.sleep(offset);
                  for (int refresh = 0; refresh < seconds / 5; refresh++) {
                    long begin = System.currentTimeMillis();
                    for (Panel panel : Dashboard.PANELS) {
                      double millis =
                          systems.ask(
                              question(systems.query(), panel.query(), begin, window, ""),
                              // As Grafana does.
                              "Accept-Encoding",
                              "gzip");
                      synchronized (took) {
                        took.add(millis);
                      }
                    }
                    TimeUnit.MILLISECONDS.sleep(
                        Math.max(0, 5_000 - (System.currentTimeMillis() - begin)));
                  }
                } catch (Exception e) {
                  failed.incrementAndGet();
                } finally {
                  done.countDown();
                }
              });
    }
    done.await();
    if (failed.get() > 0) {
      throw new IOException(failed + " viewers got no answer");
    }
    return systems.ourCpu() - before;
  }

  // --- a tenant without limits ---

  private void noisyTenant() throws Exception {
    out.printf(
        "%nfour tenants, and a fifth that sends ten times as many queries, some unbounded%n");
    tenants(true, 30, new ArrayList<>()); // warms up
    List<Double> alone = new ArrayList<>();
    tenants(false, 15, alone);
    List<Double> beside = new ArrayList<>();
    List<Double> refusals = tenants(true, 15, beside);
    out.printf(
        "  p99 of the four: alone %.1f ms, beside %.1f ms, ratio %.2f (p50 %.1f and %.1f)%n",
        quantile(alone, 0.99),
        quantile(beside, 0.99),
        quantile(beside, 0.99) / quantile(alone, 0.99),
        quantile(alone, 0.5),
        quantile(beside, 0.5));
    if (!refusals.isEmpty()) {
      out.printf(
          "  %d refusals: p50 %.1f ms, p99 %.1f ms%n",
          refusals.size(), quantile(refusals, 0.5), quantile(refusals, 0.99));
    }
    out.flush();
  }

  private List<Double> tenants(boolean noisy, int seconds, List<Double> took) throws Exception {
    List<Double> refusals = new ArrayList<>();
    List<Thread> all = new ArrayList<>();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (int tenant = 0; tenant < 4; tenant++) {
      String name = "tenant-" + tenant;
      all.add(Thread.ofVirtual().start(() -> keepAsking(name, 20, end, took, refusals)));
    }
    if (noisy) {
      for (int i = 0; i < 10; i++) {
        all.add(Thread.ofVirtual().start(() -> keepAsking("noisy", 20, end, null, refusals)));
      }
    }
    for (Thread thread : all) {
      thread.join();
    }
    return refusals;
  }

  private void keepAsking(
      String tenant, int pauseMillis, long end, List<Double> took, List<Double> refusals) {
    int asked = tenant.hashCode() & 0xff;
    while (System.nanoTime() < end) {
      asked++;
      boolean unbounded = took == null && asked % 3 == 0;
      Panel panel = Dashboard.PANELS.get(asked % Dashboard.PANELS.size());
      Window window = Dashboard.WINDOWS.get(asked / 12 % 2);
      String text = unbounded ? "count(max_over_time({__name__=~\".+\"}[6h]))" : panel.query();
      HttpRequest request =
          HttpRequest.newBuilder(question(systems.query(), text, systems.last(), window, ""))
              .headers("X-Scope-OrgID", tenant, "Cache-Control", NO_STORE)
              .build();
      try {
        long begin = System.nanoTime();
        int status =
            systems.client().send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        double millis = (System.nanoTime() - begin) / 1e6;
        synchronized (refusals) {
          if (status == 429 || status == 503) {
            refusals.add(millis);
          } else if (took != null) {
            took.add(millis);
          }
        }
        TimeUnit.MILLISECONDS.sleep(pauseMillis);
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public void close() {
    systems.close();
  }
}
