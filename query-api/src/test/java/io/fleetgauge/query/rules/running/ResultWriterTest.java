package io.fleetgauge.query.rules.running;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.config.TrustSettings;
import io.fleetgauge.cluster.process.Meters;
import io.fleetgauge.cluster.process.OutgoingHttp;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.trust.ClusterKey;
import io.fleetgauge.cluster.trust.RequestSigner;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Written;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.vertx.core.Context;
import io.vertx.core.Future;
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
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Results that are stored through one gateway, which answers as it is told. */
@ExtendWith(VertxExtension.class)
class ResultWriterTest {
  private static final List<Written> TWO =
      List.of(
          new Written(Labels.of("__name__", "a"), 1_000, 1),
          new Written(Labels.of("__name__", "b"), 1_000, 2));

  private static final RuleGroup.Id GROUP = new RuleGroup.Id("", "f", "g");

  private final Queue<Consumer<HttpServerResponse>> answers = new ConcurrentLinkedQueue<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final Map<String, URI> gateways = new TreeMap<>();
  private OutgoingHttp outgoing;
  private Context context;
  private ResultWriter writer;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    context = vertx.getOrCreateContext();
    outgoing =
        new OutgoingHttp(
            vertx,
            TrustSettings.NONE,
            new RequestSigner(ClusterKey.of(List::of), () -> 0),
            new OutgoingHttp.Limits(1_000, 10, 1, 10));
    HttpServer gateway =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  requests.incrementAndGet();
                  request.body().onSuccess(body -> answers.remove().accept(request.response()));
                })
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS);
    gateways.put("g1", URI.create("http://127.0.0.1:" + gateway.actualPort()));
    writer =
        new ResultWriter(
            context,
            outgoing,
            () -> new ClusterView(OwnershipTable.ofOwners(1, Map.of()), gateways, false));
  }

  @AfterEach
  void stop() {
    outgoing.close();
  }

  private Future<Void> begin(List<Written> samples) {
    Promise<Void> stored = Promise.promise();
    context.runOnContext(none -> writer.write(GROUP, samples, () -> stored.complete()));
    return stored.future();
  }

  private void write() throws Exception {
    begin(TWO).await(120, TimeUnit.SECONDS);
  }

  private void onContext(Runnable work) throws Exception {
    Promise<Void> done = Promise.promise();
    context.runOnContext(
        none -> {
          try {
            work.run();
            done.complete();
          } catch (Throwable e) {
            done.fail(e);
          }
        });
    done.future().await(120, TimeUnit.SECONDS);
  }

  private String metrics() {
    Meters meters = new Meters("query");
    writer.declare(meters);
    return new String(meters.exposition(), StandardCharsets.UTF_8);
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

  /** Of 401: while a secret is rotated, a gateway may know another one. */
  @ParameterizedTest
  @ValueSource(ints = {401, 429, 500, 503})
  void resultsThatAGatewayCannotTakeNowAreSentAgain(int status) throws Exception {
    answers.add(answer -> answer.setStatusCode(status).end());
    answers.add(answer -> answer.setStatusCode(204).end());

    write();

    assertThat(requests).hasValue(2);
    assertThat(metrics())
        .contains("query_rule_samples_written_total 2.0")
        .contains("query_rule_samples_refused_total 0.0")
        .contains("query_rule_write_retries_total 1.0");
  }

  @Test
  void resultsThatOneGatewayDoesNotTakeAreSentToAnother() throws Exception {
    gateways.put("g0", URI.create("http://127.0.0.1:1"));
    gateways.put("g2", URI.create("http://127.0.0.1:1"));
    for (int i = 0; i < 3; i++) {
      answers.add(answer -> answer.setStatusCode(204).end());
      write();
    }
    assertThat(requests).hasValue(3);
    assertThat(metrics()).contains("query_rule_samples_written_total 6.0");
  }

  @Test
  void manyResultsOfOneSlotAreAllStoredInSeveralRequests() throws Exception {
    List<Written> many = new ArrayList<>();
    for (int i = 0; i < 40_001; i++) {
      many.add(new Written(Labels.of("__name__", "a", "i", Integer.toString(i)), 1_000, 1));
    }
    for (int i = 0; i < 3; i++) {
      answers.add(answer -> answer.setStatusCode(204).end());
    }
    Future<Void> stored = begin(many);
    stored.await(120, TimeUnit.SECONDS);
    assertThat(requests).hasValue(3);
    assertThat(metrics()).contains("query_rule_samples_written_total 40001.0");
  }

  @Test
  void whatIsStoredWaitsNoMoreAndTheOldestThatWaitsIsGivenUpWhenTooMuchDoes() throws Exception {
    Promise<HttpServerResponse> held = Promise.promise();
    answers.add(held::complete);
    begin(large(1));
    HttpServerResponse answer = held.future().await(120, TimeUnit.SECONDS);
    begin(large(2));
    Future<Void> last = begin(large(3));
    onContext(() -> {});
    assertThat(metrics()).contains("query_rule_samples_dropped_total 2.0");
    assertThat(waitingBytes()).isBetween(60e6, 67e6);

    answers.add(later -> later.setStatusCode(204).end());
    answer.setStatusCode(204).end();
    last.await(120, TimeUnit.SECONDS);
    assertThat(requests).hasValue(2);
    assertThat(metrics()).contains("query_rule_samples_written_total 4.0");
    assertThat(waitingBytes()).isZero();
  }

  /** Two results of 30 MB together that cannot be compressed. */
  private static List<Written> large(long seed) {
    byte[] bytes = new byte[30 << 20];
    new SplittableRandom(seed).nextBytes(bytes);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] &= 0x7F;
    }
    String value = new String(bytes, StandardCharsets.US_ASCII);
    return List.of(
        new Written(Labels.of("__name__", "a", "long", value), 1_000, seed),
        new Written(Labels.of("__name__", "b"), 1_000, seed));
  }

  private double waitingBytes() {
    return metrics()
        .lines()
        .filter(line -> line.startsWith("query_rule_waiting_bytes "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void whatIsAbandonedIsNeitherSentAgainNorCalledStored() throws Exception {
    Promise<HttpServerResponse> held = Promise.promise();
    answers.add(held::complete);
    Future<Void> refused = begin(TWO);
    HttpServerResponse answer = held.future().await(120, TimeUnit.SECONDS);
    Future<Void> waiting = begin(TWO);
    onContext(writer::abandon);
    onContext(() -> assertThat(writer.isIdle()).isTrue());
    assertThat(waitingBytes()).isZero();

    // The results of the next term are sent again after those of the last one would have been.
    answers.add(first -> first.setStatusCode(503).end());
    answers.add(second -> second.setStatusCode(204).end());
    answers.add(third -> third.setStatusCode(204).end());
    answer.setStatusCode(503).end();
    write();
    assertThat(requests).hasValue(3);
    assertThat(refused.isComplete()).isFalse();
    assertThat(waiting.isComplete()).isFalse();

    Promise<HttpServerResponse> again = Promise.promise();
    answers.clear();
    answers.add(again::complete);
    Future<Void> taken = begin(TWO);
    HttpServerResponse late = again.future().await(120, TimeUnit.SECONDS);
    onContext(writer::abandon);
    answers.add(next -> next.setStatusCode(204).end());
    late.setStatusCode(204).end();
    write();
    onContext(() -> assertThat(writer.isIdle()).isTrue());
    assertThat(taken.isComplete()).isFalse();
    assertThat(waitingBytes()).isZero();
  }
}
