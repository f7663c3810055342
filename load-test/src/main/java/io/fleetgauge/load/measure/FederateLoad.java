package io.fleetgauge.load.measure;

import java.io.PrintWriter;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * What federation costs: a global Prometheus scrapes the newest samples of our query API, and of a
 * Prometheus that has the same samples.
 */
final class FederateLoad implements AutoCloseable {
  private static final int TICKS = 4;

  private final PrintWriter out;
  private final int rounds;
  private final MeasuredSystems systems;

  FederateLoad(Path folder, PrintWriter out, int hosts, int rounds) {
    this.out = out;
    this.rounds = rounds;
    systems = new MeasuredSystems(folder, hosts, TICKS, metric -> true);
  }

  void run() throws Exception {
    systems.start();
    out.printf("%n%d hosts, %d series%n%n", systems.hosts(), systems.series());
    out.printf(
        "%-34s %10s %12s %12s %8s%n",
        "CPU of a scrape, ms", "lines", "ours", "prometheus", "ratio");
    for (String encoding : List.of("gzip", "identity")) {
      scrape("all series, " + encoding, "{Hostname!=\"\"}", encoding, true);
    }
    scrape("all reductions, gzip", "{__name__=~\".+:.+\"}", "gzip", false);
    scrape("all reductions, identity", "{__name__=~\".+:.+\"}", "identity", false);
    scrape(
        "by rack and tenant, gzip", "{__name__=~\"(rack|tenant|rack_tenant):.+\"}", "gzip", false);
  }

  private void scrape(String title, String selector, String encoding, boolean compared)
      throws Exception {
    String path = "/federate?match%5B%5D=" + URLEncoder.encode(selector, StandardCharsets.UTF_8);
    systems.freshTick();
    double mine = scraped(systems.query().resolve(path), encoding, systems::ourCpu);
    systems.freshTick();
    double theirs =
        compared
            ? scraped(
                systems.peers().get("prometheus").resolve(path),
                encoding,
                () -> systems.cpuOf("prometheus"))
            : Double.NaN;
    out.printf("%-34s %10d %12.1f %12.1f %8.2f%n", title, lines(path), mine, theirs, theirs / mine);
    out.flush();
  }

  private interface Cpu {
    double seconds() throws Exception;
  }

  /** CPU of one scrape, ms, when it has been scraped often. */
  private double scraped(URI scrape, String encoding, Cpu cpu) throws Exception {
    for (int i = 0; i < 4 * rounds; i++) {
      systems.ask(scrape, "Accept-Encoding", encoding);
    }
    double before = cpu.seconds();
    for (int i = 0; i < rounds; i++) {
      systems.ask(scrape, "Accept-Encoding", encoding);
    }
    return (cpu.seconds() - before) / rounds * 1_000;
  }

  private long lines(String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(systems.query().resolve(path)).build();
    return systems
        .client()
        .send(request, HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .count();
  }

  @Override
  public void close() {
    systems.close();
  }
}
