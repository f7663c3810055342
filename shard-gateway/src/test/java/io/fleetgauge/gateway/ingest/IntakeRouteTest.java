package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.ManualPeers;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.journal.Journal;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.junit5.Timeout;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Requests of probes to a gateway that owns n1 and not n2. */
@ExtendWith(VertxExtension.class)
@Timeout(120_000)
class IntakeRouteTest {
  private static final long NOW = 10_000_000;
  private static final int MAX_BYTES = 1_000;
  private static final URI G2 = URI.create("http://127.0.0.1:2");
  private static final ClusterView VIEW =
      new ClusterView(
          OwnershipTable.ofOwners(3, Map.of("n1", "g1", "n2", "g2")),
          Map.of("g1", URI.create("http://127.0.0.1:1"), "g2", G2),
          false);

  @TempDir private Path folder;
  private final ManualPeers peers = new ManualPeers();
  private HttpClient client;
  private Journal journal;
  private Store store;
  private Intake intake;
  private int port;

  @BeforeEach
  void serve(Vertx vertx, VertxTestContext test) throws Exception {
    journal = Journal.open(Journal.Settings.defaults(folder.resolve("journal")));
    store = new Store(folder.resolve("blocks"), HostWriter.limits(4), Dimensions.DEFAULT);
    intake =
        new Intake(
            store,
            journal,
            new ClusterAccess(
                "g1", 1, () -> VIEW, (host, admission) -> {}, (host, report) -> {}, peers),
            MemoryWatermark.ofHeap(),
            () -> NOW,
            2,
            8);
    intake.recover();
    client = vertx.createHttpClient();
    Guard guard =
        Guard.open(
            vertx,
            new HttpSettings("127.0.0.1", 0),
            Optional.of(tenants()),
            TrustSettings.NONE,
            TenantLimits.DEFAULT,
            selector -> "",
            () -> NOW);
    Router router = Router.router(vertx);
    IntakeRoute.mount(router, vertx, guard.needs(Permission.WRITE), intake, MAX_BYTES, Tracer.OFF);
    vertx
        .createHttpServer()
        .requestHandler(router)
        .listen(0, "127.0.0.1")
        .onComplete(
            test.succeeding(
                server -> {
                  port = server.actualPort();
                  test.completeNow();
                }));
  }

  /** One tenant may write any series, the other only series with a label of its own. */
  private Path tenants() throws Exception {
    return Files.writeString(
        folder.resolve("tenants.yaml"),
        """
        tenants:
          any: {tokens: {probe: {sha256: %s, rights: [write]}}}
          labelled: {write: {labels: {tenant: b}}, tokens: {probe: {sha256: %s, rights: [write]}}}
        """
            .formatted(hash("any"), hash("labelled")));
  }

  private static String hash(String token) throws Exception {
    byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  @AfterEach
  void close() {
    intake.close();
    journal.close();
  }

  private record Response(int status, MultiMap headers, String body) {}

  private Response post(String host, byte[] body, String... headers) throws Exception {
    return post("any", host, body, headers);
  }

  private Response post(String token, String host, byte[] body, String... headers)
      throws Exception {
    return client
        .request(HttpMethod.POST, port, "127.0.0.1", IntakeProtocol.path(host))
        .compose(
            request -> {
              request.putHeader("Authorization", "Bearer " + token);
              for (int i = 0; i < headers.length; i += 2) {
                request.putHeader(headers[i], headers[i + 1]);
              }
              return request
                  .send(Buffer.buffer(body))
                  .compose(
                      response ->
                          response
                              .body()
                              .map(
                                  text ->
                                      new Response(
                                          response.statusCode(),
                                          response.headers(),
                                          text.toString())));
            })
        .await(120, TimeUnit.SECONDS);
  }

  private static byte[] frame(String host) {
    return new FrameEncoder(host, 7)
        .encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), 1).at(NOW));
  }

  private static void assertAnswer(Response response, IntakeAnswer expected) {
    assertThat(response.body()).isEqualTo(expected + "\n");
    assertThat(response.status()).isEqualTo(expected.httpStatus());
    assertThat(response.headers().get("Content-Type")).isEqualTo(IntakeProtocol.ANSWER_TYPE);
  }

  @Test
  void whatIsTakenIsAnsweredAndStored() throws Exception {
    assertAnswer(post("n1", frame("n1")), new IntakeAnswer.Kept(7, 1));
    assertThat(store.counts().stored.sum()).isEqualTo(1);
  }

  @Test
  void aHostOfAnotherGatewayIsSentThere() throws Exception {
    assertAnswer(post("n2", frame("n2")), new IntakeAnswer.Moved(G2, 3));
  }

  @Test
  void aHeaderThatIsNoNumberIsNamedWithItsValue() throws Exception {
    for (String header : new String[] {IntakeProtocol.EPOCH, IntakeProtocol.ACKNOWLEDGED}) {
      assertAnswer(
          post("n1", frame("n1"), header, "many"),
          new IntakeAnswer.Refused(header + " is not a number: many"));
    }
    assertThat(store.counts().stored.sum()).isZero();
  }

  @Test
  void anEmptyBodyIsRefused() throws Exception {
    assertAnswer(post("n1", new byte[0]), new IntakeAnswer.Refused("the body is empty"));
  }

  @Test
  void aBodyAboveTheLimitIsTooLarge() throws Exception {
    assertThat(post("n1", new byte[MAX_BYTES + 1]).status()).isEqualTo(IntakeProtocol.TOO_LARGE);
  }

  @Test
  void aSenderThatKnowsANewerTableIsToldWhenToComeAgain() throws Exception {
    Response response = post("n1", frame("n1"), IntakeProtocol.EPOCH, "99");
    assertThat(response.status()).isEqualTo(503);
    assertThat(response.headers().get("Retry-After")).isEqualTo("1");
    assertThat(store.counts().stored.sum()).isZero();
  }

  @Test
  void whatWasAcknowledgedElsewhereIsHandedOn() throws Exception {
    FrameEncoder run = new FrameEncoder("n1", 9);
    run.encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), 1).at(NOW - 2));
    byte[] dictionary = run.dictionary();
    byte[] second = run.encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), 2).at(NOW));
    byte[] body = new byte[dictionary.length + second.length];
    System.arraycopy(dictionary, 0, body, 0, dictionary.length);
    System.arraycopy(second, 0, body, dictionary.length, second.length);
    assertThat(post("n1", body, IntakeProtocol.ACKNOWLEDGED, "1").status()).isEqualTo(200);
    intake.state("n1").get(120, TimeUnit.SECONDS); // the lane thread is done with the body
    assertThat(intake.counts().gapsFound.sum()).isEqualTo(1);
    assertThat(peers.pulls).as("the other gateway is asked for it").hasSize(1);
  }

  @Test
  void framesAreRefusedWhereTheSeriesOfATenantHaveToHaveLabels() throws Exception {
    Response response = post("labelled", "n1", frame("n1"));
    assertThat(response.status()).isEqualTo(403);
    assertThat(response.body()).contains("write.labels");
    assertThat(store.counts().stored.sum()).isZero();
  }
}
