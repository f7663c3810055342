package io.fleetgauge.gateway.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.MemoryWatermark;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.Owners.Intent;
import io.fleetgauge.gateway.ingest.host.Peers;
import io.fleetgauge.gateway.ingest.host.PeersContract;
import io.fleetgauge.gateway.replication.Pull;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.gateway.stream.PeerStreams;
import io.fleetgauge.gateway.stream.StreamCounts;
import io.fleetgauge.gateway.usage.KeptUsage;
import io.fleetgauge.gateway.usage.UsageFile;
import io.fleetgauge.gateway.usage.UsageFiles;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.usage.KeptDay;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.journal.Journal;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Three gateways that reach each other on the loopback. */
@ExtendWith(VertxExtension.class)
class PeerClientTest extends PeersContract {
  private static final long NOW = 1_700_000_000_000L;
  private static final long EPOCH = 3;

  /** Where a block begins. */
  private static final long BEGIN = (NOW / HostWriter.BLOCK_MILLIS - 10) * HostWriter.BLOCK_MILLIS;

  @TempDir private Path folder;
  private final Map<String, Gateway> gateways = new HashMap<>();
  private volatile ClusterView view = ClusterView.EMPTY;
  private Vertx vertx;

  /** One gateway, without its other routes. */
  private final class Gateway {
    final Store store;
    final Journal journal;
    final WorkerExecutor workers;
    final OutgoingHttp http;
    final PeerStreams streams;
    final PeerClient peers;
    final Intake intake;
    final HttpServer server;

    Gateway(String id) throws Exception {
      store =
          new Store(
              folder.resolve(id).resolve("blocks"),
              HostWriter.limits(100),
              Dimensions.DEFAULT,
              RollupRules.NONE,
              Duration.ofDays(400));
      journal = Journal.open(Journal.Settings.defaults(folder.resolve(id).resolve("journal")));
      workers = vertx.createSharedWorkerExecutor("peers-" + id, 2);
      Guard guard =
          Guard.open(
              vertx,
              new HttpSettings("127.0.0.1", 0),
              Optional.empty(),
              TrustSettings.ofSecret(
                  Optional.of(
                      Files.writeString(folder.resolve("secret"), "the-secret-of-the-cluster"))),
              TenantLimits.DEFAULT,
              selector -> "",
              () -> NOW);
      http = new OutgoingHttp(vertx, TrustSettings.NONE, guard.signer(), PeerClient.HTTP_LIMITS);
      StreamCounts counts = new StreamCounts();
      streams = new PeerStreams(vertx, http, guard.key(), PeerClient.STREAM_LIMITS, counts);
      peers = new PeerClient(vertx, http, streams, workers, store, () -> NOW);
      intake =
          new Intake(
              store,
              journal,
              new ClusterAccess(
                  id, 2, () -> view, (host, admission) -> {}, (host, report) -> {}, peers),
              MemoryWatermark.ofHeap(),
              () -> NOW,
              1,
              100);
      peers.begin(intake);
      intake.recover();
      Router router = Router.router(vertx);
      PeerRoute.mount(
          router, vertx, guard.needsPeer(), guard.key(), counts, workers, intake, store);
      server =
          vertx
              .createHttpServer()
              .requestHandler(router)
              .listen(0, "127.0.0.1")
              .await(120, TimeUnit.SECONDS);
    }

    void close() {
      intake.close();
      journal.close();
      streams.close();
      http.close();
    }
  }

  private record Response(int status, String body) {}

  @BeforeEach
  void start(Vertx started) throws Exception {
    vertx = started;
    for (String id : List.of(owner(), replica(), bystander())) {
      gateways.put(id, new Gateway(id));
    }
    view = view();
    // An owner waits a second for a copy: classes and connections are loaded before that.
    assertThat(
            this.<Peers.PullResult>answer(
                done -> peers(owner()).pull(address(replica()), "unknown", done)))
        .isEqualTo(new Peers.PullResult(true, Pull.Comparison.NOTHING, true, Map.of()));
  }

  private ClusterView view() {
    Map<String, URI> addresses = new HashMap<>();
    gateways.keySet().forEach(id -> addresses.put(id, address(id)));
    Holders holders =
        new Holders(
            owner(),
            EPOCH,
            Set.of(),
            List.of(new Holders.Copy(replica(), EPOCH, false)),
            Optional.empty());
    return new ClusterView(
        new OwnershipTable(
            1, EPOCH, List.of("g1", "g2", "g3"), new TreeMap<>(Map.of(HOST, holders))),
        addresses,
        false);
  }

  @AfterEach
  void close() {
    gateways.values().forEach(Gateway::close);
  }

  @Test
  void framesThatAreSentToTheOwnerAreKept() {
    assertThat(sent(address(owner()), Intent.KEEP, HOST, 0, frame(HOST)))
        .isEqualTo(new IntakeAnswer.Kept(11, 1));
    assertThat(times(owner())).containsExactly(NOW);
  }

  @Test
  void aCheckKeepsNothing() {
    assertThat(sent(address(owner()), Intent.CHECK, HOST, 0, frame(HOST)))
        .isEqualTo(new IntakeAnswer.Kept(11, 1));
    assertThat(times(owner())).isEmpty();
  }

  @Test
  void framesForAnotherGatewaysHostHaveMovedToIt() {
    assertThat(sent(address(bystander()), Intent.KEEP, HOST, 0, frame(HOST)))
        .isEqualTo(new IntakeAnswer.Moved(address(owner()), EPOCH));
  }

  @Test
  void aSenderThatKnowsANewerTableWaitsUntilTheGatewayKnowsItToo() {
    assertThat(sent(address(owner()), Intent.KEEP, HOST, EPOCH + 1, frame(HOST)))
        .isInstanceOf(IntakeAnswer.SlowDown.class);
    assertThat(times(owner())).isEmpty();
  }

  @Test
  void aHostWithAnImpossibleNameIsRefused() {
    assertThat(sent(address(owner()), Intent.KEEP, "n".repeat(251), 0, frame(HOST)))
        .isInstanceOf(IntakeAnswer.Refused.class);
  }

  @Test
  void framesForAGatewayThatIsNotThereAreSentAgainLater() {
    assertThat(sent(nobody(), Intent.KEEP, HOST, 0, frame(HOST)))
        .isEqualTo(new IntakeAnswer.SlowDown(200));
  }

  private IntakeAnswer sent(URI to, Intent intent, String host, long epoch, byte[] body) {
    return answer(done -> gateways.get(replica()).peers.send(to, intent, host, epoch, body, done));
  }

  private static byte[] frame(String host) {
    return new FrameEncoder(host, 11)
        .encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), 1).at(NOW));
  }

  @Test
  void aParameterThatIsNotANumberIsRefused() throws Exception {
    assertThat(send(HttpMethod.GET, "digest?fine=x&coarse=1&until=1").status()).isEqualTo(400);
    assertThat(send(HttpMethod.GET, "samples?from=1").status()).isEqualTo(400);
  }

  @Test
  void aBlockThatIsNotThereIsNotFound() throws Exception {
    Response response = send(HttpMethod.GET, "blocks/none");
    assertThat(response.status()).isEqualTo(404);
    assertThat(response.body()).contains("none");
  }

  /** The blocks end at different times, so that the damaged one cannot be replaced. */
  @Test
  void samplesThatAreNotTakenBecauseTheirTimeWasSealedMeanwhileAreStillMissing() throws Exception {
    gateways.get(owner()).close();
    gateways.get(replica()).close();
    writeBlocks(owner(), BEGIN + 3 * HostWriter.BLOCK_MILLIS);
    Path damaged = writeBlocks(replica(), BEGIN + 3 * HostWriter.BLOCK_MILLIS - 600_000);
    Files.write(damaged, new byte[10]);
    gateways.put(owner(), new Gateway(owner()));
    gateways.put(replica(), new Gateway(replica()));
    view = view();
    Gateway copy = gateways.get(replica());
    for (long time : new long[] {2 * HostWriter.BLOCK_MILLIS, 6 * HostWriter.BLOCK_MILLIS}) {
      assertThat(copy.intake.merge(HOST, page(BEGIN + time)).get(120, TimeUnit.SECONDS)).isTrue();
    }
    copy.intake.maintain().get(120, TimeUnit.SECONDS);
    assertThat(copy.store.find(HOST).orElseThrow().sealedBefore())
        .isEqualTo(BEGIN + 3 * HostWriter.BLOCK_MILLIS);

    CompletableFuture<Peers.CopyAnswer> answer = new CompletableFuture<>();
    copy.intake.copied(
        new Peers.Copy(HOST, EPOCH, owner(), 1, 1, 0, new byte[0]), answer::complete);
    answer.get(120, TimeUnit.SECONDS);
    await().until(() -> copy.intake.isWholeCopy(HOST, EPOCH));
    assertThat(times(replica())).doesNotContain(BEGIN + 2 * HostWriter.BLOCK_MILLIS + 60_000);
    assertThat(copy.store.damagedBlocks(HOST)).containsExactly(damaged.getFileName().toString());
  }

  /**
   * Writes the blocks of a gateway that is closed.
   *
   * @return the last one
   */
  private Path writeBlocks(String gateway, long until) throws Exception {
    HostWriter writer = new HostWriter(folder.resolve(gateway).resolve("blocks"), HOST);
    for (long time = BEGIN; time < until; time += 60_000) {
      writer.send(time, Labels.of(Labels.NAME, "m"), 1);
    }
    writer.sealAll(until + 2 * HostWriter.BLOCK_MILLIS);
    return writer.store().blockFiles(HOST).getLast();
  }

  private static byte[] page(long time) {
    return new FrameEncoder(HOST, HostPage.RUN)
        .encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), 1).at(time));
  }

  private UsageFile usage(String gateway, long day) throws Exception {
    UsageFile file =
        UsageFile.ofDay(HOST, day, UsageTerms.DEFAULT, new UsageFile.Source(day, 7), List.of());
    gateways.get(gateway).store.usage().put(file);
    return file;
  }

  private UsageFiles usageOf(String gateway) {
    return gateways.get(gateway).store.usage();
  }

  @Test
  void aHostThatIsPulledComesWithItsUsage() throws Exception {
    long day = KeptUsage.dayOf(NOW) - KeptDay.MILLIS;
    UsageFile kept = usage(owner(), day);
    UsageFile damaged = usage(owner(), day - KeptDay.MILLIS);
    UsageFile expired = usage(owner(), day - 401 * KeptDay.MILLIS);
    Path file = gateways.get(owner()).store.folder(HOST).resolve(damaged.name());
    Files.write(file, new byte[] {1, 2, 3});
    assertThat(usageOf(owner()).names(HOST))
        .containsExactly(expired.name(), damaged.name(), kept.name());
    assertThat(
            this.<Peers.PullResult>answer(
                    done -> peers(replica()).pull(address(owner()), HOST, done))
                .done())
        .isTrue();
    assertThat(usageOf(replica()).names(HOST)).containsExactly(kept.name());
    assertThat(usageOf(replica()).read(HOST, day).orElseThrow().toBytes())
        .isEqualTo(kept.toBytes());
    assertThat(usageOf(replica()).counts().fetched.sum()).isOne();
    assertThat(usageOf(owner()).counts().damaged.sum()).isOne();
  }

  @Test
  void holdersFetchFromEachOtherWhatTheyLack() throws Exception {
    long day = KeptUsage.dayOf(NOW) - KeptDay.MILLIS;
    UsageFile kept = usage(replica(), day);
    gateways.get(bystander()).peers.fetchUsage(view, bystander());
    gateways.get(owner()).peers.fetchUsage(view, owner());
    await().atMost(Duration.ofMinutes(10)).until(() -> usageOf(owner()).has(HOST, day));
    assertThat(usageOf(owner()).names(HOST)).containsExactly(kept.name());
    assertThat(usageOf(bystander()).has(HOST)).isFalse();
  }

  private Response send(HttpMethod method, String what) throws Exception {
    return gateways
        .get(replica())
        .http
        .to(address(owner()), method, PeerClient.path(HOST, what), 20_000)
        .send()
        .map(answer -> new Response(answer.status(), "" + answer.body()))
        .await(120, TimeUnit.SECONDS);
  }

  @Override
  protected String owner() {
    return "g1";
  }

  @Override
  protected String replica() {
    return "g2";
  }

  @Override
  protected String bystander() {
    return "g3";
  }

  @Override
  protected URI address(String gateway) {
    return URI.create("http://127.0.0.1:" + gateways.get(gateway).server.actualPort());
  }

  @Override
  protected URI nobody() {
    return URI.create("http://127.0.0.1:1");
  }

  @Override
  protected Peers peers(String gateway) {
    return gateways.get(gateway).peers;
  }

  @Override
  protected long epoch() {
    return EPOCH;
  }

  @Override
  protected long now() {
    return NOW;
  }

  @Override
  protected void take(byte[] body, Consumer<IntakeAnswer> answer) {
    gateways.get(owner()).intake.take(HOST, body, 0, answer::accept);
  }

  @Override
  protected void merge(String gateway, byte[] page, Consumer<Boolean> kept) {
    gateways.get(gateway).intake.merge(HOST, page).thenAccept(kept);
  }

  @Override
  protected TreeSet<Long> times(String gateway) {
    TreeSet<Long> times = new TreeSet<>();
    try {
      List<Series> found =
          gateways
              .get(gateway)
              .store
              .select(
                  List.of(HOST),
                  new Selection(List.of(), Long.MIN_VALUE, Long.MAX_VALUE),
                  Long.MAX_VALUE,
                  incomplete -> {},
                  StopCheck.NEVER);
      found.forEach(series -> LongStream.of(series.times()).forEach(times::add));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return times;
  }

  @Override
  protected <T> T answer(Consumer<Consumer<T>> request) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    request.accept(answer::complete);
    return answer.orTimeout(120, TimeUnit.SECONDS).join();
  }
}
