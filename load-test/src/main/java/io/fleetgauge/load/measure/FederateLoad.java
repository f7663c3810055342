package io.fleetgauge.load.measure;

import io.fleetgauge.load.system.Connection;
import io.fleetgauge.load.system.Connection.Answer;
import io.fleetgauge.load.traffic.FleetTraffic;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The cost of federation: the newest samples are scraped while they arrive. */
final class FederateLoad {
  private static final int SCRAPES = 12;

  private final PrintWriter out;
  private final FleetTraffic traffic;
  private final List<Target> targets;

  FederateLoad(PrintWriter out, FleetTraffic traffic, List<Target> targets) {
    this.out = out;
    this.traffic = traffic;
    this.targets = targets;
  }

  void run() throws Exception {
    out.printf("%nfederation, live, ms%n%n");
    out.printf("%-56s %8s %8s %8s %10s%n", "", "lines", "first", "p50", "CPU");
    try (LiveTraffic live = new LiveTraffic(traffic, targets)) {
      live.awaitFirstTicks();
      for (Target target : targets) {
        for (String encoding : List.of("identity", "gzip")) {
          scrape(target, "all series, " + encoding, "{__name__=~\".+\"}", encoding);
        }
        if (target.system().ours()) {
          scrape(target, "all reductions, gzip", "{__name__=~\".+:.+\"}", "gzip");
          scrape(
              target,
              "by rack and tenant, gzip",
              "{__name__=~\"(rack|tenant|rack_tenant):.+\"}",
              "gzip");
        }
      }
    }
  }

  private void scrape(Target target, String title, String selector, String encoding)
      throws Exception {
    String path = "/federate?match%5B%5D=" + URLEncoder.encode(selector, StandardCharsets.UTF_8);
    Timings timings = new Timings();
    double first = Double.NaN;
    double before = 0;
    try (Connection connection = new Connection(target.system().query().address())) {
      for (int i = 0; i < SCRAPES; i++) {
        double took = scrape(connection, path, encoding);
        if (i == 0) {
          first = took;
          before = target.cpu();
        } else {
          timings.add(took);
        }
        // Samples arrive between two scrapes.
        TimeUnit.MILLISECONDS.sleep(300);
      }
      double cpu = (target.cpu() - before) / (SCRAPES - 1) * 1_000;
      long lines =
          connection.get(path).text().lines().filter(line -> !line.startsWith("#")).count();
      out.printf(
          Locale.ROOT,
          "%-56s %8d %8.1f %8.1f %10.1f%n",
          target.system().name() + ": " + title,
          lines,
          first,
          timings.median(),
          cpu);
      out.flush();
    }
  }

  private static double scrape(Connection connection, String path, String encoding)
      throws IOException {
    long begin = System.nanoTime();
    Answer answer = connection.get(path, "Accept-Encoding", encoding);
    double millis = (System.nanoTime() - begin) / 1e6;
    if (answer.status() != 200 || answer.body().length < 100) {
      throw new IOException("a scrape has the response " + answer.status() + ": " + answer.text());
    }
    return millis;
  }
}
