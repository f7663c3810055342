package io.fleetgauge.gateway.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.MemoryWatermark;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreLimits;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.gateway.usage.UsageFile;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.journal.Journal;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** Store, intake and the routes of backups of a gateway that owns host n1. */
final class BackupGateway implements AutoCloseable {
  static final String HOST = "n1";

  /** It has the same holders, and no samples. */
  static final String OTHER = "n9";

  static final long STEP = 60_000;
  private static final Duration MEMORY = Duration.ofHours(1);

  final String id;
  final Path folder;
  final AtomicLong clock = new AtomicLong();
  final List<String> registered = Collections.synchronizedList(new ArrayList<>());

  /** Hosts whose state was reported to the cluster. */
  final List<String> reported = Collections.synchronizedList(new ArrayList<>());

  final Journal journal;
  final Store store;
  final Intake intake;
  final Snapshots snapshots;
  volatile ClusterView view;

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient client = HttpClient.newHttpClient();
  private final HttpServer server;
  private final FrameEncoder run = new FrameEncoder(HOST, 7);

  BackupGateway(String id, Path folder) throws Exception {
    this(id, folder, true);
  }

  BackupGateway(String id, Path folder, boolean recovers) throws Exception {
    this.id = id;
    this.folder = folder;
    owner(id);
    journal = Journal.open(Journal.Settings.defaults(folder.resolve("journal")));
    store =
        new Store(
            folder.resolve("blocks"),
            new StoreLimits(
                Duration.ofDays(10),
                1L << 30,
                MEMORY,
                MEMORY.dividedBy(2),
                MEMORY,
                1_000,
                1_000,
                1_000),
            Dimensions.DEFAULT,
            RollupRules.NONE,
            Duration.ofDays(400));
    intake =
        new Intake(
            store,
            journal,
            new ClusterAccess(
                id, 1, () -> view, (host, how) -> {}, (host, report) -> reported.add(host), null),
            new MemoryWatermark(() -> 0, 100),
            clock::get,
            2,
            100);
    if (recovers) {
      intake.recover();
    }
    Router router = Router.router(vertx);
    snapshots =
        (Snapshots)
            BackupRoute.mount(
                router,
                vertx,
                Guard.open(
                    vertx,
                    new HttpSettings("127.0.0.1", 0),
                    Optional.empty(),
                    TrustSettings.ofSecret(Optional.empty()),
                    TenantLimits.DEFAULT,
                    scope -> "",
                    clock::get),
                vertx.createSharedWorkerExecutor("restore", 2),
                new BackedUpStore(id, "prod", folder, store, intake, () -> view),
                new RestoreRoute.Placing(
                    this::register,
                    labels ->
                        labels.metric().equals("dropped") ? Optional.empty() : Optional.of(labels),
                    labels -> labels.value("Hostname")),
                clock::get);
    server =
        vertx
            .createHttpServer()
            .requestHandler(router)
            .listen(0, "127.0.0.1")
            .await(2, TimeUnit.MINUTES);
  }

  private void register(String host, Admission admission) {
    registered.add(host + " of " + admission.tenant() + " at " + admission.at());
  }

  // --- the table ---

  /** From now on a gateway owns the host, and these others have copies. */
  void owner(String owner, String... copies) {
    List<Holders.Copy> all = new ArrayList<>();
    for (String copy : copies) {
      all.add(new Holders.Copy(copy, 1, false));
    }
    holders(
        new Holders(
            owner, 1, Set.of(), all, Optional.empty(), Holders.Stay.KEPT, new Admission("red", 55)),
        "g1",
        "g2",
        "g3");
  }

  void holders(Holders holders, String... present) {
    Map<String, URI> addresses = new TreeMap<>();
    for (String gateway : present) {
      addresses.put(gateway, URI.create("http://" + gateway + ":9500"));
    }
    view =
        new ClusterView(
            new OwnershipTable(
                1,
                1,
                List.of("g1", "g2", "g3"),
                new TreeMap<>(Map.of(HOST, holders, OTHER, holders))),
            addresses,
            false);
  }

  // --- samples ---

  /** Ticks at these steps; the time is that of the last. */
  void send(int from, int to) {
    for (int i = from; i < to; i++) {
      clock.set(Math.max(clock.get(), i * STEP));
      CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
      Tick.Builder tick = new Tick.Builder().add(series("power"), i).add(series("load"), -i);
      intake.take(HOST, run.encode(tick.at(i * STEP)), 0, answer::complete);
      assertThat(answer.join()).isInstanceOf(IntakeAnswer.Kept.class);
    }
  }

  static Labels series(String metric) {
    return Labels.of(Labels.NAME, metric, "Hostname", HOST);
  }

  /** The values of both series, by the number of the step. */
  Map<String, Map<Long, Double>> samples() throws Exception {
    Map<String, Map<Long, Double>> samples = new TreeMap<>();
    Selection all = new Selection(List.of(), -1, Long.MAX_VALUE);
    for (Series each :
        store.select(List.of(HOST), all, 1_000_000, incomplete -> {}, StopCheck.NEVER)) {
      Map<Long, Double> values = new TreeMap<>();
      for (int i = 0; i < each.size(); i++) {
        assertThat(values.put(each.times()[i] / STEP, each.values()[i])).isNull();
      }
      samples.put(each.labels().metric(), values);
    }
    return samples;
  }

  /** What a gateway has that was sent these steps. */
  static Map<String, Map<Long, Double>> sent(int from, int to) {
    Map<String, Map<Long, Double>> samples = new TreeMap<>();
    for (long i = from; i < to; i++) {
      samples.computeIfAbsent("power", none -> new TreeMap<>()).put(i, (double) i);
      samples.computeIfAbsent("load", none -> new TreeMap<>()).put(i, (double) -i);
    }
    return samples;
  }

  // --- requests ---

  record Answer(int status, byte[] body) {
    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }

    JsonObject json() {
      assertThat(status).as(text()).isEqualTo(200);
      return new JsonObject(text());
    }
  }

  Answer ask(String method, String path) throws Exception {
    return ask(method, path, new byte[0]);
  }

  Answer ask(String method, String path, byte[] body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.actualPort() + path))
            .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpResponse<byte[]> response =
        client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    return new Answer(response.statusCode(), response.body());
  }

  int port() {
    return server.actualPort();
  }

  /** Sends a body with its checksum. */
  Answer put(String method, String path, byte[] body) throws Exception {
    return ask(method, path, body, RestoreRoute.SHA256, BlockChecks.sha256(body));
  }

  /** The usage of a host on a day, which nothing here was computed of. */
  static UsageFile usage(String host, long day) {
    return UsageFile.ofDay(host, day, UsageTerms.DEFAULT, new UsageFile.Source(day, 7), List.of());
  }

  static String restore(String rest) {
    return "/v1/restore/hosts/" + HOST + rest;
  }

  @Override
  public void close() throws IOException, TimeoutException {
    snapshots.close();
    client.close();
    vertx.close().await(120, TimeUnit.SECONDS);
    intake.close();
    journal.close();
  }
}
