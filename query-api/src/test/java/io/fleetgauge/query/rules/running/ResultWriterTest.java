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
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two results that are stored through one gateway, which answers as it is told. */
@ExtendWith(VertxExtension.class)
class ResultWriterTest {
  private static final List<Written> TWO =
      List.of(
          new Written(Labels.of("__name__", "a"), 1_000, 1),
          new Written(Labels.of("__name__", "b"), 1_000, 2));

  private final Queue<Consumer<HttpServerResponse>> answers = new ArrayDeque<>();
  private final AtomicInteger requests = new AtomicInteger();
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
    ClusterView view =
        new ClusterView(
            OwnershipTable.ofOwners(1, Map.of()),
            Map.of("g1", URI.create("http://127.0.0.1:" + gateway.actualPort())),
            false);
    writer = new ResultWriter(context, outgoing, () -> view);
  }

  @AfterEach
  void stop() {
    outgoing.close();
  }

  private void write() throws Exception {
    Promise<Void> stored = Promise.promise();
    context.runOnContext(
        none -> writer.write(new RuleGroup.Id("", "f", "g"), TWO, () -> stored.complete()));
    stored.future().await(120, TimeUnit.SECONDS);
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
}
