package io.fleetgauge.query.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.answer.Completeness;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ApiRequestTest {
  private static final long NOW = 1_795_300_000_000L;

  private static String header(int expected, int missing, List<String> names, long watermark) {
    return ApiRequest.text(
        new Completeness(expected, missing, names, 7, watermark, List.of()), NOW);
  }

  @Test
  void theHeaderSaysWhichHostsAnAnswerCoversAndHowFreshTheyAre() {
    assertThat(header(12, 0, List.of(), NOW - 1_500))
        .isEqualTo("hosts=12; answered=12; missing=; watermark-age=1500ms; epoch=7");
    assertThat(header(12, 2, List.of("n1", "n2"), Long.MIN_VALUE))
        .isEqualTo("hosts=12; answered=10; missing=n1,n2; watermark-age=unknown; epoch=7");
  }

  @Test
  void aWatermarkOfTheFutureIsNotOlderThanNow() {
    assertThat(header(1, 0, List.of(), NOW + 9)).contains("watermark-age=0ms");
  }

  @Test
  void atMostTenHostsAreNamed() {
    List<String> ten = IntStream.range(0, 10).mapToObj(i -> "n" + i).toList();
    List<String> eleven = IntStream.range(0, 11).mapToObj(i -> "n" + i).toList();
    assertThat(header(20, 10, ten, NOW)).contains("missing=" + String.join(",", ten) + ";");
    assertThat(header(20, 11, eleven, NOW))
        .contains("answered=9; missing=" + String.join(",", ten) + ",...;");
  }

  @Test
  void aCallerThatMustNotSeeTheNamesSeesThatSomeAreMissing() {
    assertThat(header(20, 3, List.of(), NOW)).contains("answered=17; missing=...;");
  }
}
