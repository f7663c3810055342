package io.fleetgauge.query.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.fleetgauge.promql.query.QueryFailure;
import io.vertx.core.MultiMap;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParametersTest {
  /** 285,000 years, in ms: times are clipped there. */
  private static final long LAST = 9_000_000_000_000_000L;

  private static Parameters of(String... namesAndValues) {
    return new Parameters(MultiMap.caseInsensitiveMultiMap(), map(namesAndValues));
  }

  private static MultiMap map(String... namesAndValues) {
    MultiMap map = MultiMap.caseInsensitiveMultiMap();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.add(namesAndValues[i], namesAndValues[i + 1]);
    }
    return map;
  }

  @Test
  void theFormComesBeforeTheUrl() {
    Parameters both =
        new Parameters(map("query", "form", "match[]", "a"), map("query", "url", "match[]", "b"));
    assertThat(both.text("query")).isEqualTo("form");
    assertThat(both.texts("match[]")).containsExactly("a", "b");
    assertThat(both.text("absent")).isEmpty();
    assertThat(new Parameters(map(), map("query", "url")).text("query")).isEqualTo("url");
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1000",
    "1.5, 1500",
    "-1, -1000",
    "+1e3, 1000000",
    ".5, 500",
    "1., 1000",
    "1.0004, 1000",
    "1.0005, 1001",
    "2026-11-22T10:00:00Z, 1795341600000",
    "2026-11-22T10:00:00.123456789Z, 1795341600123",
    "2026-11-22T12:00:00+02:00, 1795341600000"
  })
  void aTimeIsSecondsOrRfc3339RoundedToTheMillisecond(String text, long millis) throws Exception {
    assertThat(of("time", text).time("time", -7)).isEqualTo(millis);
    assertThat(of("time", text).requiredTime("time")).isEqualTo(millis);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "292277025-08-18T07:12:54.999999999Z",
        "9223372036854775",
        "9e15",
        "9223309901257974.999"
      })
  void theLastTimeOfAClientIsClipped(String text) throws Exception {
    assertThat(of("end", text).time("end", 0)).isEqualTo(LAST);
    assertThat(of("end", text).requiredTime("end")).isEqualTo(LAST);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-292273086-05-16T16:47:06Z", "-9223372036854775", "-9e15", "-9223309901257974"})
  void theFirstTimeOfAClientIsClipped(String text) throws Exception {
    assertThat(of("start", text).time("start", 0)).isEqualTo(-LAST);
    assertThat(of("start", text).requiredTime("start")).isEqualTo(-LAST);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "yesterday",
        "NaN",
        "Inf",
        "1e30",
        "0x10",
        "1d",
        "2026-11-22",
        "2026-11-22T10:00:00",
        "292277025-08-18T07:12:55Z",
        "-292273086-05-16T16:47:05Z",
        "-999999999-01-01T00:00:00Z",
        "+999999999-01-01T00:00:00Z"
      })
  void theErrorNamesAnInvalidTime(String text) {
    assertThatThrownBy(() -> of("start", text).time("start", 0))
        .isInstanceOf(QueryFailure.class)
        .hasMessage(
            "invalid parameter \"start\": cannot parse \"" + text + "\" to a valid timestamp");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "1.", "1e1", " ", "1h"})
  void aTimeOrDurationOfManyCharactersIsRefusedAtOnce(String begin) {
    String text = begin + "1".repeat(1_000_000) + "x";
    String message =
        "invalid parameter \"p\": it has " + text.length() + " characters; 400 are allowed";
    assertTimeoutPreemptively(
        Duration.ofMinutes(2),
        () -> {
          Parameters parameters = of("p", text);
          assertThatThrownBy(() -> parameters.time("p", 0)).hasMessage(message);
          assertThatThrownBy(() -> parameters.duration("p", 0)).hasMessage(message);
        });
  }

  @Test
  void aNumberMayHaveAsManyDigitsAsTheLargestOne() throws Exception {
    assertThat(of("p", "0".repeat(390) + "7.5").time("p", 0)).isEqualTo(7_500);
    assertThat(of("p", "0".repeat(390) + "7.5").duration("p", 0)).isEqualTo(7_500);
  }

  @Test
  void anAbsentTimeIsTheFallbackOrAnError() throws Exception {
    assertThat(of().time("time", 42)).isEqualTo(42);
    assertThatThrownBy(() -> of().requiredTime("start"))
        .hasMessage("invalid parameter \"start\": cannot parse \"\" to a valid timestamp");
  }

  @ParameterizedTest
  @CsvSource({"15, 15000", "0.5, 500", "1m, 60000", "1h30m, 5400000", "5ms, 5", "1.9999, 1999"})
  void aDurationIsSecondsOrPromQlsForm(String text, long millis) throws Exception {
    assertThat(of("step", text).duration("step", 0)).isEqualTo(millis);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1x", "m", "NaN", "1e300", "1 m"})
  void theErrorNamesAnInvalidDuration(String text) {
    assertThatThrownBy(() -> of("step", text).duration("step", 0))
        .hasMessage(
            "invalid parameter \"step\": cannot parse \"" + text + "\" to a valid duration");
  }

  @Test
  void aLimitIsAWholeNumberThatIsNotNegative() throws Exception {
    assertThat(of().limit()).isZero();
    assertThat(of("limit", "0").limit()).isZero();
    assertThat(of("limit", "17").limit()).isEqualTo(17);
    assertThat(of("limit_per_metric", "1").limit("limit_per_metric")).isEqualTo(1);
    assertThatThrownBy(() -> of("limit", "-1").limit())
        .hasMessage("invalid parameter \"limit\": limit must be non-negative");
    for (String wrong : new String[] {"1.5", "many", "99999999999"}) {
      assertThatThrownBy(() -> of("limit", wrong).limit())
          .hasMessage(
              "invalid parameter \"limit\": cannot parse \"" + wrong + "\" to a valid limit");
    }
  }

  @Test
  void thereMayBeAThousandSelectors() throws Exception {
    MultiMap many = MultiMap.caseInsensitiveMultiMap();
    for (int i = 0; i < 1_000; i++) {
      many.add("match[]", "up");
    }
    assertThat(new Parameters(map(), many).selectors()).hasSize(1_000);
    many.add("match[]", "up");
    assertThatThrownBy(() -> new Parameters(map(), many).selectors())
        .hasMessageContaining("more than the 1000 that are allowed");
  }
}
