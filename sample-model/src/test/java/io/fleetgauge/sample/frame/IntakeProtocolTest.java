package io.fleetgauge.sample.frame;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IntakeProtocolTest {
  @ParameterizedTest
  @CsvSource({
    "n1, /v1/hosts/n1/frames",
    "gpu-1.rack_2, /v1/hosts/gpu-1.rack_2/frames",
    "a b, /v1/hosts/a%20b/frames",
    "a+b, /v1/hosts/a%2Bb/frames",
    "a/b?c#d, /v1/hosts/a%2Fb%3Fc%23d/frames",
    "100%, /v1/hosts/100%25/frames",
    "é, /v1/hosts/%C3%A9/frames",
    "😀, /v1/hosts/%F0%9F%98%80/frames",
    "'', /v1/hosts/~/frames",
    "., /v1/hosts/~./frames",
    ".., /v1/hosts/~../frames",
    "..., /v1/hosts/.../frames",
    "~., /v1/hosts/~%7E./frames",
    "%2e, /v1/hosts/%252e/frames"
  })
  void theHostIsPercentEncodedInThePath(String host, String path) {
    assertThat(IntakeProtocol.path(host)).isEqualTo(path);
    assertThat(URI.create(path).normalize().getRawPath()).isEqualTo(path);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ".", "..", "~", "~.", "~~", "~~..", "a~", "...", "%2e", "/", "//", "n1"})
  void aHostThatIsNoSegmentOfAPathReadsBackFromIt(String host) {
    String[] parts = URI.create(IntakeProtocol.path(host)).normalize().getRawPath().split("/");
    assertThat(parts).hasSize(5).endsWith("frames");
    assertThat(parts[3]).isNotIn("", ".", "..");
    assertThat(host(parts[3])).isEqualTo(host);
  }

  private static String host(String segment) {
    return IntakeProtocol.host(URLDecoder.decode(segment, StandardCharsets.UTF_8));
  }

  @Test
  void thePathIsOneOfTheRoute() {
    assertThat(IntakeProtocol.ROUTE.replace(":host", "n1")).isEqualTo(IntakeProtocol.path("n1"));
    assertThat(IntakeProtocol.hostPath("n 1", "runs/1f")).isEqualTo("/v1/hosts/n%201/runs/1f");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void anyHostReadsBackFromItsPath(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 2_000; round++) {
      StringBuilder host = new StringBuilder();
      for (int i = random.nextInt(1, 10); i > 0; i--) {
        int point = random.nextInt(0x11_0000);
        host.appendCodePoint(Character.getType(point) == Character.SURROGATE ? '/' : point);
      }
      String[] parts = URI.create(IntakeProtocol.path(host.toString())).getRawPath().split("/");
      assertThat(parts).hasSize(5).endsWith("frames");
      assertThat(host(parts[3])).hasToString(host.toString());
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 1", "999, 1", "1000, 2", "1001, 2", "59999, 60", "60000, 61"})
  void retryAfterIsNeverShorterThanThePause(long millis, long seconds) {
    assertThat(IntakeProtocol.retryAfterSeconds(millis)).isEqualTo(seconds);
    assertThat(1_000 * seconds).isGreaterThanOrEqualTo(millis);
  }
}
