package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.journal.Journal;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Requests of probes to a gateway that owns n1 and not n2. */
@ExtendWith(VertxExtension.class)
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
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
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
            new ClusterAccess("g1", 1, () -> VIEW, host -> {}, (host, report) -> {}, null),
            MemoryWatermark.ofHeap(),
            () -> NOW,
            2,
            8);
    intake.recover();
    Router router = Router.router(vertx);
    IntakeRoute.mount(router, vertx, RoutingContext::next, intake, MAX_BYTES);
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

  @AfterEach
  void close() {
    intake.close();
    journal.close();
  }

  private HttpResponse<String> post(String host, byte[] body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + IntakeProtocol.path(host)))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static byte[] frame(String host) {
    return new FrameEncoder(host, 7)
        .encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), 1).at(NOW));
  }

  private static void assertAnswer(HttpResponse<String> response, IntakeAnswer expected) {
    assertThat(response.body()).isEqualTo(expected + "\n");
    assertThat(response.statusCode()).isEqualTo(expected.httpStatus());
    assertThat(response.headers().firstValue("Content-Type")).hasValue(IntakeProtocol.ANSWER_TYPE);
  }

  @Test
  void whatIsTakenIsAnsweredAndStored() throws Exception {
    assertAnswer(post("n1", frame("n1")), new IntakeAnswer.Kept(7, 1));
    assertThat(store.counts().stored.sum()).isEqualTo(1);
  }

  @Test
  void aCheckIsAnsweredAndStoresNothing() throws Exception {
    assertAnswer(post("n1", frame("n1"), IntakeProtocol.CHECK, "yes"), new IntakeAnswer.Kept(7, 1));
    assertThat(store.counts().stored.sum()).isZero();
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
    assertThat(post("n1", new byte[MAX_BYTES + 1]).statusCode())
        .isEqualTo(IntakeProtocol.TOO_LARGE);
  }

  @Test
  void aSenderThatKnowsANewerTableIsToldWhenToComeAgain() throws Exception {
    HttpResponse<String> response = post("n1", frame("n1"), IntakeProtocol.EPOCH, "99");
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
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
    assertThat(post("n1", body, IntakeProtocol.ACKNOWLEDGED, "1").statusCode()).isEqualTo(200);
    assertThat(intake.counts().gapsFound.sum()).isEqualTo(1);
  }
}
