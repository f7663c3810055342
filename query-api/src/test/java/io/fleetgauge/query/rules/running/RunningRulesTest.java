package io.fleetgauge.query.rules.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.ClusterShare;
import io.fleetgauge.query.admission.TenantShare;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.fleet.MemoryShards;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Notice;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.GroupStateForm;
import io.fleetgauge.query.rules.evaluation.Slots;
import io.fleetgauge.query.rules.ownership.GroupHash;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Query APIs that run rules over a fleet in memory. The test turns the time of slots; leases run by
 * the clock of the machine. More than 600 lines, because they share a fleet and query APIs.
 */
@ExtendWith(VertxExtension.class)
class RunningRulesTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final long START = 1_700_000_000_000L;
  private static final long INTERVAL = 60_000;
  private static final Labels POWER =
      Labels.of(Labels.NAME, "power", "Hostname", "n1", "rack", "r1");
  private static final String ONE =
      """
      groups:
        - name: g
          rules:
            - {record: "r:power", expr: sum(power)}
            - {alert: Hot, expr: power > 50, annotations: {at: "{{ $value }}"}}
      """;

  @TempDir private Path folder;
  private final AtomicLong now = new AtomicLong(START);
  private final MemoryFleet fleet = new MemoryFleet();
  private final AtomicInteger written = new AtomicInteger();
  private final AtomicInteger gatewayStatus = new AtomicInteger(204);
  private final List<QueryApi> apis = new ArrayList<>();
  private Vertx vertx;
  private URI gateway;

  private final class QueryApi {
    final String name;
    final List<Notice> told = new CopyOnWriteArrayList<>();
    final List<BooleanSupplier> current = new CopyOnWriteArrayList<>();
    final List<String> tenants = new CopyOnWriteArrayList<>();
    final Meters meters = new Meters("query");
    final OutgoingHttp outgoing;
    final HttpListener listener;
    final PeerLink link;
    final RunningRules rules;
    final MemoryShards shards = new MemoryShards(vertx, fleet);
    volatile List<RuleGroup> groups;
    volatile Map<String, URI> gateways = Map.of("g1", gateway);
    volatile Consumer<BooleanSupplier> onTold = isCurrent -> {};

    QueryApi(String name, String settings, List<RuleGroup> groups) throws Exception {
      this.name = name;
      this.groups = groups;
      QueryConfig config = QueryConfig.read("test", settings);
      TrustSettings trust =
          new TrustSettings(
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.of(Files.writeString(folder.resolve("secret"), "the-secret-of-the-cluster")),
              Duration.ofMinutes(5));
      HttpSettings http = new HttpSettings("127.0.0.1", 0);
      Guard guard =
          Guard.open(
              vertx,
              http,
              Optional.empty(),
              trust,
              TenantLimits.DEFAULT,
              Parser::selectorProblem,
              System::currentTimeMillis);
      outgoing =
          new OutgoingHttp(vertx, trust, guard.signer(), new HttpClients.Limits(1_000, 10, 2, 100));
      Querier querier =
          new Querier(
              config,
              shards.stores(),
              new Admission(
                  new Admission.Places(20, 20, 4),
                  tenant -> new TenantShare(1, 20, 200),
                  ClusterShare.WHOLE,
                  System::nanoTime),
              new Querier.Workers(
                  vertx.createSharedWorkerExecutor("light", 2),
                  vertx.createSharedWorkerExecutor("heavy", 1)),
              AliasTable.builtIn(),
              Tracer.OFF,
              now::get);
      Router router = Router.router(vertx);
      link = PeerLink.mount(router, guard, vertx, outgoing);
      rules =
          RunningRules.mount(
              router,
              vertx,
              new RulesEnvironment(
                  () -> this.groups,
                  querier,
                  querier,
                  guard,
                  Optional.of(
                      () -> new ClusterView(OwnershipTable.ofOwners(1, Map.of()), gateways, false)),
                  link,
                  outgoing,
                  config.rules(),
                  300_000,
                  60_000,
                  () -> "http://console",
                  (tenant, alerts, isCurrent) -> {
                    onTold.accept(isCurrent);
                    tenants.add(tenant);
                    current.add(isCurrent);
                    told.addAll(alerts);
                  },
                  now::get));
      rules.declare(meters);
      listener = HttpListener.start(vertx, http, "http.port", router);
      apis.add(this);
    }

    void start() throws Exception {
      link.start(name, apis::size);
      rules.start(name);
    }

    URI address() {
      return URI.create("http://127.0.0.1:" + listener.port());
    }

    double metric(String name) {
      String page = new String(meters.exposition(), StandardCharsets.UTF_8);
      return page.lines()
          .filter(line -> line.startsWith("query_" + name))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    }

    Map<RuleGroup.Id, GroupState> states() throws Exception {
      return rules.states().await(120, TimeUnit.SECONDS);
    }

    /** The newest slot of the only group; 0 before the first one. */
    long slot() throws Exception {
      return states().values().stream().mapToLong(GroupState::slot).max().orElse(0);
    }

    void close() throws Exception {
      rules.close();
      link.close();
      listener.close();
      outgoing.close();
    }
  }

  @BeforeEach
  void start(Vertx started) throws Exception {
    vertx = started;
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(
                request ->
                    request
                        .body()
                        .onSuccess(
                            body -> {
                              int status = gatewayStatus.get();
                              if (status == 204) {
                                written.incrementAndGet();
                              }
                              request.response().setStatusCode(status).end();
                            }))
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS);
    gateway = URI.create("http://127.0.0.1:" + server.actualPort());
    fleet.host("n1", "g1");
    fleet.watermark(Long.MAX_VALUE / 4);
    for (int i = -5; i <= 30; i++) {
      fleet.add(POWER, START + i * INTERVAL, 100);
    }
  }

  @AfterEach
  void stop() throws Exception {
    for (QueryApi each : apis) {
      each.close();
    }
  }

  private static List<RuleGroup> groups(String tenant, String yaml) throws Exception {
    return new RuleFileReader(ParseOptions.STOCK, TemplateCheck.NONE, INTERVAL)
        .read(tenant, "rules.yaml", yaml.getBytes(StandardCharsets.UTF_8));
  }

  private void meet(QueryApi... all) {
    for (QueryApi each : all) {
      Map<String, URI> others = new TreeMap<>();
      for (QueryApi other : all) {
        if (other != each) {
          others.put(other.name, other.address());
        }
      }
      each.link.found(others);
    }
  }

  /** Turns the time to the next slot of a group, and a twentieth of its interval further. */
  private void toNextSlot(RuleGroup group) {
    long offset = Slots.offset(group.id(), group.interval());
    long sinceSlot = Math.floorMod(now.get() - offset, group.interval());
    now.addAndGet(group.interval() - sinceSlot + group.interval() / 20);
  }

  private static void awaitMetric(QueryApi api, String name, double least) {
    await().atMost(SOON).until(() -> api.metric(name) >= least);
  }

  @Test
  void oneAloneEvaluatesASlotStoresItAndTellsItsAlerts() throws Exception {
    QueryApi api = new QueryApi("q1", "rules: {externalLabels: {region: eu}}", groups("", ONE));
    assertThat(api.states()).as("before it starts").isEmpty();
    api.start();
    meet(api);
    awaitMetric(api, "rule_groups_owned", 1);
    toNextSlot(api.groups.getFirst());
    awaitMetric(api, "rule_group_iterations_total", 1);
    await().atMost(SOON).until(() -> written.get() > 0 && !api.told.isEmpty());
    assertThat(api.tenants).containsOnly("");
    assertThat(api.told.getFirst().labels().value("alertname")).isEqualTo("Hot");
    assertThat(api.told.getFirst().annotations()).containsEntry("at", "100");
    assertThat(api.told.getFirst().generatorUrl()).startsWith("http://console/");
    assertThat(api.current.getFirst().getAsBoolean()).isTrue();
    await().atMost(SOON).until(() -> api.slot() > 0);
    assertThat(api.slot()).isEqualTo(now.get() - 3_000);
    assertThat(api.metric("rule_group_last_evaluation_samples")).isEqualTo(3);
    assertThat(api.metric("rule_slots_late_total")).isZero();
    assertThat(api.metric("rule_lateness_seconds_count")).isEqualTo(1);
    assertThat(api.metric("rule_lateness_seconds_sum")).isEqualTo(3);
  }

  @Tag("slow") // SlotDataTest is quick
  @ParameterizedTest
  @CsvSource({"rules: {deadline: 20s}, 20000", "'', 30000"})
  void aSlotWaitsForItsSamplesUntilItsDeadlineAndThenCountsAsLate(String settings, long deadline)
      throws Exception {
    fleet.watermark(START - INTERVAL);
    QueryApi api = new QueryApi("q1", settings, groups("", ONE));
    api.start();
    meet(api);
    awaitMetric(api, "rule_groups_owned", 1);
    toNextSlot(api.groups.getFirst());
    now.addAndGet(deadline - 3_000 - 1);
    long asked = api.shards.count("changes");
    await().atMost(SOON).until(() -> api.shards.count("changes") > asked + 2);
    assertThat(api.metric("rule_group_iterations_total")).isZero();
    now.incrementAndGet();
    awaitMetric(api, "rule_group_iterations_total", 1);
    assertThat(api.metric("rule_slots_late_total")).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"rules: {queryOffset: 10s}, name: g", "'', 'name: g, query_offset: 10s'"})
  void withAnOffsetASlotNeedsSamplesOfBeforeOnly(String settings, String name) throws Exception {
    String rules = "groups: [{%s, rules: [{record: r, expr: sum(power)}]}]".formatted(name);
    QueryApi api = new QueryApi("q1", settings, groups("", rules));
    api.start();
    meet(api);
    awaitMetric(api, "rule_groups_owned", 1);
    toNextSlot(api.groups.getFirst());
    fleet.watermark(now.get() - 3_000 - 10_000);
    awaitMetric(api, "rule_group_iterations_total", 1);
    assertThat(api.metric("rule_slots_late_total")).isZero();
  }

  @Test
  void aSlotWhoseHostsAreMissingIsTriedAgainUntilItsDeadline() throws Exception {
    QueryApi api = new QueryApi("q1", "", groups("", ONE));
    api.start();
    meet(api);
    awaitMetric(api, "rule_groups_owned", 1);
    toNextSlot(api.groups.getFirst());
    awaitMetric(api, "rule_group_iterations_total", 1);
    fleet.damage("n1");
    toNextSlot(api.groups.getFirst());
    awaitMetric(api, "rule_evaluations_postponed_total", 1);
    assertThat(api.metric("rule_group_iterations_total")).isEqualTo(1);
    now.addAndGet(INTERVAL / 2);
    awaitMetric(api, "rule_group_iterations_total", 2);
    assertThat(api.metric("rule_slots_partial_total")).isEqualTo(1);
  }

  @Test
  void aGroupThatNobodyKnowsBeginsAtItsDeadlineThoughHostsAreMissing() throws Exception {
    fleet.damage("n1");
    QueryApi api = new QueryApi("q1", "", groups("", ONE));
    api.start();
    meet(api);
    awaitMetric(api, "rule_evaluations_postponed_total", 1);
    assertThat(api.metric("rule_group_iterations_total")).isZero();
    now.addAndGet(INTERVAL + INTERVAL / 2);
    awaitMetric(api, "rule_group_iterations_total", 1);
    assertThat(api.metric("rule_slots_partial_total")).isEqualTo(1);
  }

  @Test
  void alertsThatNoQueryApiKnowsAnyMoreGoOnFromWhatIsStored() throws Exception {
    List<RuleGroup> slow =
        groups("", ONE.replace("expr: power > 50,", "expr: power > 50, for: 10m,"));
    long last = Slots.at(slow.getFirst(), START);
    long since = last - 20 * INTERVAL;
    Labels alert = POWER.without(Labels.NAME).with("alertname", "Hot");
    for (long slot = since; slot <= last; slot += INTERVAL) {
      fleet.add(alert.with(Labels.NAME, "ALERTS").with("alertstate", "firing"), slot, 1);
      fleet.add(alert.with(Labels.NAME, "ALERTS_FOR_STATE"), slot, since / 1_000);
    }
    QueryApi api = new QueryApi("q1", "", slow);
    api.start();
    meet(api);
    awaitMetric(api, "rule_groups_owned", 1);
    toNextSlot(slow.getFirst());
    await().atMost(SOON).until(() -> !api.told.isEmpty());
    assertThat(api.told.getFirst().startsAt()).isEqualTo(since);
  }

  @Test
  void theGroupOfATenantThatIsNotThereIsPostponedAndNeverEvaluated() throws Exception {
    QueryApi api = new QueryApi("q1", "", groups("stranger", ONE));
    api.start();
    meet(api);
    now.addAndGet(INTERVAL);
    awaitMetric(api, "rule_evaluations_postponed_total", 2);
    assertThat(api.metric("rule_group_iterations_total")).isZero();
    assertThat(api.told).isEmpty();
    assertThat(written).hasValue(0);
  }

  @Tag("slow") // DerivedWriterTest is quick
  @Test
  void aSlotIsPublishedOnlyWhenAGatewayHasItsSamples() throws Exception {
    gatewayStatus.set(503);
    QueryApi api = new QueryApi("q1", "", groups("", ONE));
    api.start();
    meet(api);
    awaitMetric(api, "rule_groups_owned", 1);
    now.addAndGet(INTERVAL);
    awaitMetric(api, "rule_write_retries_total", 2);
    assertThat(written).hasValue(0);
    gatewayStatus.set(204);
    awaitMetric(api, "rule_samples_written_total", 3);
  }

  @Test
  void theStateOnDiskIsWhereTheNextProcessGoesOn() throws Exception {
    String kept = "rules: {folder: " + folder.resolve("states") + "}";
    String slow = ONE.replace("expr: power > 50,", "expr: power > 50, for: 90s,");
    QueryApi first = new QueryApi("q1", kept, groups("", slow));
    first.start();
    meet(first);
    awaitMetric(first, "rule_groups_owned", 1);
    toNextSlot(first.groups.getFirst());
    await().atMost(SOON).until(() -> first.slot() > 0);
    long slot = first.slot();
    apis.remove(first);
    first.close();
    assertThat(first.told).as("pending").isEmpty();

    QueryApi second = new QueryApi("q1", kept, groups("", slow));
    second.start();
    meet(second);
    awaitMetric(second, "rule_groups_owned", 1);
    assertThat(second.slot()).isEqualTo(slot);
    now.addAndGet(2 * INTERVAL);
    await().atMost(SOON).until(() -> !second.told.isEmpty());
    assertThat(second.told.getFirst().startsAt())
        .as("fires after its for")
        .isEqualTo(slot + 2 * INTERVAL);
    assertThat(second.metric("rule_state_failures_total")).isZero();
  }

  @Test
  void ofTwoEachGroupHasOneAndTheOtherOneGoesOnWhenItStops() throws Exception {
    String both = ONE + ONE.substring("groups:\n".length()).replace("name: g", "name: h");
    QueryApi one = new QueryApi("q1", "", groups("", both));
    QueryApi two = new QueryApi("q2", "", groups("", both));
    one.start();
    two.start();
    meet(one, two);
    await()
        .atMost(SOON)
        .until(() -> one.metric("rule_groups_owned") == 1 && two.metric("rule_groups_owned") == 1);
    assertThat(one.metric("rule_peers")).isEqualTo(1);
    now.addAndGet(INTERVAL);
    awaitMetric(one, "rule_group_iterations_total", 1);
    awaitMetric(two, "rule_group_iterations_total", 1);
    await()
        .atMost(SOON)
        .until(() -> one.states().values().stream().allMatch(state -> state.slot() >= START));
    assertThat(one.states()).hasSize(2).isEqualTo(two.states());
    Map<RuleGroup.Id, GroupState> before = two.states();

    apis.remove(two);
    two.close();
    assertThat(two.current).allMatch(BooleanSupplier::getAsBoolean);
    meet(one);
    awaitMetric(one, "rule_groups_owned", 2);
    assertThat(one.states()).isEqualTo(before);
    now.addAndGet(INTERVAL);
    awaitMetric(one, "rule_group_iterations_total", 3);
    assertThat(one.metric("rule_group_iterations_missed_total")).isZero();
  }

  @Test
  void whatWasToldOfAGroupIsNotCurrentAnyMoreWhenAnotherOneOwnsIt() throws Exception {
    String both = ONE + ONE.substring("groups:\n".length()).replace("name: g", "name: h");
    QueryApi one = new QueryApi("q1", "", groups("", both));
    one.start();
    meet(one);
    awaitMetric(one, "rule_groups_owned", 2);
    now.addAndGet(INTERVAL);
    await().atMost(SOON).until(() -> one.current.size() == 2);
    assertThat(one.current).allMatch(BooleanSupplier::getAsBoolean);

    QueryApi two = new QueryApi("q2", "", groups("", both));
    two.start();
    meet(one, two);
    awaitMetric(two, "rule_groups_owned", 1);
    await()
        .atMost(SOON)
        .until(() -> one.current.stream().filter(BooleanSupplier::getAsBoolean).count() == 1);
  }

  /** Its event loop stands still, as that of a machine that is suspended. */
  @Test
  @Tag("slow")
  void whoWasAwayForLongerThanALeaseTellsNothingOldAndStoresASlotOnce() throws Exception {
    QueryApi api = new QueryApi("q1", "", groups("", ONE));
    api.gateways = Map.of(); // so that none stores what is evaluated before it stands still
    AtomicReference<BooleanSupplier> before = new AtomicReference<>();
    CountDownLatch stoodStill = new CountDownLatch(1);
    api.onTold =
        isCurrent -> {
          // On a slow machine, even what is told first may be too late.
          if (isCurrent.getAsBoolean() && before.compareAndSet(null, isCurrent)) {
            await().atMost(SOON).until(() -> !isCurrent.getAsBoolean());
            stoodStill.countDown();
          }
        };
    api.start();
    meet(api);
    awaitMetric(api, "rule_groups_owned", 1);
    toNextSlot(api.groups.getFirst());
    assertThat(stoodStill.await(SOON.toMinutes(), TimeUnit.MINUTES)).isTrue();
    double iterations = api.metric("rule_group_iterations_total");
    awaitMetric(api, "rule_group_iterations_total", iterations + 1);
    assertThat(before.get().getAsBoolean()).isFalse();
    assertThat(api.metric("rule_leases_lost_total")).isPositive();

    api.gateways = Map.of("g1", gateway);
    awaitMetric(api, "rule_samples_written_total", 3);
    await().atMost(SOON).until(() -> api.metric("rule_waiting_bytes") == 0);
    // A machine that stands still once more loses its lease once more.
    assertThat(api.metric("rule_samples_written_total"))
        .isLessThanOrEqualTo(3 * api.metric("rule_leases_lost_total"));
  }

  private List<Path> statesOnDisk() throws IOException {
    try (var files = Files.list(folder.resolve("kept/states"))) {
      return files.filter(file -> file.toString().endsWith(".state")).toList();
    }
  }

  @Test
  void aGroupThatIsTakenOutIsForgotten() throws Exception {
    String kept = "rules: {folder: " + folder.resolve("kept") + "}";
    QueryApi api = new QueryApi("q1", kept, groups("", ONE));
    api.start();
    meet(api);
    awaitMetric(api, "rule_groups_owned", 1);
    toNextSlot(api.groups.getFirst());
    awaitMetric(api, "rule_samples_written_total", 3);
    await().atMost(SOON).until(() -> api.slot() > 0 && statesOnDisk().size() == 1);
    api.groups = List.of();
    await().atMost(SOON).until(() -> api.states().isEmpty());
    await().atMost(SOON).until(() -> api.metric("rule_groups_owned") == 0);
    assertThat(api.metric("rule_group_iterations_total")).as("not shown any more").isZero();
    await().atMost(SOON).until(() -> statesOnDisk().isEmpty());
  }

  @Test
  void whatWasToldOfAGroupIsStillSentWhenTheGroupIsTakenOut() throws Exception {
    QueryApi api = new QueryApi("q1", "", groups("", ONE));
    AtomicReference<BooleanSupplier> told = new AtomicReference<>();
    api.onTold =
        isCurrent -> {
          if (isCurrent.getAsBoolean()) {
            told.set(isCurrent);
            api.groups = List.of();
          }
        };
    api.start();
    meet(api);
    awaitMetric(api, "rule_groups_owned", 1);
    toNextSlot(api.groups.getFirst());
    await().atMost(SOON).until(() -> told.get() != null);
    await().atMost(SOON).until(() -> api.metric("rule_groups_owned") == 0);
    await().atMost(SOON).until(told.get()::getAsBoolean);
  }

  @Test
  void whoHasStoppedWritesNoStatesAnyMore() throws Exception {
    String kept = "rules: {folder: " + folder.resolve("kept") + "}";
    QueryApi api = new QueryApi("q1", kept, groups("", ONE));
    Set<Thread> others = writersOfStates();
    api.start();
    meet(api);
    awaitMetric(api, "rule_groups_owned", 1);
    toNextSlot(api.groups.getFirst());
    await().atMost(SOON).until(() -> statesOnDisk().size() == 1);
    Set<Thread> writers = writersOfStates();
    writers.removeAll(others);
    assertThat(writers).isNotEmpty();
    api.close();
    apis.remove(api);
    for (Thread each : writers) {
      assertThat(each.join(SOON)).isTrue();
    }
  }

  private static Set<Thread> writersOfStates() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("rule-states"))
        .collect(Collectors.toCollection(HashSet::new));
  }

  // --- what others ask ---

  private static HttpAnswer post(QueryApi api, String path, byte[] body) throws Exception {
    return api.outgoing
        .to(api.address(), HttpMethod.POST, path, 60_000)
        .body(body)
        .send()
        .await(120, TimeUnit.SECONDS);
  }

  @Test
  void whatOthersAskIsAnsweredWhenTheRulesRun() throws Exception {
    QueryApi api = new QueryApi("q1", "", groups("", ONE));
    byte[] all = StateExchange.bytesOf(List.of());
    assertThat(post(api, "/v1/rules/states", all).status()).isEqualTo(503);
    api.start();
    await().atMost(SOON).until(() -> post(api, "/v1/rules/states", all).status() == 200);
    RuleGroup group = api.groups.getFirst();
    GroupState state = GroupState.initial(group);
    GroupState handed =
        new GroupState(group.id(), START, state.definition(), List.of("n9"), state.rules());
    assertThat(post(api, "/v1/rules/state", GroupStateForm.toBytes(handed)).status())
        .isEqualTo(200);
    assertThat(api.states()).containsValue(handed);
    for (byte[] keys : List.of(all, StateExchange.bytesOf(List.of(GroupHash.of(group.id()), 5L)))) {
      byte[] answer = post(api, "/v1/rules/states", keys).body().getBytes();
      assertThat(StateExchange.states(answer)).containsExactly(handed);
    }
  }

  @Test
  void bytesThatAreNoQuestionAndProcessesOfNobodyAreRefused() throws Exception {
    QueryApi api = new QueryApi("q1", "", groups("", ONE));
    api.start();
    byte[] all = StateExchange.bytesOf(List.of());
    await().atMost(SOON).until(() -> post(api, "/v1/rules/states", all).status() == 200);
    for (String path : List.of("/v1/peers/heartbeat", "/v1/rules/states", "/v1/rules/state")) {
      assertThat(post(api, path, new byte[] {77}).status()).as(path).isEqualTo(400);
      assertThat(post(api, path, new byte[0]).status()).as(path).isEqualTo(400);
      // A client that nothing refers to closes its connections.
      HttpClientAgent client = vertx.createHttpClient();
      HttpClientRequest unsigned =
          client
              .request(HttpMethod.POST, api.listener.port(), "127.0.0.1", path)
              .await(120, TimeUnit.SECONDS);
      assertThat(unsigned.send(Buffer.buffer(all)).await(120, TimeUnit.SECONDS).statusCode())
          .as(path)
          .isIn(401, 403);
      client.close().await(120, TimeUnit.SECONDS);
    }
  }

  @Tag("slow")
  @Test
  void theSeriesOfAGroupThatIsTakenOutAreEndedTwoIntervalsLater() throws Exception {
    String quick = "groups: [{name: g, interval: 1s, rules: [{record: r, expr: sum(power)}]}]";
    QueryApi api = new QueryApi("q1", "", groups("", quick));
    api.start();
    meet(api);
    awaitMetric(api, "rule_groups_owned", 1);
    toNextSlot(api.groups.getFirst());
    awaitMetric(api, "rule_samples_written_total", 1);
    await().atMost(SOON).until(() -> api.slot() > 0);
    api.groups = List.of();
    awaitMetric(api, "rule_samples_written_total", 2);
  }
}
