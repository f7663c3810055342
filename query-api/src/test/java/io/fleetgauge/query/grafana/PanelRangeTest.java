package io.fleetgauge.query.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PanelRangeTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"range\": {\"from\": 1000, \"to\": 100007}, \"intervalMs\": 5000} | 0 | 100000 | 5000",
        "{\"range\": {\"from\": 9999, \"to\": 99999}, \"intervalMs\": 1} | 9000 | 99000 | 1000",
        "{\"range\": {\"from\": 0, \"to\": 100000}, \"maxDataPoints\": 3} | 0 | 66668 | 33334",
        "{\"range\": {\"from\": 0, \"to\": 15000}, \"maxDataPoints\": 0} | 0 | 15000 | 15000",
        "{\"range\": {\"to\": 7200007}} | 3600000 | 7200000 | 15000",
        "{} | 6390000 | 9990000 | 15000"
      })
  void startAndEndAreMultiplesOfTheStep(String body, long start, long end, long step)
      throws Exception {
    assertThat(PanelRange.of(new JsonObject(body), 10_000_000))
        .isEqualTo(new PanelRange(start, end, step));
  }
}
