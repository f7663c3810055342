package io.fleetgauge.load.optimisation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.Numbers;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Short cuts do not show: whatever way a query takes through a fleet that lives, its answer is,
 * byte for byte, the one that evaluation in one place over all samples gives.
 */
class OptimisationsTest {
  private static final long START = 1_760_000_000_000L / 900_000 * 900_000;
  private static final long TICK = 15_000;
  private static final int TICKS = 360;
  private static final int QUERIES = Integer.getInteger("fleetgauge.shortcuts.queries", 2_000);
  private static final long SEED = Long.getLong("fleetgauge.shortcuts.seed", 6);
  private static final int MOST_SHOWN = 12;
  private static final UplinkSettings EVERYTHING =
      new UplinkSettings(Duration.ofDays(400), 1 << 30, Duration.ofDays(400), 0);

  private final Map<Labels, TreeMap<Long, Double>> facts = new TreeMap<>();
  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient client = HttpClient.newHttpClient();
  private final Vertx vertx = Vertx.vertx();
  private final AtomicLong now = new AtomicLong(START);
  private final List<Uplink> uplinks = new ArrayList<>();
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final FleetSamples samples = new FleetSamples(SEED);
  private final List<String> wrong = new ArrayList<>();
  private LocalFleet fleet;
  private QueryProcess query;

  @TempDir private Path folder;

  @AfterEach
  void stop() throws Exception {
    uplinks.forEach(Uplink::close);
    fleet.close();
    vertx.close().await(120, TimeUnit.SECONDS);
    client.close();
  }

  private void start() throws Exception {
    fleet = new LocalFleet("shortcuts", LocalPorts.free(5), folder, now::get);
    for (int i = 0; i < 3; i++) {
      gateway();
    }
    query = fleet.startQuery("127.0.0.1", 0);
    for (int host = 0; host < FleetSamples.HOSTS; host++) {
      uplinks.add(
          new Uplink(
              vertx,
              FleetSamples.host(host),
              fleet.gatewayAddresses(),
              EVERYTHING,
              Optional.empty(),
              host));
    }
  }

  private void gateway() throws Exception {
    fleet.startGateway(0, Duration.ofHours(24), Duration.ofMinutes(30));
  }

  /** One more tick of every host; each has its own phase, some that of the rollups. */
  private void tick() {
    now.addAndGet(TICK);
    for (int host = 0; host < FleetSamples.HOSTS; host++) {
      if (random.nextInt(100) > 0) {
        send(host, samples.tick(host, now.get() - host % 4 * 1_370));
      }
    }
  }

  /** Some of a tick that should have come up to a quarter of an hour ago. */
  private void late() {
    int host = random.nextInt(FleetSamples.HOSTS);
    long time = now.get() - random.nextLong(14 * 60_000);
    Tick whole = samples.tick(host, time);
    Tick.Builder part = new Tick.Builder();
    for (int i = 0; i < whole.size(); i++) {
      TreeMap<Long, Double> known = facts.get(whole.series().get(i));
      // The owner of the GPU at that time is known, and a second value for one time would be
      // refused.
      boolean same =
          known != null && known.floorKey(time) != null && known.ceilingKey(time) != null;
      if (same
          && !known.containsKey(time)
          && random.nextInt(3) > 0
          && isOwnedAround(whole, i, time)) {
        part.add(whole.series().get(i), whole.values()[i]);
      }
    }
    Tick tick = part.at(time);
    if (tick.size() > 0) {
      send(host, tick);
    }
  }

  private boolean isOwnedAround(Tick tick, int i, long time) {
    TreeMap<Long, Double> known = facts.get(tick.series().get(i));
    return known.ceilingKey(time) - known.floorKey(time) <= 2 * TICK
        && !Double.isNaN(known.floorEntry(time).getValue());
  }

  private void send(int host, Tick tick) {
    uplinks.get(host).offer(tick);
    for (int i = 0; i < tick.size(); i++) {
      facts
          .computeIfAbsent(tick.series().get(i), none -> new TreeMap<>())
          .put(tick.time(), tick.values()[i]);
    }
  }

  private void settle() {
    await()
        .atMost(Duration.ofMinutes(10))
        .pollInterval(Duration.ofMillis(2))
        .until(() -> uplinks.stream().allMatch(uplink -> uplink.unacknowledgedTicks() == 0));
  }

  @Test
  void everyWayGivesTheAnswerOfOneProcess() throws Exception {
    start();
    for (int i = 0; i < TICKS; i++) {
      tick();
    }
    settle();
    for (int i = 0; i < QUERIES && wrong.size() < MOST_SHOWN; i++) {
      if (i % 40 == 20) {
        late();
        settle();
      } else if (i % 40 == 0) {
        tick();
        settle();
      }
      if (i == QUERIES / 2) {
        gateway(); // hosts move to it while queries go on
      }
      Map<String, String> question = new FleetQueries(random, START, now.get()).next();
      compare(question);
    }
    assertThat(wrong).isEmpty();
    assertThat(counted("rewritten")).isGreaterThan(QUERIES / 2);
    assertThat(counted("rollup_cells")).isGreaterThan(QUERIES);
    assertThat(counted("extent_hits")).isGreaterThan(QUERIES / 10);
    assertThat(counted("recent_hits")).isGreaterThan(QUERIES / 2);
  }

  private double counted(String counter) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + query.port() + "/metrics")).build();
    return client
        .send(request, HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(line -> line.startsWith("fleetgauge_query_" + counter + "_total "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .findFirst()
        .orElseThrow();
  }

  private void compare(Map<String, String> question) throws Exception {
    // Half of it is asked before, so that the rest is put to what is known.
    if (question.containsKey("start") && random.nextInt(3) > 0) {
      Map<String, String> part = new java.util.LinkedHashMap<>(question);
      long step = (long) (Double.parseDouble(question.get("step")) * 1000);
      long start = millis(question.get("start"));
      long steps = (millis(question.get("end")) - start) / step;
      part.put("end", seconds(start + steps / 2 * step));
      ask(part, Map.of());
    }
    String auto = ask(question, Map.of());
    String again = ask(question, Map.of());
    String uncached = ask(question, Map.of("Cache-Control", "no-store"));
    String raw = ask(question, Map.of("X-Fleetgauge-Plan", "raw"));
    if ((auto + again + uncached + raw).contains("incomplete result")) {
      return; // a host is on its way; the warning is about the moment
    }
    if (!auto.equals(again) || !auto.equals(uncached)) {
      wrong.add(
          question
              + "\n auto     "
              + cut(auto)
              + "\n again    "
              + cut(again)
              + "\n no-store "
              + cut(uncached));
      return;
    }
    if (!auto.equals(raw)) {
      wrong.add(question + "\n auto " + cut(auto) + "\n raw  " + cut(raw));
      return;
    }
    JsonNode got = json.readTree(raw);
    try {
      JsonNode wanted = evaluate(question);
      if (!wanted.equals(got.path("data").path("result"))) {
        wrong.add(question + "\n one process " + cut(wanted.toString()) + "\n raw " + cut(raw));
      }
    } catch (QueryFailure e) {
      if (!e.getMessage().equals(got.path("error").asText())) {
        wrong.add(question + "\n one process " + e.getMessage() + "\n raw " + cut(raw));
      }
    }
  }

  private static String seconds(long millis) {
    return millis / 1000 + "." + String.format("%03d", Math.floorMod(millis, 1000));
  }

  private static String cut(String text) {
    return text.length() > 700 ? text.substring(0, 700) + "..." : text;
  }

  private String ask(Map<String, String> question, Map<String, String> headers)
      throws IOException, InterruptedException {
    String form =
        question.entrySet().stream()
            .map(
                entry ->
                    entry.getKey()
                        + "="
                        + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    String path = question.containsKey("time") ? "/api/v1/query?" : "/api/v1/query_range?";
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + query.port() + path + form));
    headers.forEach(request::header);
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
  }

  // --- in one place ---

  private JsonNode evaluate(Map<String, String> question) throws Exception {
    boolean instant = question.containsKey("time");
    long start = millis(question.get(instant ? "time" : "start"));
    long end = millis(question.get(instant ? "time" : "end"));
    // As Prometheus does it: times are rounded, steps are cut.
    long step = instant ? 0 : (long) (Double.parseDouble(question.get("step")) * 1000);
    String lookback = question.getOrDefault("lookback_delta", "5m");
    Query asked =
        new Query(
            question.get("query"),
            Parser.parse(
                question.get("query"),
                new ParseOptions(Query.Settings.STOCK.features(), end - start, step)),
            start,
            end,
            step,
            Query.Settings.STOCK.withLookback(Durations.parse(lookback)));
    return written(Engine.run(asked, source(), StopCheck.NEVER).result());
  }

  private static long millis(String seconds) {
    return Math.round(Double.parseDouble(seconds) * 1000);
  }

  private SeriesSource source() {
    return (selection, receiver) -> {
      for (var entry : facts.entrySet()) {
        boolean matches = selection.from() < selection.to();
        for (Matcher matcher : selection.matchers()) {
          matches &= matcher.matches(entry.getKey());
        }
        var part =
            matches
                ? entry.getValue().subMap(selection.from(), false, selection.to(), true)
                : new TreeMap<Long, Double>();
        if (!part.isEmpty()) {
          receiver.accept(
              new Series(
                  entry.getKey(),
                  part.keySet().stream().mapToLong(Long::longValue).toArray(),
                  part.values().stream().mapToDouble(Double::doubleValue).toArray()));
        }
      }
    };
  }

  private ArrayNode written(Answer.Result result) throws IOException {
    ArrayNode all = json.createArrayNode();
    switch (result) {
      case Answer.Matrix matrix -> {
        for (Series series : matrix.series()) {
          ObjectNode one = all.addObject();
          one.set("metric", labels(series.labels()));
          ArrayNode values = one.putArray("values");
          for (int i = 0; i < series.size(); i++) {
            values.add(point(series.times()[i], series.values()[i]));
          }
        }
      }
      case Answer.Vector vector -> {
        for (Answer.Sample sample : vector.samples()) {
          ObjectNode one = all.addObject();
          one.set("metric", labels(sample.labels()));
          one.set("value", point(vector.time(), sample.value()));
        }
      }
      case Answer.Scalar scalar -> {
        return (ArrayNode) point(scalar.time(), scalar.value());
      }
      case Answer.Text text -> throw new IllegalStateException(text.value());
    }
    return all;
  }

  private ObjectNode labels(Labels labels) {
    ObjectNode node = json.createObjectNode();
    for (int i = 0; i < labels.size(); i++) {
      node.put(labels.name(i), labels.value(i));
    }
    return node;
  }

  private JsonNode point(long time, double value) throws IOException {
    return json.readTree("[" + Numbers.seconds(time) + ",\"" + Numbers.text(value) + "\"]");
  }
}
