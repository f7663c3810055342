package io.fleetgauge.query.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponsesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "gzip",
        "GZIP",
        "x-gzip",
        "deflate, gzip",
        "gzip,deflate",
        "br;q=1.0, gzip;q=0.5, *;q=0.1",
        "gzip; q=0.001",
        "identity;q=0, gzip ; q = 1"
      })
  void gzipIsAcceptedWhenItIsListed(String accepted) {
    assertThat(Responses.acceptsGzip(accepted)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "identity",
        "deflate",
        "gzip;q=0",
        "gzip; q = 0.000 , br",
        "gzipped",
        "notgzip",
        "br;x=gzip"
      })
  void gzipIsNotAcceptedUnlessItIsListedWithAWeight(String accepted) {
    assertThat(Responses.acceptsGzip(accepted)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {",", "gzip", "gzip;", "gzip;q=0"})
  void aHeaderOfManySpacesIsReadInOnePass(String begin) {
    String accepted = begin + " ".repeat(1_000_000) + "x";
    assertTimeoutPreemptively(
        Duration.ofMinutes(2),
        () -> assertThat(Responses.acceptsGzip(accepted)).isEqualTo(begin.startsWith("gzip;")));
  }

  @Test
  void gzipIsNotSentWithoutTheHeader() {
    assertThat(Responses.acceptsGzip(null)).isFalse();
  }
}
