package io.fleetgauge.query.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.answer.Completeness;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

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
  void aNumberOfHostsThatIsNotKnownIsNotGiven() {
    assertThat(header(Completeness.UNKNOWN, List.of()))
        .isEqualTo("hosts=unknown; answered=unknown; missing=; watermark-age=5ms; epoch=7");
  }
}
