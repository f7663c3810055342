package io.fleetgauge.load.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.load.fleet.ClockedCluster;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.HostUsage;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.vertx.core.Vertx;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reports of a cluster of processes are what was played on simulated nodes: jobs that follow each
 * other and come again, shared and divided GPUs, silences, driver reloads, clocks that are set,
 * samples that come hours late and out of order, and a gateway that is killed in the middle.
 */
class UsageInFleetTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
  private static final long HOUR = 3_600_000;
  private static final Duration TICK = Duration.ofMinutes(1);

  /** In the evening, so that a day ends while it is played. */
  private static final long START = 1_790_000_000_000L / 86_400_000 * 86_400_000 + 20 * HOUR;

  private static final long CUT = START + 5 * HOUR + 1_234_567;
  private static final long END = START + 11 * HOUR;
  private static final int TICKS = (int) (11 * HOUR / TICK.toMillis()) + 10;
  private static final FleetLayout FLEET = FleetLayout.of(10, TICK, 7);

  /** Of Slurm, of Kubernetes with divided GPUs, and of Kubernetes without. */
  private static final List<Integer> PLACES = List.of(0, 6, 9);

  private static final List<List<Matcher>> SELECTORS = HostUsage.selectors();
  private static final Map<Amount, String> CLASSES = new EnumMap<>(Amount.class);

  static {
    CLASSES.put(Amount.BUSY, "gpu_seconds_busy");
    CLASSES.put(Amount.EXECUTION_IDLE, "gpu_seconds_execution_idle");
    CLASSES.put(Amount.IDLE, "gpu_seconds_idle");
    CLASSES.put(Amount.UNKNOWN, "gpu_seconds_unknown");
  }

  private static final Map<String, BiFunction<PlayedHost, PlayedLedger.Key, String>> GROUPS =
      new TreeMap<>();

  static {
    GROUPS.put("job", (host, key) -> key.number());
    GROUPS.put("label:job", (host, key) -> key.job());
    GROUPS.put("user", (host, key) -> key.user());
    GROUPS.put("tenant", (host, key) -> key.tenant());
    GROUPS.put("rack", (host, key) -> host.place.rackName());
    GROUPS.put("host", (host, key) -> host.hostname());
    GROUPS.put("gpu", (host, key) -> key.gpu());
  }

  /** Seconds by class, and joules. */
  private record Figures(Map<Amount, BigDecimal> seconds, BigDecimal joules) {
    static final Figures NONE = new Figures(Map.of(), BigDecimal.ZERO);

    static Figures of(JsonNode row) {
      Map<Amount, BigDecimal> seconds = new EnumMap<>(Amount.class);
      BigDecimal all = BigDecimal.ZERO;
      for (Map.Entry<Amount, String> each : CLASSES.entrySet()) {
        BigDecimal time = number(row, each.getValue());
        all = all.add(time);
        if (time.signum() != 0) {
          seconds.put(each.getKey(), time.stripTrailingZeros());
        }
      }
      assertThat(all)
          .as("classes of %s", row)
          .isEqualByComparingTo(number(row, "gpu_seconds_allocated"));
      return new Figures(seconds, number(row, "energy_joules").stripTrailingZeros());
    }

    private static BigDecimal number(JsonNode row, String field) {
      return row.path(field).isNumber() ? row.path(field).decimalValue() : BigDecimal.ZERO;
    }

    Figures plus(Figures other) {
      Map<Amount, BigDecimal> sums = new EnumMap<>(Amount.class);
      sums.putAll(seconds);
      other.seconds.forEach(
          (kind, time) -> sums.merge(kind, time, (a, b) -> a.add(b).stripTrailingZeros()));
      return new Figures(sums, joules.add(other.joules).stripTrailingZeros());
    }
  }

  /** Samples that are sent at a time. */
  private record LateBody(long at, RemoteWriteBody body) {}

  private final Random random = new Random(20_261_127);
  private final List<PlayedHost> hosts = new ArrayList<>();
  private final Map<PlayedHost, PlayedLedger> before = new LinkedHashMap<>();
  private final Map<PlayedHost, PlayedLedger> after = new LinkedHashMap<>();
  private final Map<Labels, Boolean> ofUsage = new HashMap<>();
  private final List<LateBody> late = new ArrayList<>();
  private final Vertx vertx = Vertx.vertx();
  private Uplink uplink;
  private ClockedCluster cluster;

  @TempDir Path folder;

  @BeforeEach
  void begin() throws Exception {
    cluster = new ClockedCluster(folder, START);
    cluster.start(3, ", memory: 4h, outOfOrder: 2h", 1, "faults: {enabled: false}\n");
    for (int number : PLACES) {
      Place place = FLEET.places().get(number);
      PlayedLedger one = new PlayedLedger(place, START + 100_000, CUT);
      PlayedLedger two = new PlayedLedger(place, CUT, END);
      PlayedHost host =
          new PlayedHost(place, FLEET, 5, UsageInFleetTest::isOfUsage, START, 4, List.of(one, two));
      hosts.add(host);
      before.put(host, one);
      after.put(host, two);
    }
    uplink =
        new Uplink(
            vertx,
            hosts.getFirst().hostname(),
            cluster.gateways().stream().map(cluster::address).toList(),
            UplinkSettings.DEFAULT,
            Optional.empty(),
            1);
  }

  @AfterEach
  void end() {
    uplink.close();
    hosts.forEach(PlayedHost::close);
    cluster.close();
    vertx.close().await();
  }

  private static boolean isOfUsage(Labels series) {
    return SELECTORS.stream()
        .anyMatch(all -> all.stream().allMatch(each -> each.matches(series.value(each.name()))));
  }

  // --- what is sent ---

  private void play(int ticks) throws Exception {
    for (int i = 0; i < ticks; i++) {
      for (PlayedHost host : hosts) {
        Optional<Tick> tick = host.next();
        cluster.turnTo(Math.max(cluster.now(), host.time()));
        if (tick.isPresent()) {
          send(host, tick.get());
        }
      }
      sendLate(cluster.now());
    }
  }

  /** The first host is read by a probe; the others come by remote write, and not always at once. */
  private void send(PlayedHost host, Tick tick) {
    if (host == hosts.getFirst()) {
      uplink.offer(tick);
      awaitUplink(10);
      return;
    }
    boolean isLate = random.nextInt(8) == 0;
    boolean isPartlyLate = random.nextInt(8) == 0;
    RemoteWriteBody now = RemoteWriteBody.v1();
    RemoteWriteBody later = RemoteWriteBody.v1();
    for (int i = 0; i < tick.size(); i++) {
      Labels series = tick.series().get(i);
      if (ofUsage.computeIfAbsent(series, UsageInFleetTest::isOfUsage)) {
        boolean waits = isLate || isPartlyLate && random.nextBoolean();
        (waits ? later : now).series(series, host.time(), tick.values()[i]);
      }
    }
    cluster.write(now);
    if (isLate || isPartlyLate) {
      late.add(new LateBody(host.time() + random.nextLong(HOUR / 10, 7 * HOUR / 4), later));
    }
  }

  private void sendLate(long now) {
    for (LateBody each : List.copyOf(late)) {
      if (each.at <= now) {
        late.remove(each);
        cluster.write(each.body);
      }
    }
  }

  private void awaitUplink(int most) {
    await()
        .atMost(SOON)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> uplink.unacknowledgedTicks() <= most);
  }

  // --- what is read ---

  private Map<String, Figures> report(String by, long from, long to, String more) throws Exception {
    String path =
        "/api/v1/report/usage?by=%s&from=%s&to=%s%s"
            .formatted(by, Instant.ofEpochMilli(from), Instant.ofEpochMilli(to), more);
    JsonNode answer =
        await()
            .atMost(SOON)
            .pollDelay(Duration.ZERO)
            .until(() -> JSON.readTree(cluster.text("q0", path)), UsageInFleetTest::isWhole);
    Map<String, Figures> rows = new TreeMap<>();
    for (JsonNode row : answer.at("/data/rows")) {
      rows.merge(row.path("group").path(by).asText(), Figures.of(row), Figures::plus);
    }
    JsonNode totals = answer.at("/data/totals");
    Figures total = Figures.NONE;
    for (JsonNode each : totals) {
      total = total.plus(Figures.of(each));
    }
    assertThat(sum(rows)).as("rows by %s", by).isEqualTo(total);
    rows.values().removeIf(Figures.NONE::equals);
    return rows;
  }

  private static boolean isWhole(JsonNode report) {
    return report.path("warnings").isEmpty()
        && report.at("/data/completeness/answered").asInt() == PLACES.size()
        && report.at("/data/completeness/missing").isEmpty();
  }

  private static Figures sum(Map<String, Figures> rows) {
    return rows.values().stream().reduce(Figures.NONE, Figures::plus);
  }

  private Map<String, Figures> ledger(String by, Map<PlayedHost, PlayedLedger> ledgers) {
    Map<String, Figures> rows = new TreeMap<>();
    ledgers.forEach(
        (host, ledger) ->
            ledger
                .entries()
                .forEach(
                    (key, entry) -> {
                      Map<Amount, BigDecimal> seconds = new EnumMap<>(Amount.class);
                      entry.time.forEach(
                          (kind, time) -> {
                            if (time != 0) {
                              seconds.put(kind, BigDecimal.valueOf(time, 9).stripTrailingZeros());
                            }
                          });
                      Figures figures = new Figures(seconds, BigDecimal.valueOf(entry.joules));
                      if (!seconds.isEmpty() || entry.joules > 0.001) {
                        rows.merge(GROUPS.get(by).apply(host, key), figures, Figures::plus);
                      }
                    }));
    return rows;
  }

  private static void compare(String by, Map<String, Figures> is, Map<String, Figures> expected) {
    List<String> differences = new ArrayList<>();
    expected.forEach(
        (group, played) -> {
          Figures counted = is.getOrDefault(group, Figures.NONE);
          double joules = played.joules.doubleValue();
          double energy = Math.abs(counted.joules.doubleValue() - joules);
          if (!counted.seconds.equals(played.seconds) || energy > 0.001 * joules + 1) {
            differences.add(group + " has " + counted + ", and was played " + played);
          }
        });
    assertThat(differences).as("by %s", by).isEmpty();
    assertThat(expected.keySet()).as("by %s", by).containsAll(is.keySet());
  }

  private void areAsPlayed() throws Exception {
    Figures total = null;
    assertThat(sum(report("job", CUT, END, "")).seconds.keySet()).isEqualTo(CLASSES.keySet());
    for (String by : GROUPS.keySet()) {
      Map<String, Figures> one = report(by, START + 100_000, CUT, "");
      Map<String, Figures> two = report(by, CUT, END, "");
      compare(by, one, ledger(by, before));
      compare(by, two, ledger(by, after));
      Map<String, Figures> parts = new TreeMap<>(one);
      two.forEach((group, figures) -> parts.merge(group, figures, Figures::plus));
      assertThat(report(by, START + 100_000, END, "")).as("by %s", by).isEqualTo(parts);
      assertThat(report(by, START + 100_000, END, "&step=1h")).as("by %s", by).isEqualTo(parts);
      assertThat(parts).as("by %s", by).hasSizeGreaterThan(by.contains("job") ? 200 : 2);
      total = total == null ? sum(parts) : total;
      assertThat(sum(parts)).as("all by %s", by).isEqualTo(total);
    }
  }

  private double metric(String gateway, String name) throws Exception {
    return cluster
        .text(gateway, "/metrics")
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void reportsAreWhatWasPlayedAlthoughSamplesAreLateAndAGatewayIsKilled() throws Exception {
    play(TICKS / 2);
    cluster.kill(cluster.owner(hosts.get(1).hostname()));
    play(TICKS - TICKS / 2);
    sendLate(Long.MAX_VALUE);
    awaitUplink(0);
    before.values().forEach(PlayedLedger::end);
    after.values().forEach(PlayedLedger::end);
    double lateSamples = 0;
    for (String gateway : cluster.gateways()) {
      lateSamples += metric(gateway, "fleetgauge_gateway_late_samples_total");
      // The first day is over, and its usage is kept.
      await()
          .atMost(SOON)
          .until(() -> metric(gateway, "fleetgauge_gateway_usage_files") == PLACES.size());
    }
    assertThat(lateSamples).isGreaterThan(10_000);
    areAsPlayed();
  }
}
