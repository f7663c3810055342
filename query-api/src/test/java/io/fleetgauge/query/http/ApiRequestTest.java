package io.fleetgauge.query.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Request;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class ApiRequestTest {
  private static String header(int expected, List<String> missing) {
    Completeness completeness = new Completeness(expected, missing, false, 7, 0, List.of());
    return ApiRequest.text(completeness, "; watermark-age=5ms");
  }

  @Test
  void theHeaderSaysWhichHostsAnAnswerCoversAndHowFreshTheyAre() {
    assertThat(header(12, List.of()))
        .isEqualTo("hosts=12; answered=12; missing=; watermark-age=5ms; epoch=7");
    assertThat(header(12, List.of("n1", "n2")))
        .isEqualTo("hosts=12; answered=10; missing=n1,n2; watermark-age=5ms; epoch=7");
  }

  @Test
  void atMostTenHostsAreNamed() {
    List<String> ten = IntStream.range(0, 10).mapToObj(i -> "n" + i).toList();
    List<String> eleven = IntStream.range(0, 11).mapToObj(i -> "n" + i).toList();
    assertThat(header(20, ten)).contains("missing=" + String.join(",", ten) + ";");
    assertThat(header(20, eleven))
        .contains("answered=9; missing=" + String.join(",", ten) + ",...;");
  }

  @Test
  void hostsThatTheCallerMaySeeOrNotAreNotNamed() {
    Completeness unseen = new Completeness(3, List.of(), true, 7, 0, List.of("incomplete"));
    assertThat(ApiRequest.text(unseen, "")).isEqualTo("hosts=3; answered=3; missing=...; epoch=7");
    Completeness both = new Completeness(3, List.of("n1"), true, 7, 0, List.of("incomplete"));
    assertThat(ApiRequest.text(both, "")).isEqualTo("hosts=3; answered=2; missing=n1,...; epoch=7");
  }

  @Test
  void anEpochThatTheCallerIsNotToldIsNotGiven() {
    Completeness scoped =
        new Completeness(1, List.of(), false, Completeness.UNKNOWN, Long.MIN_VALUE, List.of());
    assertThat(ApiRequest.text(scoped, ""))
        .isEqualTo("hosts=1; answered=1; missing=; epoch=unknown");
  }

  @Test
  void otherStoresThatLackSomethingAreNamed() {
    Completeness whole = new Completeness(3, List.of(), false, 7, 0, List.of());
    Completeness lacking =
        new Completeness(
            3, List.of(), false, 7, 0, List.of("w"), List.of(), List.of("mimir", "thanos"));
    assertThat(ApiRequest.text(lacking, ""))
        .isEqualTo("hosts=3; answered=3; missing=; epoch=7; missing-sources=mimir,thanos");
    assertThat(whole.and(lacking).sources()).containsExactly("mimir", "thanos");
    assertThat(lacking.and(whole).sources()).containsExactly("mimir", "thanos");
  }

  @Test
  void aNumberOfHostsThatIsNotKnownIsNotGiven() {
    assertThat(header(Completeness.UNKNOWN, List.of()))
        .isEqualTo("hosts=unknown; answered=unknown; missing=; watermark-age=5ms; epoch=7");
  }

  @Test
  void answersTogetherMissWhatAnyOfThemMisses() {
    Completeness whole = new Completeness(3, List.of(), false, 7, 50, List.of());
    Completeness one = new Completeness(3, List.of("n2"), false, 8, 40, List.of("n2 is missing"));
    Completeness other = new Completeness(2, List.of("n1"), true, 8, 60, List.of("n1 is missing"));
    assertThat(whole.and(whole)).isEqualTo(whole);
    assertThat(whole.and(one))
        .isEqualTo(one.and(whole))
        .isEqualTo(new Completeness(3, List.of("n2"), false, 7, 40, List.of("n2 is missing")));
    assertThat(one.and(other))
        .isEqualTo(
            new Completeness(
                3, List.of("n1", "n2"), true, 8, 40, List.of("n2 is missing", "n1 is missing")));
    Completeness unknown =
        new Completeness(
            Completeness.UNKNOWN,
            List.of(),
            true,
            Completeness.UNKNOWN,
            Long.MIN_VALUE,
            List.of("some are missing"));
    assertThat(whole.and(unknown)).isEqualTo(unknown);
  }

  @Test
  void theHeaderOfARequestIsThatOfAllItsAnswers(Vertx vertx, @TempDir Path folder)
      throws Exception {
    try (ApiServer api = new ApiServer(vertx, folder);
        TestServer server =
            new TestServer(
                vertx,
                folder,
                routes -> routes.get("/two", request -> two(request, api.querier)))) {
      api.fleet.damage("n2");
      for (String order : new String[] {"", "?last=1"}) {
        assertThat(
                server
                    .get("root", "/two" + order)
                    .headers()
                    .firstValue("X-Fleetgauge-Completeness")
                    .orElseThrow())
            .as(order)
            .startsWith("hosts=3; answered=2; missing=n2; watermark-age=");
      }
    }
  }

  /** Asks for something that misses a host, and for something that misses none, in either order. */
  private static Future<Body> two(ApiRequest request, Querier querier) throws QueryFailure {
    boolean isLast = !request.parameters().text("last").isEmpty();
    String first = isLast ? "1 + 1" : ApiServer.TEMPERATURE;
    String second = isLast ? ApiServer.TEMPERATURE : "1 + 1";
    return ask(request, querier, first)
        .compose(none -> ask(request, querier, second))
        .map(none -> Body.small(() -> Json.text("")));
  }

  private static Future<Void> ask(ApiRequest request, Querier querier, String text) {
    try {
      return request
          .ask(querier, Request.Promql.of(text, ApiServer.NOW, ApiServer.NOW, 0, 300_000), 10_000)
          .mapEmpty();
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
  }
}
