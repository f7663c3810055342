package io.fleetgauge.query.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.ExtentsQuestion;
import io.fleetgauge.promql.fragment.HostsQuestion;
import io.fleetgauge.promql.fragment.LabelNamesQuestion;
import io.fleetgauge.promql.fragment.LabelSetsQuestion;
import io.fleetgauge.promql.fragment.LabelValuesQuestion;
import io.fleetgauge.promql.fragment.MetadataQuestion;
import io.fleetgauge.promql.fragment.OwnersQuestion;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.ReductionsQuestion;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.fragment.SamplesQuestion;
import io.fleetgauge.promql.fragment.UsageExtentQuestion;
import io.fleetgauge.promql.fragment.UsageQuestion;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.plan.PartText;
import io.fleetgauge.promql.query.AddedLabel;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class ClusterRoutesTest {
  private static final String METRIC = ApiServer.TEMPERATURE;
  private static final long NOW = ApiServer.NOW;
  private static final List<Matcher> TEMPERATURE = List.of(Matcher.equal(Labels.NAME, METRIC));
  private static final SeriesSearch ALL = new SeriesSearch(NOW - 600_000, NOW, 0, List.of());
  private static final SamplesQuestion SAMPLES =
      new SamplesQuestion(1_000, List.of(new Selection(TEMPERATURE, NOW - 60_000, NOW)));

  @TempDir private Path folder;
  private ApiServer server;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    server = new ApiServer(vertx, folder);
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  private HttpResponse<byte[]> send(String token, byte[] body) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(server.http.address(ClusterRoutes.PATH))
              .header("Authorization", "Bearer " + token)
              .POST(HttpRequest.BodyPublishers.ofByteArray(body))
              .build(),
          HttpResponse.BodyHandlers.ofByteArray());
    }
  }

  private static byte[] body(Question<?> question) {
    return new ClusterQuestion(60_000, ClusterQuestion.START, List.of(), question).encode();
  }

  private <A extends Result> ClusterAnswer<A> answer(String token, Question<A> question)
      throws Exception {
    HttpResponse<byte[]> response = send(token, body(question));
    assertThat(response.statusCode())
        .as(new String(response.body(), StandardCharsets.UTF_8))
        .isEqualTo(200);
    return ClusterAnswer.decode(response.body(), question);
  }

  private static PartsQuestion part(String text) throws Exception {
    return new PartsQuestion(
        NOW,
        NOW,
        0,
        Query.Settings.STOCK,
        60_000,
        List.of(
            new PartsQuestion.Part(
                PartText.of(Parser.parse(text, new ParseOptions(Feature.STOCK, 0, 0))),
                new Grid(NOW, 1, NOW),
                false,
                false)),
        Optional.empty());
  }

  @Test
  void theAnswersAreThoseOfTheGatewaysWithTheHostsThatAreMissing() throws Exception {
    ClusterAnswer<SamplesQuestion.Answer> found = answer("root", SAMPLES);
    List<Series> series =
        found.answers().stream().flatMap(each -> each.series().getFirst().stream()).toList();
    assertThat(series).hasSize(6);
    assertThat(found.coverage().hosts()).isEqualTo(3);
    assertThat(found.coverage().missing()).isEmpty();
    server.fleet.damage("n2");
    assertThat(answer("root", SAMPLES).coverage().missing()).containsExactly("n2");
    ClusterQuestion without =
        new ClusterQuestion(60_000, ClusterQuestion.NOT_ASKED, List.of("n2"), SAMPLES);
    ClusterAnswer<SamplesQuestion.Answer> fewer =
        ClusterAnswer.decode(send("root", without.encode()).body(), SAMPLES);
    assertThat(fewer.coverage().hosts()).isEqualTo(2);
    assertThat(fewer.coverage().missing()).isEmpty();
  }

  /**
   * Hosts n1 and n2 have series of tenant a; host n3 and all names with {@code secret} have not.
   */
  @Test
  void aTokenWithAScopeGetsNothingOfOthersByAnyQuestion() throws Exception {
    Labels secret =
        ApiServer.gpu("secret_metric", 3, 0)
            .with("secret_label", "secret_value")
            .with("job", "secret_job");
    server.fleet.add(secret, NOW, 1);
    server.fleet.metadata("secret", "secret_metric", new MetricMetadata("gauge", "secret", ""));
    UsageQuestion usage =
        new UsageQuestion(
            List.of(), List.of(), UsagePeriod.every(NOW - 60_000, NOW, 60_000), UsageTerms.DEFAULT);
    List<Matcher> any = List.of(Matcher.of(Matcher.Kind.NOT_EQUAL, Labels.NAME, ""));
    List<Question<?>> all =
        List.of(
            SAMPLES,
            new SamplesQuestion(1_000, List.of(new Selection(any, NOW - 60_000, NOW))),
            new ExtentsQuestion(List.of(new Selection(any, NOW - 60_000, NOW))),
            new LabelNamesQuestion(ALL),
            new LabelValuesQuestion("job", ALL),
            new LabelSetsQuestion(ALL),
            new OwnersQuestion(ALL),
            new HostsQuestion(List.of()),
            new MetadataQuestion(List.of()),
            new ReductionsQuestion(List.of(List.of()), List.of(), NOW - 60_000, NOW),
            usage,
            new UsageExtentQuestion(usage),
            part("{__name__!=\"\"}"),
            part("{__name__!=\"\"}").with(new AddedLabel("cluster", "b")),
            new ChangesQuestion(ChangesQuestion.Since.START));
    server.fleet.damage("n3");
    for (Question<?> question : all) {
      HttpResponse<byte[]> response = send("a", body(question));
      String text = new String(response.body(), StandardCharsets.ISO_8859_1);
      assertThat(response.statusCode()).as(question + ": " + text).isEqualTo(200);
      assertThat(text).as(question.toString()).doesNotContain("secret").doesNotContain("n3");
    }
    ClusterAnswer<ChangesQuestion.Answer> changes =
        answer("a", new ChangesQuestion(ChangesQuestion.Since.START));
    assertThat(changes.changes().orElseThrow().watermark()).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void theLimitsOfTheTokenApply() throws Exception {
    for (int i = 0; i < 300; i++) {
      server.fleet.add(ApiServer.gpu(METRIC, 1, 0).with("tenant", "small"), NOW - i * 1_000L, 1);
    }
    HttpResponse<byte[]> response = send("small", body(part("max_over_time(" + METRIC + "[11m])")));
    assertThat(response.statusCode()).isEqualTo(422);
    assertThat(new String(response.body(), StandardCharsets.UTF_8))
        .startsWith("the query of tenant small is over its limit samples");
  }

  @Test
  void aTokenThatMayNotReadAndAnotherVersionAreRefused() throws Exception {
    assertThat(send("writer", body(SAMPLES)).statusCode()).isEqualTo(403);
    assertThat(send("nobody", body(SAMPLES)).statusCode()).isEqualTo(401);
    byte[] later = body(SAMPLES);
    later[2] = 9;
    HttpResponse<byte[]> response = send("root", later);
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(new String(response.body(), StandardCharsets.UTF_8))
        .isEqualTo("a read of another cluster of format version 9, this program reads 1\n");
    assertThat(send("root", new byte[0]).statusCode()).isEqualTo(400);
  }
}
