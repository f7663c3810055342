package io.fleetgauge.gateway.remotewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ingest.IngestMeters;
import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.MemoryWatermark;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.Owners;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.frame.HostLabels;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.journal.Journal;
import io.fleetgauge.sample.relabel.RelabelFields;
import io.fleetgauge.sample.relabel.Relabelling;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.junit5.Timeout;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xerial.snappy.Snappy;

/**
 * Remote writes to a gateway that owns n1 and n2; the owner of n3 has a script. More than 600
 * lines, because all of them are about one route.
 */
@ExtendWith(VertxExtension.class)
@Timeout(120_000)
class RemoteWriteRouteTest {
  private static final long NOW = 10_000_000;

  /** Limit of the keys of known series. */
  private static final long KEY_BYTES = 5_000;

  private static final String V1 = "application/x-protobuf";
  private static final String V2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request";
  private static final Relabelling RELABELLING =
      new Relabelling(
          List.of(
              new RelabelFields(
                      Map.of(
                          "source_labels",
                          List.of("__name__"),
                          "regex",
                          "unwanted.*",
                          "action",
                          "drop"),
                      (field, what) -> fail(field + ": " + what))
                  .rule()
                  .orElseThrow()));
  private static final ClusterView VIEW =
      new ClusterView(
          OwnershipTable.ofOwners(3, Map.of("n1", "g1", "n2", "g1", "n3", "g2", "far", "g2")),
          Map.of("g1", URI.create("http://127.0.0.1:1"), "g2", URI.create("http://127.0.0.1:2")),
          false);

  @TempDir private Path folder;
  private Vertx vertx;

  // Referred to until the test ends: a client that is collected closes its connections.
  private HttpClient client;

  private Journal journal;
  private Store store;
  private Intake intake;
  private RemoteWriteCounts counts;
  private SeriesWrites writes;
  private HttpServer server;

  /** Of the owner of n3. */
  private volatile IntakeAnswer answerOfOther = new IntakeAnswer.SlowDown(2_000);

  /** What the owner of far was asked, and what it answers to samples that are to be kept. */
  private final List<Owners.Intent> asked = new CopyOnWriteArrayList<>();

  private volatile IntakeAnswer ofOther = new IntakeAnswer.SlowDown(2_000);

  /** Whether what is sent is said to be derived from other samples. */
  private boolean isDerived;

  private record Response(int status, MultiMap headers, String body) {}

  @BeforeEach
  void serve(Vertx started, VertxTestContext test) throws Exception {
    vertx = started;
    client = vertx.createHttpClient();
    journal = Journal.open(Journal.Settings.defaults(folder.resolve("journal")));
    store =
        new Store(
            folder.resolve("blocks"), HostWriter.limits(4), Dimensions.DEFAULT, RollupRules.NONE);
    MemoryWatermark memory = MemoryWatermark.ofHeap();
    intake =
        new Intake(
            store,
            journal,
            new ClusterAccess(
                "g1", 1, () -> VIEW, (host, admission) -> {}, (host, report) -> {}, null),
            memory,
            () -> NOW,
            2,
            8);
    intake.recover();
    Path tenants =
        Files.writeString(
            folder.resolve("tenants.yaml"),
            """
            proxies: [127.0.0.1]
            tenants:
              all: {tokens: {t: {sha256: %s, rights: [write]}}}
              team: {write: {labels: {team: a}}}
            """
                .formatted("a".repeat(64)));
    Guard guard =
        Guard.open(
            vertx,
            new HttpSettings("127.0.0.1", 0),
            Optional.of(tenants),
            TrustSettings.NONE,
            TenantLimits.DEFAULT,
            Parser::selectorProblem,
            () -> NOW);
    Meters meters = new Meters("fleetgauge_gateway");
    MetadataTable metadata = new MetadataTable();
    counts = RemoteWriteCounts.declared(meters, metadata);
    IngestMeters.declare(meters, intake, journal, memory);
    Router router =
        HttpListener.router(
            vertx, new HttpListener.Readiness(), meters, () -> "", RoutingContext::next);
    HostLabels hostLabels = new HostLabels(List.of("Hostname"));
    Owners owners =
        (owner, intent, host, epoch, body, answer) -> {
          if (host.equals("n3")) {
            answer.accept(answerOfOther);
            return;
          }
          asked.add(intent);
          answer.accept(intent == Owners.Intent.CHECK ? new IntakeAnswer.Kept(7, 0) : ofOther);
        };
    writes =
        new SeriesWrites(
            vertx,
            new FrameDelivery(vertx, owners, intake),
            new TenantWriters(RELABELLING, hostLabels, 60_000, metadata, KEY_BYTES, counts),
            () -> NOW,
            counts);
    new RemoteWriteRoute(vertx, writes).mount(router, guard);
    vertx
        .createHttpServer()
        .requestHandler(router)
        .listen(0, "127.0.0.1")
        .onComplete(
            test.succeeding(
                listening -> {
                  server = listening;
                  test.completeNow();
                }));
  }

  @AfterEach
  void close() {
    writes.close();
    intake.close();
    journal.close();
  }

  private Response send(String contentType, String encoding, byte[] body) throws Exception {
    return send("all", contentType, encoding, body);
  }

  private Response send(String tenant, String contentType, String encoding, byte[] body)
      throws Exception {
    return client
        .request(HttpMethod.POST, server.actualPort(), "127.0.0.1", "/api/v1/write")
        .compose(
            request -> {
              request.putHeader("X-Scope-OrgID", tenant);
              if (isDerived) {
                request.putHeader(IntakeProtocol.DERIVED, "rules");
              }
              if (contentType != null) {
                request.putHeader("Content-Type", contentType);
              }
              if (encoding != null) {
                request.putHeader("Content-Encoding", encoding);
              }
              return request.send(Buffer.buffer(body)).compose(RemoteWriteRouteTest::whole);
            })
        .await(120, TimeUnit.SECONDS);
  }

  private static Future<Response> whole(HttpClientResponse response) {
    return response
        .body()
        .map(
            bytes ->
                new Response(
                    response.statusCode(),
                    response.headers(),
                    bytes == null ? "" : bytes.toString()));
  }

  private Response send(String contentType, byte[] message) throws Exception {
    return send(contentType, "snappy", Snappy.compress(message));
  }

  private String metrics() throws Exception {
    return client
        .request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/metrics")
        .compose(request -> request.send().compose(response -> response.body()))
        .await(120, TimeUnit.SECONDS)
        .toString();
  }

  private List<Series> stored() throws Exception {
    return store.select(
        List.of("n1", "n2"),
        new Selection(List.of(), Long.MIN_VALUE, Long.MAX_VALUE),
        1_000,
        Assertions::fail,
        StopCheck.NEVER);
  }

  private static WriteRequest up(long time, double value) {
    return new WriteRequest().series(time, value, "Hostname", "n1", "__name__", "up");
  }

  @Test
  void samplesOfTwoHostsAreKeptAnd204IsSaidWhenAllAre() throws Exception {
    WriteRequest both =
        up(NOW, 1).series(NOW, 2, "Hostname", "n2", "__name__", "up").gauge("up", "help");
    Response response = send(V1, both.bytes());
    assertThat(response.status).isEqualTo(204);
    assertThat(response.body).isEmpty();
    assertThat(stored()).hasSize(2);
    assertThat(metrics())
        .contains("fleetgauge_gateway_remote_writes_total{outcome=\"kept\"} 1.0")
        .contains("fleetgauge_gateway_remote_write_samples_total 2.0")
        .contains("fleetgauge_gateway_remote_write_metadata_dropped_total 0.0")
        .contains("fleetgauge_gateway_slow_downs_total{reason=\"queue\"} 0.0")
        .contains("fleetgauge_gateway_journal_failures_total 0.0");
  }

  @Test
  void derivedSamplesAreKeptAndDoNotTellHowFarTheirHostHasCome() throws Exception {
    send(V1, up(NOW - 30_000, 1).bytes());
    send(V1, up(NOW - 20_000, 1).bytes());
    long complete = store.changes(0, 0, host -> true).watermark();
    isDerived = true;
    WriteRequest alert = new WriteRequest().series(NOW, 1, "Hostname", "n1", "__name__", "ALERTS");
    assertThat(send(V1, alert.bytes()).status).isEqualTo(204);
    assertThat(stored()).hasSize(2);
    assertThat(store.changes(0, 0, host -> true).watermark()).isEqualTo(complete);
    isDerived = false;
    send(V1, up(NOW - 10_000, 1).bytes());
    assertThat(store.changes(0, 0, host -> true).watermark()).isEqualTo(complete + 10_000);
  }

  @Test
  void ofDerivedSamplesTheRestIsKeptWhenOneIsRefusedHoweverOftenTheyAreSent() throws Exception {
    isDerived = true;
    send(V1, up(NOW, 1).bytes());
    WriteRequest results =
        up(NOW, 2)
            .series(NOW, 3, "Hostname", "n1", "__name__", "other")
            .series(NOW, 4, "Hostname", "n2", "__name__", "up")
            .series(NOW + 60_001, 5, "Hostname", "n2", "__name__", "early");
    for (int i = 0; i < 2; i++) {
      Response response = send(V1, results.bytes());
      assertThat(response.status).isEqualTo(400);
      assertThat(response.body)
          .contains("1 samples of host n1: duplicate sample for timestamp")
          .contains("ahead of the latest allowed");
      assertThat(response.headers.get(IntakeProtocol.SAMPLES_WRITTEN)).isEqualTo("2");
      assertThat(response.headers.get(IntakeProtocol.HISTOGRAMS_WRITTEN)).isEqualTo("0");
      assertThat(stored()).extracting(Series::size).containsExactly(1, 1, 1);
    }
    WriteRequest early = up(NOW + 60_001, 1);
    assertThat(send(V1, early.bytes()).status).isEqualTo(400);
  }

  @Test
  void seriesOfEarlierRequestsAreForgottenWhenTheirKeysExceedTheLimit() throws Exception {
    WriteRequest many = new WriteRequest();
    for (int i = 0; i < 3; i++) {
      many.series(NOW, 1, "Hostname", "n1", "__name__", "up", "disk", "%02000d".formatted(i));
    }
    assertThat(send(V1, many.bytes()).status).isEqualTo(204);
    assertThat(counts.forgotten.sum()).isZero();
    assertThat(send(V1, up(NOW, 1).bytes()).status).isEqualTo(204);
    assertThat(metrics())
        .contains("fleetgauge_gateway_remote_write_forgotten_total 1.0")
        .contains("fleetgauge_gateway_remote_write_key_bytes 0.0");
    assertThat(send(V1, up(NOW + 1, 1).bytes()).status).isEqualTo(204);
    assertThat(counts.forgotten.sum()).isEqualTo(1);
    assertThat(counts.keyBytes.get()).isBetween(1L, KEY_BYTES);
    assertThat(send(V1, many.bytes()).status).isEqualTo(204);
    assertThat(stored()).hasSize(4);
  }

  @Test
  void theSameRequestTwiceIsKeptAndChangesNothing() throws Exception {
    assertThat(send(V1, up(NOW, 1).bytes()).status).isEqualTo(204);
    assertThat(send(V1, up(NOW, 1).bytes()).status).isEqualTo(204);
    assertThat(stored().getFirst().size()).isEqualTo(1);
  }

  @Test
  void aConflictInVersion1Gets400AndNothingOfTheMessageIsKept() throws Exception {
    send(V1, up(NOW, 1).bytes());
    Response response =
        send(V1, up(NOW, 2).series(NOW, 3, "Hostname", "n2", "__name__", "up").bytes());
    assertThat(response.status).isEqualTo(400);
    assertThat(response.body).contains("duplicate sample for timestamp");
    assertThat(stored()).hasSize(1);
    assertThat(metrics())
        .contains("fleetgauge_gateway_remote_writes_total{outcome=\"refused\"} 1.0");
  }

  @Test
  void aConflictOfOneHostPreventsTheNewSamplesOfAnother() throws Exception {
    for (int tick = 3; tick > 0; tick--) {
      long time = NOW - tick * 1_000;
      send(V1, up(time, 1).series(time, 1, "Hostname", "n2", "__name__", "up").bytes());
    }
    WriteRequest mixed = up(NOW, 1).series(NOW - 1_000, 2, "Hostname", "n2", "__name__", "up");
    assertThat(send(V1, mixed.bytes()).status).isEqualTo(400);
    assertThat(stored()).extracting(Series::size).containsExactly(3, 3);
    assertThat(send(V1, mixed.bytes()).status).isEqualTo(400);
    assertThat(send(V1, up(NOW, 1).bytes()).status).isEqualTo(204);
    assertThat(send(V1, up(NOW, 2).bytes()).status).isEqualTo(400);
    assertThat(stored()).extracting(Series::size).containsExactly(4, 3);
  }

  private Response far(long time) throws Exception {
    return send(
        V1, new WriteRequest().series(time, 1, "Hostname", "far", "__name__", "up").bytes());
  }

  @Test
  void whatAnotherOwnerSaysDecidesWhetherAndWhenItsSamplesAreSentAgain() throws Exception {
    ofOther = new IntakeAnswer.OverLimit(0, "the tenant has 3 hosts");
    assertThat(far(NOW - 9_000).status).as("waiting does not help").isEqualTo(400);
    ofOther = new IntakeAnswer.OverLimit(5_000, "the tenant has 3 new hosts");
    Response later = far(NOW - 8_000);
    assertThat(later.status).isEqualTo(429);
    assertThat(later.headers.get("Retry-After"))
        .isEqualTo(Long.toString(IntakeProtocol.retryAfterSeconds(5_000)));
    assertThat(later.body).contains("the tenant has 3 new hosts");
    ofOther = new IntakeAnswer.SlowDown(2_000);
    Response soon = far(NOW - 7_000);
    assertThat(soon.status).isEqualTo(503);
    assertThat(soon.headers.get("Retry-After")).isEqualTo("1");
    ofOther = new IntakeAnswer.Refused("it is damaged");
    assertThat(far(NOW - 6_000).status).isEqualTo(500);
    ofOther = new IntakeAnswer.Kept(7, 1);
    assertThat(far(NOW - 5_000).status).isEqualTo(204);
  }

  /** What its owner has of a host is known only while all that was sent of it is kept. */
  @Test
  void afterSamplesWereNotKeptTheOwnerIsAskedAgainBeforeAnyAreWritten() throws Exception {
    ofOther = new IntakeAnswer.Kept(7, 1);
    far(NOW - 9_000);
    far(NOW - 8_000);
    ofOther = new IntakeAnswer.SlowDown(2_000);
    far(NOW - 7_000);
    assertThat(asked)
        .containsExactly(
            Owners.Intent.CHECK, Owners.Intent.KEEP, Owners.Intent.KEEP, Owners.Intent.KEEP);
    asked.clear();
    ofOther = new IntakeAnswer.Kept(7, 1);
    far(NOW - 6_000);
    far(NOW - 5_000);
    assertThat(asked).containsExactly(Owners.Intent.CHECK, Owners.Intent.KEEP, Owners.Intent.KEEP);
  }

  @Test
  void theOwnerOfWhatWasRefusedWithAnotherHostIsAskedAgainToo() throws Exception {
    ofOther = new IntakeAnswer.Kept(7, 1);
    far(NOW - 9_000);
    far(NOW - 8_000);
    asked.clear();
    answerOfOther = new IntakeAnswer.Refused("it is damaged");
    long time = NOW - 7_000;
    WriteRequest both =
        new WriteRequest()
            .series(time, 1, "Hostname", "far", "__name__", "up")
            .series(time, 1, "Hostname", "n3", "__name__", "up");
    assertThat(send(V1, both.bytes()).status).isEqualTo(500);
    assertThat(asked).as("it is all or nothing").isEmpty();
    far(NOW - 6_000);
    assertThat(asked).containsExactly(Owners.Intent.CHECK, Owners.Intent.KEEP);
  }

  @Test
  void version2SaysHowManyWereWritten() throws Exception {
    Response response = send(V2, WriteRequest.version2(NOW, 1, "Hostname", "n1", "__name__", "up"));
    assertThat(response.status).isEqualTo(204);
    assertThat(response.headers.get("X-Prometheus-Remote-Write-Samples-Written")).isEqualTo("1");
    assertThat(response.headers.get("X-Prometheus-Remote-Write-Histograms-Written")).isEqualTo("0");
    assertThat(response.headers.get("X-Prometheus-Remote-Write-Exemplars-Written")).isEqualTo("0");
    Response conflict = send(V2, WriteRequest.version2(NOW, 2, "Hostname", "n1", "__name__", "up"));
    assertThat(conflict.status).isEqualTo(400);
    assertThat(conflict.headers.get("X-Prometheus-Remote-Write-Samples-Written")).isEqualTo("0");
    assertThat(conflict.body).contains("1 samples of host n1: duplicate sample");
  }

  /** In either version: what is good beside it is kept, and to send it again does not help. */
  @Test
  void aSeriesWithInvalidLabelsGets400WithItsLabelsAndTheOthersAreKept() throws Exception {
    WriteRequest bad =
        up(NOW, 1)
            .series(NOW, 1, "Hostname", "n1")
            .series(NOW, 1, "Hostname", "n1", "__name__", "up", "zone", "a", "zone", "b")
            .series(NOW, 1, "Hostname", "n1", "__name__", "up", "", "x")
            .seriesOfBytes(NOW, 1, "bytes".getBytes(StandardCharsets.UTF_8), new byte[] {'x', -1});
    for (int round = 1; round <= 2; round++) {
      Response response = send(V1, bad.bytes());
      assertThat(response.status).isEqualTo(400);
      assertThat(response.headers.contains("Retry-After")).isFalse();
      assertThat(response.body.lines())
          .containsExactly(
              "invalid labels for series, labels {Hostname=\"n1\"}: there is no metric name",
              "invalid labels for series, labels {Hostname=\"n1\", __name__=\"up\", zone=\"a\","
                  + " zone=\"b\"}: duplicated label zone",
              "invalid labels for series, labels {Hostname=\"n1\", __name__=\"up\", =\"x\"}: a"
                  + " label has an empty name",
              "invalid metric name or labels, they are not UTF-8, got {bytes=\"x\ufffd\"}");
      assertThat(metrics())
          .contains(
              "fleetgauge_gateway_remote_write_bad_series_total " + 4 * round + ".0",
              "fleetgauge_gateway_remote_write_samples_total " + round + ".0");
    }
    assertThat(stored()).hasSize(1);
    Response response = send(V2, WriteRequest.version2(NOW, 1, "Hostname", "n1"));
    assertThat(response.status).isEqualTo(400);
    assertThat(response.body).contains("there is no metric name");
    assertThat(metrics()).contains("fleetgauge_gateway_remote_write_bad_series_total 9.0");
  }

  @Test
  void aSeriesOfAnotherTenantGets400WithItsLabelAndTheOthersAreKept() throws Exception {
    byte[] both =
        new WriteRequest()
            .series(NOW, 1, "Hostname", "n1", "__name__", "up", "team", "a")
            .series(NOW, 1, "Hostname", "n1", "__name__", "up", "team", "b")
            .bytes();
    Response response = send("team", V1, "snappy", Snappy.compress(both));
    assertThat(response.status).isEqualTo(400);
    assertThat(response.body)
        .startsWith("the label team is \"b\", and tenant team must write \"a\" there")
        .endsWith("\n");
    assertThat(stored())
        .singleElement()
        .satisfies(kept -> assertThat(kept.labels().value("team")).isEqualTo("a"));
    assertThat(metrics())
        .contains("fleetgauge_gateway_remote_writes_total{outcome=\"refused\"} 1.0")
        .contains("fleetgauge_gateway_remote_write_samples_total 1.0")
        .contains("fleetgauge_gateway_remote_write_foreign_series_total 1.0")
        .contains("fleetgauge_gateway_remote_write_bad_series_total 0.0");
    assertThat(send("team", V1, "snappy", Snappy.compress(both)).status).isEqualTo(400);
  }

  @Test
  void aSeriesOfAnotherTenantInVersion2IsNotCountedAsWritten() throws Exception {
    byte[] theirs = WriteRequest.version2(NOW, 1, "Hostname", "n1", "__name__", "up", "team", "b");
    Response response = send("team", V2, "snappy", Snappy.compress(theirs));
    assertThat(response.status).isEqualTo(400);
    assertThat(response.headers.get("X-Prometheus-Remote-Write-Samples-Written")).isEqualTo("0");
    assertThat(response.body).contains("the label team is \"b\", and tenant team must write");
    assertThat(metrics()).contains("fleetgauge_gateway_remote_write_foreign_series_total 1.0");
  }

  @Test
  void samplesDroppedByRelabellingAreAnsweredLikeKeptOnesAndCountedApart() throws Exception {
    WriteRequest both = up(NOW, 1).series(NOW, 2, "Hostname", "n2", "__name__", "unwanted_threads");
    assertThat(send(V1, both.bytes()).status).isEqualTo(204);
    assertThat(send(V1, both.bytes()).status).isEqualTo(204);
    assertThat(stored()).hasSize(1);
    Response second =
        send(V2, WriteRequest.version2(NOW, 1, "Hostname", "n1", "__name__", "unwanted"));
    assertThat(second.status).isEqualTo(204);
    assertThat(second.headers.get("X-Prometheus-Remote-Write-Samples-Written")).isEqualTo("1");
    assertThat(metrics())
        .contains("fleetgauge_gateway_remote_write_samples_total 2.0")
        .contains("fleetgauge_gateway_remote_write_dropped_samples_total 3.0");
  }

  @Test
  void howManyMoreSeriesAreRefusedIsTold() throws Exception {
    WriteRequest many = new WriteRequest();
    for (int i = 0; i < 25; i++) {
      many.series(NOW, 1, "Hostname", "n1", "__name__", "m" + i, "team", "b");
    }
    Response response = send("team", V1, "snappy", Snappy.compress(many.bytes()));
    assertThat(response.body.lines()).hasSize(11).last().isEqualTo("and 15 more");
  }

  @Test
  void newSeriesAboveALimitAreRefusedAndTheOthersKept() throws Exception {
    WriteRequest many = new WriteRequest();
    for (int i = 0; i < 6; i++) {
      many.series(NOW, i, "Hostname", "n1", "__name__", "m" + i);
    }
    Response response = send(V1, many.bytes());
    assertThat(response.status).isEqualTo(400);
    assertThat(response.body).contains("store.maxSeriesPerHost");
    assertThat(stored()).hasSize(4);
  }

  @Test
  void aSampleFromTheFutureGets400WithTheLatestTime() throws Exception {
    Response response = send(V1, up(NOW + 60_001, 1).bytes());
    assertThat(response.status).isEqualTo(400);
    assertThat(response.body)
        .isEqualTo("out of bounds: the time 10060001 is ahead of the latest allowed, 10060000\n");
    assertThat(stored()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "application/x-protobuf;proto=other.Message", "x;y=z"})
  void anotherContentTypeGets415WithWhatIsAccepted(String type) throws Exception {
    Response response = send(type, up(NOW, 1).bytes());
    assertThat(response.status).isEqualTo(415);
    assertThat(response.body).contains(type).contains("prometheus.WriteRequest");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/x-protobuf",
        "application/x-protobuf; proto=prometheus.WriteRequest",
        "Application/X-Protobuf;charset=utf-8"
      })
  void theTypesOfVersion1AreAccepted(String type) throws Exception {
    assertThat(send(type, up(NOW, 1).bytes()).status).isEqualTo(204);
  }

  @Test
  void aRequestWithoutATypeOrEncodingIsVersion1InSnappy() throws Exception {
    assertThat(send(null, null, Snappy.compress(up(NOW, 1).bytes())).status).isEqualTo(204);
  }

  @Test
  void anotherEncodingGets415() throws Exception {
    Response response = send(V1, "gzip", up(NOW, 1).bytes());
    assertThat(response.status).isEqualTo(415);
    assertThat(response.body).isEqualTo("gzip encoding is not accepted; use snappy\n");
  }

  @Test
  void bytesThatAreNoSnappyBlockGet400() throws Exception {
    Response response = send(V1, "snappy", new byte[] {(byte) 0xff, (byte) 0xff, 1, 2, 3});
    assertThat(response.status).isEqualTo(400);
    assertThat(response.body).contains("the body is not a snappy block");
    assertThat(send(V1, "snappy", new byte[0]).status).isEqualTo(400);
  }

  @Test
  void aMessageThatIsCutOffGets400() throws Exception {
    byte[] message = up(NOW, 1).bytes();
    Response response = send(V1, Arrays.copyOf(message, message.length - 2));
    assertThat(response.status).isEqualTo(400);
    assertThat(stored()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "slow-down 2000 | 503 | samples of host n3 cannot be accepted now; send them again later |"
            + " 1 | false",
        "dictionary 9 | 503 | samples of host n3 cannot be accepted now; send them again later | 1"
            + " | false",
        "refused no frame | 500 | host n3: no frame | | false",
        "kept 9 1 but 1 0 duplicate sample | 400 | 1 samples of host n3: duplicate sample | |"
            + " false",
        "kept 9 1 but 1 1 too many series | 400 | 1 samples of host n3: too many series | | true",
        "over-limit 0 too many hosts | 400 | 1 samples: too many hosts | | true",
        "over-limit 2500 too many samples | 429 | 1 samples: too many samples | 3 | true"
      })
  void whatAnotherOwnerDoesNotKeepIsToldAndPreventsTheRestOrNot(
      String answer, int status, String text, String retryAfter, boolean isRestKept)
      throws Exception {
    answerOfOther = IntakeAnswer.parse(answer);
    byte[] both = up(NOW, 1).series(NOW, 2, "Hostname", "n3", "__name__", "up").bytes();
    for (boolean derived : new boolean[] {false, true}) {
      isDerived = derived;
      Response response = send(V1, both);
      assertThat(response.status).isEqualTo(status);
      assertThat(response.body).isEqualTo(text + "\n");
      assertThat(response.headers.get("Retry-After")).isEqualTo(retryAfter);
      assertThat(response.headers.get(IntakeProtocol.SAMPLES_WRITTEN))
          .isEqualTo(derived ? "1" : null);
      assertThat(stored()).hasSize(derived || isRestKept ? 1 : 0);
    }
    String outcome = status == 503 || status == 429 ? "retry" : "refused";
    assertThat(metrics())
        .contains("fleetgauge_gateway_remote_writes_total{outcome=\"" + outcome + "\"} 2.0");
    answerOfOther = new IntakeAnswer.Kept(9, 1);
    isDerived = false;
    assertThat(send(V1, both).status).isEqualTo(204);
  }

  @Test
  void histogramsThatAreWrittenAreCountedApart() throws Exception {
    isDerived = true;
    WriteRequest both = up(NOW, 1).histogram(NOW, 3, "Hostname", "n1", "__name__", "latency");
    Response response = send(V1, both.bytes());
    assertThat(response.status).as(response.body).isEqualTo(204);
    assertThat(response.headers.get(IntakeProtocol.SAMPLES_WRITTEN)).isEqualTo("1");
    assertThat(response.headers.get(IntakeProtocol.HISTOGRAMS_WRITTEN)).isEqualTo("1");
    WriteRequest other = up(NOW, 1).histogram(NOW, 4, "Hostname", "n1", "__name__", "latency");
    Response conflict = send(V1, other.bytes());
    assertThat(conflict.status).isEqualTo(400);
    assertThat(conflict.headers.get(IntakeProtocol.SAMPLES_WRITTEN)).isEqualTo("1");
    assertThat(conflict.headers.get(IntakeProtocol.HISTOGRAMS_WRITTEN)).isEqualTo("0");
    WriteRequest late = new WriteRequest();
    late.histogram(NOW + 60_001, 3, "Hostname", "n1", "__name__", "latency");
    late.histogram(NOW + 60_000, 3, "Hostname", "n1", "__name__", "latency");
    late.histogram(NOW, 3, "Hostname", "n1", "__name__", "unwanted");
    Response ahead = send(V1, late.bytes());
    assertThat(ahead.body).contains("ahead of the latest allowed");
    assertThat(ahead.headers.get(IntakeProtocol.HISTOGRAMS_WRITTEN))
        .as("one is kept, and one dropped by relabelling")
        .isEqualTo("2");
    assertThat(metrics())
        .contains("fleetgauge_gateway_remote_write_samples_total 4.0")
        .contains("fleetgauge_gateway_remote_write_dropped_samples_total 1.0");
  }

  @Test
  void aBodyThatIsLongerThanTheLimitAfterDecompressionGets400() throws Exception {
    int limit = RemoteWriteRoute.MAX_DECODED_BYTES;
    Response response = send(V1, new byte[limit + 1]);
    assertThat(response.status).isEqualTo(400);
    assertThat(response.body)
        .contains("the body has 33554433 bytes after decompression; the limit is 33554432");
    // As long as the limit, it is read; zeros are no message.
    assertThat(send(V1, new byte[limit]).body).doesNotContain("the limit is");
    assertThat(send(V1, up(NOW, 1).bytes()).status).isEqualTo(204);
  }

  @Test
  void anEmptyMessageIsKept() throws Exception {
    assertThat(send(V1, new byte[0]).status).isEqualTo(204);
  }
}
