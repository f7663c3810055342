package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.GatewayProcess;
import io.fleetgauge.probe.ProbeProcess;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.fanout.GatewayFleet;
import io.fleetgauge.query.fanout.Gateways;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.relabel.Relabelling;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real gateways, query API and uplinks over loopback. */
class FleetTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final long NOW = 1_760_000_000_000L;

  private final Vertx vertx = Vertx.vertx();
  @TempDir private Path folder;
  private LocalFleet fleet;

  @AfterEach
  void stop() {
    if (fleet != null) {
      fleet.close();
    }
    vertx.close().await();
  }

  private void start(int gateways) throws StartFailure {
    fleet =
        new LocalFleet(
            "fleet-" + System.nanoTime(), LocalPorts.free(gateways + 2), folder, () -> NOW);
    for (int i = 0; i < gateways; i++) {
      fleet.startGateway(0, HOUR);
    }
  }

  private Uplink uplink(String host) {
    return new Uplink(
        vertx,
        host,
        fleet.gatewayAddresses(),
        UplinkSettings.DEFAULT,
        Optional.empty(),
        host.hashCode());
  }

  /** Waits until a query API knows of so many hosts, and all of them answer. */
  private static void awaitWhole(QueryClient client, int hosts) {
    await()
        .atMost(SOON)
        .until(
            () ->
                completeness(client.get("/api/v1/query?query=count(%7BHostname!=%22%22%7D)"))
                    .startsWith("hosts=" + hosts + "; answered=" + hosts + "; missing=;"));
  }

  private static String completeness(HttpResponse<String> answer) {
    return answer.headers().firstValue("X-Fleetgauge-Completeness").orElse("");
  }

  private static Tick tick(String host, long time, double value) {
    return new Tick.Builder()
        .add(Labels.of(Labels.NAME, "power", "Hostname", host), value)
        .add(Labels.of(Labels.NAME, "work_total", "Hostname", host), time / 1000.0)
        .at(time);
  }

  @Test
  void everyHostReachesItsOwnerFromAnySeedAndIsCountedOnce() throws Exception {
    start(3);
    QueryClient client = new QueryClient(fleet.startQuery("127.0.0.1", 0).port());
    Map<String, Uplink> uplinks = new HashMap<>();
    for (int i = 0; i < 40; i++) {
      uplinks.put("host-" + i, uplink("host-" + i));
    }
    for (int i = 0; i < 20; i++) {
      long time = NOW - 300_000 + i * 15_000;
      uplinks.forEach((host, uplink) -> uplink.offer(tick(host, time, 7)));
    }
    await()
        .atMost(SOON)
        .until(() -> uplinks.values().stream().allMatch(u -> u.unacknowledgedTicks() == 0));
    assertThat(uplinks.values()).allMatch(uplink -> uplink.counts().kept() == 40);
    // The first gateway is not the one that decides, and hears of its decisions.
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(fleet.gateways().getFirst().view().table().load().values())
                    .hasSize(3)
                    .allMatch(hosts -> hosts >= 10 && hosts <= 15));
    awaitWhole(client, 40);
    assertThat(client.values("count(power)", "")).containsEntry("", 40.0);
    assertThat(client.values("sum(power)", "")).containsEntry("", 280.0);
    assertThat(client.values("sum by (Hostname) (rate(work_total[2m]))", "Hostname"))
        .hasSize(40)
        .allSatisfy((host, rate) -> assertThat(rate).isCloseTo(1.0, Offset.offset(1e-12)));
  }

  @Test
  void whatAProbeReadsHourlyAnswersAnInstantQueryAtAnyTime() throws Exception {
    start(1);
    QueryClient client = new QueryClient(fleet.startQuery("127.0.0.1", 0).port());
    TickClass hourly = new TickClass(HOUR);
    Reader versions =
        new Reader() {
          @Override
          public String name() {
            return "versions";
          }

          @Override
          public Set<TickClass> classes() {
            return Set.of(hourly);
          }

          @Override
          public void read(Set<TickClass> due, Readings out) {
            out.add(hourly, Labels.of(Labels.NAME, "driver"), 1);
          }
        };
    Uplink uplink = uplink("host-1");
    NodeLabels node = new NodeLabels(Labels.of("Hostname", "host-1"), Relabelling.NONE);
    long first = NOW - 3_000_000;
    try (Sampler sampler =
        new Sampler(
            List.of(versions),
            node,
            () -> GpuOwners.NONE,
            "probe",
            Duration.ofSeconds(15),
            () -> NOW,
            TickSink.NONE)) {
      for (long time = first; time <= NOW; time += 15_000) {
        uplink.offer(sampler.readAt(time));
        if ((time - first) % 600_000 == 0 || time == NOW) { // an uplink holds 15 minutes
          await().atMost(SOON).until(() -> uplink.unacknowledgedTicks() == 0);
        }
      }
    }
    awaitWhole(client, 1);
    assertThat(client.values("count_over_time(driver[1h])", "Hostname"))
        .isEqualTo(Map.of("host-1", 13.0));
    String range = "&start=" + first / 1000 + "&end=" + NOW / 1000 + "&step=1";
    JsonNode seen = client.json("/api/v1/query_range?query=count(driver)" + range);
    assertThat(seen.path("data").path("result").path(0).path("values"))
        .as("instant queries, one each second")
        .hasSize(3_001);
  }

  @Test
  void ticksOfThePastArriveBetweenTheOthersAndTheirSeriesEnd() throws Exception {
    start(3);
    QueryClient client = new QueryClient(fleet.startQuery("127.0.0.1", 0).port());
    Uplink uplink = uplink("host-1");
    for (long time = NOW - 900_000; time < NOW; time += 15_000) {
      uplink.offer(tick("host-1", time, 1));
    }
    Labels power =
        Labels.of(Labels.NAME, "gpu_recent_power_watts", "Hostname", "host-1", "fault", "f");
    List<Tick> window = new ArrayList<>();
    for (int second = 0; second < 600; second++) {
      window.add(new Tick.Builder().add(power, second).at(NOW - 700_000 + second * 1_000));
    }
    window.add(new Tick.Builder().add(power, Staleness.MARKER).at(NOW - 100_000));
    uplink.offerPast(window);
    uplink.offer(tick("host-1", NOW, 2));
    await().atMost(SOON).until(() -> uplink.unacknowledgedTicks() == 0);
    assertThat(uplink.counts().kept()).isEqualTo(uplink.counts().read());
    awaitWhole(client, 1);
    String at = "&time=" + NOW / 1000;
    assertThat(
            client
                .get("/api/v1/query?query=count_over_time(%7Bfault=%22f%22%7D%5B15m%5D)" + at)
                .body())
        .contains("\"value\":[" + NOW / 1000 + ",\"600\"]");
    assertThat(client.get("/api/v1/query?query=gpu_recent_power_watts" + at).body())
        .as("it has ended")
        .contains("\"result\":[]");
    long during = (NOW - 400_000) / 1000;
    assertThat(client.get("/api/v1/query?query=gpu_recent_power_watts&time=" + during).body())
        .contains("\"value\":[" + during + ",\"300\"]");
    assertThat(client.get("/api/v1/query?query=count_over_time(power%5B20m%5D)" + at).body())
        .contains("\"value\":[" + NOW / 1000 + ",\"61\"]");
  }

  @Test
  void aNativeHistogramTravelsFromTheProbeToTheAnswer() throws Exception {
    start(2);
    QueryClient client = new QueryClient(fleet.startQuery("127.0.0.1", 0).port());
    Histogram histogram =
        new Histogram(
            0,
            Histogram.ResetHint.UNKNOWN,
            7,
            10.5,
            0.25,
            1,
            new Histogram.Buckets(new int[] {0, 2, 3}, new double[] {2, 0, 3}),
            new Histogram.Buckets(new int[] {2}, new double[] {1}),
            new double[0]);
    Uplink uplink = uplink("host-1");
    Labels series = Labels.of(Labels.NAME, "seconds", "Hostname", "host-1");
    uplink.offer(new Tick.Builder().add(series, histogram).at(NOW - 60_000));
    await().atMost(SOON).until(() -> uplink.unacknowledgedTicks() == 0);
    awaitWhole(client, 1);
    String time = "&time=" + NOW / 1000;
    assertThat(client.get("/api/v1/query?query=seconds" + time).body())
        .contains(
            "\"histogram\":["
                + NOW / 1000
                + ",{\"count\":\"7\",\"sum\":\"10.5\",\"buckets\":["
                + "[1,\"-4\",\"-2\",\"1\"],[3,\"-0.25\",\"0.25\",\"1\"],"
                + "[0,\"0.5\",\"1\",\"2\"],"
                + "[0,\"4\",\"8\",\"3\"]]}]");
    assertThat(client.get("/api/v1/query?query=histogram_count(seconds)" + time).body())
        .contains("\"value\":[" + NOW / 1000 + ",\"7\"]");
    assertThat(client.get("/api/v1/query?query=seconds%5B5m%5D" + time).body())
        .contains("\"histograms\":[[");
    assertThat(client.get("/api/v1/query?query=rate(seconds%5B5m%5D)" + time).body())
        .contains("rate of native histograms is not supported yet");
  }

  @Test
  void theLongestQueriesAndThoseThatAreTooLongAreAnsweredAndNoneIsAFailureOfOurs()
      throws Exception {
    start(1);
    QueryClient client = new QueryClient(fleet.startQuery("127.0.0.1", 0).port());
    String longest = "a" + "-a".repeat(2_000);
    for (String path : List.of("query", "format_query", "parse_query")) {
      assertThat(client.post("/api/v1/" + path, "query=" + longest).statusCode())
          .as(path)
          .isEqualTo(200);
    }
    for (String wrong :
        List.of(
            "(".repeat(10_000) + "a" + ")".repeat(10_000),
            "a".repeat(1 << 20),
            "a%2B".repeat(1 << 19),
            "a{b=~\"" + "c".repeat(100_000) + "\"}",
            "a" + "-a".repeat(100_000))) {
      for (String path : List.of("query", "format_query", "parse_query")) {
        var answer = client.post("/api/v1/" + path, "query=" + wrong);
        assertThat(answer.statusCode()).as(path).isEqualTo(400);
        assertThat(answer.body()).contains("\"errorType\":\"bad_data\"");
      }
    }
    var tooLarge = client.post("/api/v1/query", "query=" + "a".repeat(5 << 20));
    assertThat(tooLarge.statusCode()).isEqualTo(413);
    assertThat(tooLarge.body())
        .contains("\"errorType\":\"bad_data\"")
        .contains("the request cannot be read")
        .contains("a body may have 4194304 bytes");
  }

  @Test
  void postFormsAndLongQueriesAreTakenAndWrongMethodsAreNot() throws Exception {
    start(1);
    QueryClient client = new QueryClient(fleet.startQuery("127.0.0.1", 0).port());
    String padding = " ".repeat(300_000);
    assertThat(client.post("/api/v1/query", "query=1%2B1" + padding.replace(" ", "+")).body())
        .contains("\"result\":[1760000000,\"2\"]");
    assertThat(client.post("/api/v1/query?query=5", "time=7").body())
        .contains("\"result\":[7,\"5\"]");
    assertThat(client.post("/api/v1/query?query=5&time=9", "query=6").body())
        .as("the form comes first")
        .contains("\"result\":[9,\"6\"]");
    assertThat(client.get("/api/v1/query?query=1" + "%20".repeat(20_000)).statusCode())
        .isEqualTo(200);
    assertThat(client.post("/api/v1/metadata", "").statusCode()).isEqualTo(405);
    assertThat(client.get("/nosuch").statusCode()).isEqualTo(404);
    assertThat(client.get("/-/ready").statusCode()).isEqualTo(200);
    assertThat(client.get("/metrics").body()).contains("fleetgauge_query_queries_total");
  }

  @Test
  void aGatewayThatLeavesHandsItsHostsToTheOthersAndProbesFollow() throws Exception {
    start(3);
    QueryClient client = new QueryClient(fleet.startQuery("127.0.0.1", 0).port());
    Map<String, Uplink> uplinks = new HashMap<>();
    for (int i = 0; i < 12; i++) {
      uplinks.put("host-" + i, uplink("host-" + i));
    }
    uplinks.forEach((host, uplink) -> uplink.offer(tick(host, NOW - 60_000, 1)));
    await()
        .atMost(SOON)
        .until(() -> uplinks.values().stream().allMatch(u -> u.unacknowledgedTicks() == 0));
    fleet.gateways().get(1).close();
    uplinks.forEach((host, uplink) -> uplink.offer(tick(host, NOW - 45_000, 2)));
    await()
        .atMost(Duration.ofMinutes(10))
        .untilAsserted(
            () -> {
              assertThat(client.values("count(power == 2)", "")).containsEntry("", 12.0);
              assertThat(client.query("sum(power)").has("warnings")).isFalse();
            });
    assertThat(uplinks.values().stream().mapToLong(u -> u.counts().dropped()).sum()).isZero();
  }

  @Test
  void aScrapeHasEverySeriesOnceAndWhatWasKeptBeforeItWhileHostsMove() throws Exception {
    start(2);
    int port = fleet.startQuery("127.0.0.1", 0).port();
    GatewayProcess first = fleet.gateways().getFirst();
    Map<String, Uplink> uplinks = new HashMap<>();
    for (int i = 0; i < 24; i++) {
      uplinks.put("host-" + i, uplink("host-" + i));
    }
    long[] time = {NOW - 280_000};
    offerAll(uplinks, time[0]);
    await().atMost(SOON).until(() -> scraped(port, time[0]).isPresent());

    CompletableFuture<GatewayProcess> third =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return fleet.startGateway(0, HOUR);
              } catch (StartFailure e) {
                throw new CompletionException(e);
              }
            });
    int[] whole = {0};
    int[] wholeAfterwards = {0};
    await()
        .atMost(Duration.ofMinutes(10))
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              time[0] += 10;
              offerAll(uplinks, time[0]);
              if (scraped(port, time[0]).isPresent()) {
                whole[0]++;
                boolean moved = first.view().table().load().getOrDefault("gateway-3", 0L) > 0;
                wholeAfterwards[0] += moved ? 1 : 0;
              }
              return third.isDone() && wholeAfterwards[0] > 20;
            });
    third.join();
    assertThat(whole[0]).isGreaterThan(wholeAfterwards[0]);
  }

  private static void offerAll(Map<String, Uplink> uplinks, long time) {
    uplinks.forEach((host, uplink) -> uplink.offer(tick(host, time, time - NOW)));
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> uplinks.values().stream().allMatch(u -> u.unacknowledgedTicks() == 0));
  }

  /**
   * Samples of a scrape, if it says that it is whole; fails if it has a series twice, a value of
   * another time, or one from before {@code kept} although it is whole.
   */
  private static Optional<Map<String, Long>> scraped(int port, long kept) throws Exception {
    HttpResponse<String> answer =
        new QueryClient(port).get("/federate?match%5B%5D=%7BHostname%21%3D%22%22%7D");
    assertThat(answer.statusCode()).isEqualTo(200);
    Map<String, Long> times = new HashMap<>();
    for (String line : answer.body().lines().filter(each -> !each.startsWith("#")).toList()) {
      String[] parts = line.split(" ");
      long at = Long.parseLong(parts[2]);
      assertThat(times.put(parts[0], at)).as(line).isNull();
      double value = Double.parseDouble(parts[1]);
      assertThat(value).as(line).isEqualTo(line.startsWith("power") ? at - NOW : at / 1000.0);
    }
    if (!completeness(answer).startsWith("hosts=24; answered=24; missing=;")) {
      return Optional.empty();
    }
    assertThat(times).hasSize(48);
    assertThat(times.values()).allMatch(at -> at >= kept);
    return Optional.of(times);
  }

  @Test
  void aGatewayThatForgotARunIsSentItsDictionary() throws Exception {
    start(1);
    GatewayProcess first = fleet.gateways().getFirst();
    int port = first.address().getPort();
    Uplink uplink = uplink("n1");
    uplink.offer(tick("n1", NOW - 60_000, 1));
    await().atMost(SOON).until(() -> uplink.unacknowledgedTicks() == 0);
    fleet.close();
    uplink.offer(tick("n1", NOW - 45_000, 2));
    Path empty = folder.resolve("empty");
    fleet = new LocalFleet("fleet-" + System.nanoTime(), LocalPorts.free(2), empty, () -> NOW);
    fleet.startGateway(port, HOUR);
    await().atMost(Duration.ofMinutes(10)).until(() -> uplink.unacknowledgedTicks() == 0);
    QueryClient client = new QueryClient(fleet.startQuery("127.0.0.1", 0).port());
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(client.values("power", "Hostname")).containsEntry("n1", 2.0));
    assertThat(uplink.counts().kept()).isEqualTo(4);
    // The first tick is nowhere any more, which nobody is left in doubt about.
    HttpResponse<String> answer = client.get("/api/v1/query?query=power");
    assertThat(answer.headers().firstValue("X-Fleetgauge-Completeness").orElseThrow())
        .startsWith("hosts=1; answered=0; missing=n1; ");
    assertThat(answer.body()).contains("incomplete result: 1 of 1 hosts are missing: n1");
    HttpResponse<String> strict = client.get("/api/v1/query?query=power&strict=1");
    assertThat(strict.statusCode()).isEqualTo(503);
    assertThat(strict.body()).contains("n1; a complete result was requested (strict)");
  }

  @Test
  void hostsThatNobodyAnswersForAreNamed() throws Exception {
    start(1);
    Uplink uplink = uplink("n1");
    uplink.offer(tick("n1", NOW, 1));
    await().atMost(SOON).until(() -> uplink.unacknowledgedTicks() == 0);
    URI dead = URI.create("http://127.0.0.1:" + LocalPorts.free(1).getFirst());
    ClusterView wrong =
        new ClusterView(
            OwnershipTable.ofOwners(
                1, Map.of("n1", "gateway-1", "n2", "gateway-1", "n3", "dead", "n4", "gone")),
            Map.of("gateway-1", fleet.gatewayAddresses().getFirst(), "dead", dead),
            false);
    try (OutgoingHttp http =
        new OutgoingHttp(vertx, TrustSettings.NONE, RequestSigner.NONE, Gateways.connections(4))) {
      GatewayFleet shards =
          new GatewayFleet(
              new Gateways(
                  vertx,
                  http,
                  () -> wrong,
                  vertx.createSharedWorkerExecutor("test", 2),
                  vertx.createSharedWorkerExecutor("heavy-test", 1)));
      SeriesSearch all = new SeriesSearch(0, NOW, 0, List.of());
      Gathered<List<String>> names =
          shards
              .labelValues("Hostname", all, new ReadOptions(Load.OWN, 120_000, new Cancellation()))
              .await();
      assertThat(names.value()).containsExactly("n1");
      assertThat(names.coverage().warnings())
          .containsExactly("incomplete result: 3 of 4 hosts are missing: n2, n3, n4");
    }
  }

  @Test
  void theProbeOfThisMachineIsSeenThroughTheQueryApi() throws Exception {
    fleet =
        new LocalFleet(
            "fleet-" + System.nanoTime(), LocalPorts.free(3), folder, System::currentTimeMillis);
    fleet.startGateway(0, HOUR);
    fleet.startGateway(0, HOUR);
    QueryProcess query = fleet.startQuery("127.0.0.1", 0);
    String gateways =
        fleet.gatewayAddresses().stream()
            .map(address -> "\"" + address + "\"")
            .collect(Collectors.joining(", "));
    ProbeConfig config =
        ProbeConfig.read(
            "test",
            "hostname: this-machine\n"
                + "instance: n9\n"
                + "labels: {rack: r9}\n"
                + "http: {host: 127.0.0.1, port: 0}\n"
                + "tick: 1s\n"
                + "gpu: {library: /nonexistent.so}\n"
                // Not where another run may have left ticks, which count as read and as dropped.
                + "spool: {folder: '"
                + folder.resolve("spool")
                + "'}\n"
                + "gateways: ["
                + gateways
                + "]\n");
    QueryClient client = new QueryClient(query.port());
    ProbeProcess probe = ProbeProcess.start(config, System::currentTimeMillis);
    try (probe) {
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(
                          client.values("count_over_time(node_load1{rack=\"r9\"}[1m])", "Hostname"))
                      .hasEntrySatisfying(
                          "this-machine", count -> assertThat(count).isGreaterThan(1)));
      QueryClient exposition = new QueryClient(probe.port());
      assertThat(exposition.get("/metrics").body())
          .contains("node_load1{Hostname=\"this-machine\",instance=\"n9\",rack=\"r9\"} ")
          .contains("fleetgauge_probe_gpu_driver_up 0.0");
      assertThat(exposition.get("/-/ready").statusCode()).isEqualTo(200);
      // A tick may come between two looks.
      await()
          .untilAsserted(
              () ->
                  assertThat(probe.counts().read())
                      .isEqualTo(probe.counts().kept() + probe.counts().queued()));
    }
  }

  @Test
  void theSeriesOfAProbeThatIsKilledEndAndItsHostIsDown() throws Exception {
    fleet =
        new LocalFleet(
            "fleet-" + System.nanoTime(), LocalPorts.free(4), folder, System::currentTimeMillis);
    fleet.startGateway(0, HOUR);
    fleet.startGateway(0, HOUR);
    QueryClient client = new QueryClient(fleet.startQuery("127.0.0.1", 0).port());
    Path config =
        Files.writeString(
            folder.resolve("probe.yaml"),
            "hostname: n1\ntick: 1s\ngpu: {enabled: false}\nhttp: {host: 127.0.0.1, port: 0}\n"
                + "gateways: [\"%s\"]\n".formatted(fleet.gatewayAddresses().getFirst()));
    try (LaunchedProcess probe =
        new LaunchedProcess(folder, "probe", "--config", config.toString())) {
      probe.awaitOutput("probe of n1 reads");
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(client.values("count_over_time(node_load1[1m]) > 3", "Hostname"))
                      .as(probe.output())
                      .containsKey("n1"));
      assertThat(client.values("up", "Hostname")).containsEntry("n1", 1.0);
      probe.process.destroyForcibly().waitFor();
      long killed = System.currentTimeMillis();
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> assertThat(client.values("up", "Hostname")).containsEntry("n1", 0.0));
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> assertThat(client.values("node_load1", "Hostname")).doesNotContainKey("n1"));
      String last = "max_over_time(timestamp(node_load1)[10m:1s])";
      assertThat(client.values(last, "Hostname").get("n1") * 1_000).isLessThanOrEqualTo(killed);
      assertThat(client.values("max_over_time(timestamp(up == 0)[10m:1s])", "Hostname"))
          .hasEntrySatisfying("n1", time -> assertThat(time * 1_000).isGreaterThan(killed - 2_000));
    }
  }
}
