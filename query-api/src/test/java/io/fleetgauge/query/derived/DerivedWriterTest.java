package io.fleetgauge.query.derived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.prometheus.RemoteWriteWriter;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.xerial.snappy.Snappy;

/** Results that are stored through gateways, which answer as they are told. */
@ExtendWith(VertxExtension.class)
class DerivedWriterTest {
  private static final List<DerivedSample> TWO =
      List.of(
          new DerivedSample(Labels.of("__name__", "a"), 1_000, 1),
          new DerivedSample(Labels.of("__name__", "b"), 1_000, 2));

  private static final RuleGroup.Id GROUP = new RuleGroup.Id("", "f", "g");
  private static final RuleGroup.Id OTHER = new RuleGroup.Id("t", "f", "g");

  private final Queue<Consumer<HttpServerResponse>> answers = new ConcurrentLinkedQueue<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final BlockingQueue<HttpServerResponse> open = new LinkedBlockingQueue<>();
  private final List<byte[]> bodies = new CopyOnWriteArrayList<>();
  private final List<Integer> ports = new CopyOnWriteArrayList<>();
  private final List<MultiMap> headers = new CopyOnWriteArrayList<>();

  /** The answer of a gateway that is not told another one. */
  private volatile Consumer<HttpServerResponse> otherwise = answer -> {};

  private volatile Map<String, URI> gateways = Map.of();
  private Vertx vertx;
  private OutgoingHttp outgoing;
  private Context context;
  private DerivedWriter<RuleGroup.Id> writer;

  @BeforeEach
  void start(Vertx started) throws Exception {
    vertx = started;
    context = vertx.getOrCreateContext();
    outgoing =
        new OutgoingHttp(
            vertx,
            TrustSettings.NONE,
            new RequestSigner(ClusterKey.of(List::of), () -> 0),
            new HttpClients.Limits(1_000, 10, 8, 10));
    gateways = Map.of("g1", gateway());
    writer =
        new DerivedWriter<>(
            "rules",
            "results of rules",
            context,
            outgoing,
            Optional.of(
                () -> new ClusterView(OwnershipTable.ofOwners(1, Map.of()), gateways, false)));
  }

  private URI gateway() throws Exception {
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  requests.incrementAndGet();
                  ports.add(request.localAddress().port());
                  headers.add(request.headers());
                  request
                      .body()
                      .onSuccess(
                          body -> {
                            bodies.add(body.getBytes());
                            (answers.isEmpty() ? otherwise : answers.remove())
                                .accept(request.response());
                          });
                })
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS);
    return URI.create("http://127.0.0.1:" + server.actualPort());
  }

  @AfterEach
  void stop() {
    outgoing.close();
  }

  private void write() throws Exception {
    begin(GROUP, TWO).await(120, TimeUnit.SECONDS);
  }

  /** Done when they are stored. */
  private Future<Void> begin(RuleGroup.Id group, List<DerivedSample> samples) {
    Promise<Void> stored = Promise.promise();
    context.runOnContext(none -> writer.write(group, samples, () -> stored.complete()));
    return stored.future();
  }

  private static List<DerivedSample> one(String metric) {
    return List.of(new DerivedSample(Labels.of("__name__", metric), 1_000, 1));
  }

  private void answer(int... statuses) {
    for (int status : statuses) {
      answers.add(answer -> answer.setStatusCode(status).end());
    }
  }

  /** The response to the next request that is not answered yet. */
  private HttpServerResponse next() throws Exception {
    HttpServerResponse response = open.poll(120, TimeUnit.SECONDS);
    assertThat(response).as("a request").isNotNull();
    return response;
  }

  private <T> T onContext(Callable<T> work) throws Exception {
    Promise<T> done = Promise.promise();
    context.runOnContext(
        none -> {
          try {
            done.complete(work.call());
          } catch (Exception e) {
            done.fail(e);
          }
        });
    return done.future().await(120, TimeUnit.SECONDS);
  }

  private String metrics() {
    Meters meters = new Meters("query");
    meters.counter("rule_samples_written", "Stored results.", writer::written);
    meters.counter("rule_samples_refused", "Results that a gateway rejected.", writer::refused);
    meters.counter(
        "rule_samples_dropped",
        "Results that were dropped because too many waited to be stored.",
        writer::dropped);
    meters.counter("rule_write_retries", "Times that results were sent again.", writer::retries);
    meters.gauge("rule_waiting_bytes", "Results that wait to be stored.", writer::waitingBytes);
    return new String(meters.exposition(), StandardCharsets.UTF_8);
  }

  @Test
  void withoutAClusterSamplesAreStoredNowhereAndNobodyWaits() throws Exception {
    writer = new DerivedWriter<>("rules", "results of rules", context, outgoing, Optional.empty());
    write();
    assertThat(requests).hasValue(0);
    assertThat(onContext(writer::isIdle)).isTrue();
  }

  @Test
  void ofResultsOfWhichAGatewayRefusesSomeTheRestIsStoredAndNothingIsSentAgain() throws Exception {
    answers.add(
        answer ->
            answer
                .setStatusCode(400)
                .putHeader(IntakeProtocol.SAMPLES_WRITTEN, "1")
                .putHeader(IntakeProtocol.HISTOGRAMS_WRITTEN, "0")
                .end("1 samples of host n1: duplicate sample for timestamp"));
    answers.add(answer -> answer.setStatusCode(204).end());

    write();
    write();

    assertThat(requests).hasValue(2);
    assertThat(metrics())
        .contains("query_rule_samples_written_total 3.0")
        .contains("query_rule_samples_refused_total 1.0");
  }

  @Test
  void resultsAreRefusedWhereTheGatewaySaysNothingOfWhatItStored() throws Exception {
    answers.add(answer -> answer.setStatusCode(413).end());

    write();

    assertThat(metrics())
        .contains("query_rule_samples_written_total 0.0")
        .contains("query_rule_samples_refused_total 2.0");
  }

  @Test
  void resultsThatAGatewayCannotTakeNowAreSentAgain() throws Exception {
    answers.add(answer -> answer.setStatusCode(503).end());
    answers.add(answer -> answer.setStatusCode(204).end());

    write();

    assertThat(requests).hasValue(2);
    assertThat(metrics())
        .contains("query_rule_samples_written_total 2.0")
        .contains("query_rule_write_retries_total 1.0");
  }

  @Test
  void aBodyHasTheResultsOfASlotAndSaysThatTheyAreOfRules() throws Exception {
    answer(204);
    Histogram histogram =
        new Histogram(
            0,
            Histogram.ResetHint.UNKNOWN,
            3,
            6,
            0,
            0,
            new Histogram.Buckets(new int[] {1}, new double[] {3}),
            Histogram.Buckets.NONE,
            new double[0]);
    DerivedSample number = TWO.getFirst();
    DerivedSample shape =
        new DerivedSample(Labels.of("__name__", "h"), 1_000, Staleness.MARKER, histogram);
    begin(GROUP, List.of(number, shape)).await(120, TimeUnit.SECONDS);
    assertThat(Snappy.uncompress(bodies.getFirst()))
        .isEqualTo(
            new RemoteWriteWriter(Version.V1)
                .series(number.labels())
                .sample(1_000, 1)
                .series(shape.labels())
                .histogram(1_000, histogram)
                .toBytes());
    assertThat(headers.getFirst().get(IntakeProtocol.DERIVED)).isEqualTo("rules");
    assertThat(headers.getFirst().get("Content-Encoding")).isEqualTo("snappy");
    assertThat(headers.getFirst().get("Content-Type")).isEqualTo("application/x-protobuf");
    assertThat(headers.getFirst().get("X-Prometheus-Remote-Write-Version")).isEqualTo("0.1.0");
  }

  @Test
  void theResultsOfAGroupFollowEachOtherAndThoseOfOthersDoNotWaitForThem() throws Exception {
    for (int i = 0; i < 3; i++) {
      answers.add(open::add);
    }
    List<String> stored = new CopyOnWriteArrayList<>();
    Future<Void> first = begin(GROUP, one("first")).onSuccess(none -> stored.add("first"));
    Future<Void> second = begin(GROUP, one("second")).onSuccess(none -> stored.add("second"));
    HttpServerResponse ofFirst = next();
    begin(OTHER, one("other")).onSuccess(none -> stored.add("other"));
    HttpServerResponse ofOther = next();
    assertThat(open).isEmpty();
    assertThat(onContext(writer::isIdle)).isFalse();
    assertThat(metrics()).doesNotContain("rule_waiting_bytes 0.0");

    ofOther.setStatusCode(204).end();
    ofFirst.setStatusCode(204).end();
    first.await(120, TimeUnit.SECONDS);
    next().setStatusCode(204).end();
    second.await(120, TimeUnit.SECONDS);

    assertThat(stored).containsExactlyInAnyOrder("first", "second", "other");
    assertThat(stored.indexOf("first")).isLessThan(stored.indexOf("second"));
    assertThat(new String(Snappy.uncompress(bodies.get(2)), StandardCharsets.UTF_8))
        .contains("second");
    assertThat(onContext(writer::isIdle)).isTrue();
    assertThat(metrics())
        .contains("query_rule_waiting_bytes 0.0")
        .contains("query_rule_samples_written_total 3.0");
  }

  @Test
  void aSlotWithoutResultsIsStoredAtOnce() throws Exception {
    begin(GROUP, List.of()).await(120, TimeUnit.SECONDS);
    assertThat(requests).hasValue(0);
    assertThat(onContext(writer::isIdle)).isTrue();
  }

  @Test
  void gatewaysTakeTurnsAndWithoutAnyResultsWait() throws Exception {
    gateways = Map.of();
    Future<Void> stored = begin(GROUP, TWO);
    await().until(() -> metrics().contains("query_rule_write_retries_total 1.0"));
    answer(204, 204, 204);
    gateways = Map.of("g1", gateway(), "g2", gateway());
    stored.await(120, TimeUnit.SECONDS);
    write();
    write();
    assertThat(ports.get(0)).isNotEqualTo(ports.get(1)).isEqualTo(ports.get(2));
  }

  @Test
  void onlyARefusalThatIsAboutTheResultsLosesThem() throws Exception {
    answers.add(answer -> answer.reset());
    answer(429, 401, 500, 204);
    write();
    assertThat(requests).hasValue(5);
    assertThat(metrics())
        .contains("query_rule_samples_written_total 2.0")
        .contains("query_rule_samples_refused_total 0.0");
  }

  @Test
  void resultsThatAreAbandonedAreNeitherSentAgainNorCalledStored() throws Exception {
    answers.add(open::add);
    Future<Void> first = begin(GROUP, TWO);
    Future<Void> second = begin(GROUP, TWO);
    HttpServerResponse response = next();
    onContext(
        () -> {
          writer.abandon();
          return null;
        });
    assertThat(onContext(writer::isIdle)).isTrue();
    assertThat(metrics()).contains("query_rule_waiting_bytes 0.0");
    // The other one is sent again later than the abandoned one would be.
    answer(503, 204);
    response.setStatusCode(503).end();
    await().until(() -> metrics().contains("query_rule_write_retries_total 1.0"));
    begin(OTHER, TWO).await(120, TimeUnit.SECONDS);

    assertThat(requests).hasValue(3);
    assertThat(first.isComplete() || second.isComplete()).isFalse();
  }

  @Test
  void resultsThatWereTakenAfterAllAreNotStoredTwiceForWhoAbandonedThem() throws Exception {
    answers.add(open::add);
    Future<Void> abandoned = begin(GROUP, TWO);
    HttpServerResponse response = next();
    onContext(
        () -> {
          writer.abandon();
          return null;
        });
    answer(204);
    write();
    response.setStatusCode(204).end();
    await().until(() -> metrics().contains("query_rule_samples_written_total 4.0"));
    answer(204);
    write();
    assertThat(abandoned.isComplete()).isFalse();
    assertThat(metrics()).contains("query_rule_waiting_bytes 0.0");
  }

  @Test
  void resultsThatLaterQueriesReadAreSentOnlyWhileTheyAreWanted() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    answer(503);
    Future<Void> now = onContext(() -> writer.writeNow(TWO, () -> asked.incrementAndGet() == 1));
    assertThatThrownBy(() -> now.await(120, TimeUnit.SECONDS)).isInstanceOf(NotStored.class);
    assertThat(requests).hasValue(1);
    answer(204);
    onContext(() -> writer.writeNow(TWO, () -> true)).await(120, TimeUnit.SECONDS);
    assertThat(metrics()).contains("query_rule_samples_written_total 2.0");
  }

  @Test
  void manyResultsAreSentInSeveralBodies() throws Exception {
    List<DerivedSample> many = new ArrayList<>();
    for (int i = 0; i < 20_001; i++) {
      many.add(new DerivedSample(Labels.of("__name__", "m", "i", "" + i), 1_000, i));
    }
    answer(204, 204, 204);
    begin(GROUP, many).await(120, TimeUnit.SECONDS);
    assertThat(requests).hasValue(2);
    begin(GROUP, many.subList(0, 20_000)).await(120, TimeUnit.SECONDS);
    assertThat(requests).hasValue(3);
    assertThat(metrics()).contains("query_rule_samples_written_total 40001.0");
  }

  @Test
  void theOldestResultsThatAreNotOnTheirWayAreGivenUpWhenTooManyWait() throws Exception {
    byte[] random = new byte[12 << 20];
    new Random(1).nextBytes(random);
    List<DerivedSample> large =
        List.of(
            new DerivedSample(
                Labels.of("__name__", "m", "x", new String(random, StandardCharsets.ISO_8859_1)),
                1_000,
                1));
    otherwise = answer -> answer.setStatusCode(503).end();
    Future<Void> first = begin(GROUP, large);
    Future<Void> second = begin(GROUP, large);
    Future<Void> third = begin(GROUP, large);
    assertThat(onContext(this::metrics)).contains("query_rule_samples_dropped_total 0.0");
    Future<Void> fourth = begin(GROUP, large);
    assertThat(onContext(this::metrics)).contains("query_rule_samples_dropped_total 1.0");

    otherwise = answer -> answer.setStatusCode(204).end();
    for (Future<Void> each : List.of(first, third, fourth)) {
      each.await(120, TimeUnit.SECONDS);
    }
    assertThat(second.isComplete()).isFalse();
    assertThat(metrics())
        .contains("query_rule_waiting_bytes 0.0")
        .contains("query_rule_samples_written_total 3.0");
  }
}
