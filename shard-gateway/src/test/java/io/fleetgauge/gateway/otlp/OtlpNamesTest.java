package io.fleetgauge.gateway.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names as otlptranslator of Prometheus 3.5 makes them. */
class OtlpNamesTest {
  private static String metric(
      TranslationStrategy strategy, String name, String unit, String type) {
    return new OtlpNames(strategy)
        .metric(name, unit == null ? "" : unit, type.equals("counter"), type.equals("gauge"));
  }

  @ParameterizedTest
  @CsvSource({
    "gpu.memory.usage, By, gauge, gpu_memory_usage_bytes",
    "network_sent_bytes_total, By, counter, network_sent_bytes_total",
    "'\t gpu.memory.usage   ', '  By\t', gauge, gpu_memory_usage_bytes",
    "packets.dropped, {packets}, gauge, packets_dropped",
    "packets.dropped, {packets}, counter, packets_dropped_total",
    "dropped, other:_1, gauge, dropped_other:_1",
    "dropped, packets, gauge, dropped_packets",
    "packets.dropped, packets, gauge, packets_dropped",
    "packets.dropped, packets, counter, packets_dropped_total",
    "gpu.utilization, 1, gauge, gpu_utilization_ratio",
    "fan.speed_ratio, 1, gauge, fan_speed_ratio",
    "ratio.of.fans, 1, gauge, of_fans_ratio",
    "objects, 1, counter, objects_total",
    "total.objects, 1, counter, objects_total",
    "clock, Hz, gauge, clock_hertz",
    "speed, km/h, gauge, speed_km_per_hour",
    "speed, m/s, gauge, speed_meters_per_second",
    "dropped, a/b:_1, gauge, dropped_a_per_b:_1",
    "speed, km/°, gauge, speed_km",
    "success_ratio, %, gauge, success_ratio_percent",
    "success.percent, %, gauge, success_percent",
    "object.rate, {objects}/s, gauge, object_rate_per_second",
    "scanned, {scanned}/{returned}, gauge, scanned",
    "load.15m, 1, gauge, load_15m_ratio",
    "rate, GiBy/d, gauge, rate_gibibytes_per_day",
    "3.14 digits, , gauge, _3_14_digits",
    "a__b, , gauge, a_b",
    ":a::b, , counter, :a::b_total",
    "in_字符_names, , counter, in_names_total",
    "temperature, %*()°:C, gauge, temperature_:C",
    "#a, , gauge, a",
    "io, foo/bar, counter, io_foo_per_bar_total",
    "requests, 1, histogram, requests",
    "duration, s, histogram, duration_seconds",
    "sum, 'a, b', sum, sum_a_b",
    "sum, $1000, sum, sum_1000",
    "io.per_second, By/s, gauge, io_per_second_bytes_per_second",
  })
  void withUnderscoresAndSuffixes(String name, String unit, String type, String expected) {
    assertThat(metric(TranslationStrategy.UnderscoreEscapingWithSuffixes, name, unit, type))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "system.io, By, counter, system.io_bytes_total",
    "3.14 digits, , gauge, 3.14 digits",
    "a__b, , gauge, a__b",
    "utilization, 1, gauge, utilization_ratio",
    "system.io, foo/bar, counter, system.io_foo_per_bar_total",
    "in_字符, , counter, in_字符_total",
    "temperature, %*()°C, gauge, temperature_%*()°C",
    "io_seconds, s, gauge, io_seconds_seconds",
    "io_total, , counter, io_total_total",
  })
  void withAllCharactersAndSuffixes(String name, String unit, String type, String expected) {
    assertThat(metric(TranslationStrategy.NoUTF8EscapingWithSuffixes, name, unit, type))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"system.io, By, counter", "a b, 1, gauge", "字符, s, histogram"})
  void withoutTranslation(String name, String unit, String type) {
    assertThat(metric(TranslationStrategy.NoTranslation, name, unit, type)).isEqualTo(name);
  }

  @ParameterizedTest
  @CsvSource({
    "'', ''",
    "with:colons, with_colons",
    "Capitals, Capitals",
    "a!b&c), a_b_c_",
    "a_字符, a___",
    "a.b, a_b",
    "1a, key_1a",
    "_a, key_a",
    ".a, key_a",
    "__a, __a",
    "_, key_",
  })
  void labelsWithUnderscores(String attribute, String expected) {
    assertThat(new OtlpNames(TranslationStrategy.UnderscoreEscapingWithSuffixes).label(attribute))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"a.b", "1a", "_a", "字符"})
  void labelsWithAllCharacters(String attribute) {
    assertThat(new OtlpNames(TranslationStrategy.NoUTF8EscapingWithSuffixes).label(attribute))
        .isEqualTo(attribute);
  }
}
