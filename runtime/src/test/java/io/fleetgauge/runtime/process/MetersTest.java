package io.fleetgauge.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MetersTest {
  private final Meters meters = new Meters("fleetgauge_part");

  private List<String> lines() {
    return new String(meters.exposition(), StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void withoutAMeterNothingIsExposed() {
    assertThat(lines()).isEmpty();
  }

  @Test
  void aCounterHasThePrefixItsHelpItsTypeAndTheSuffixTotal() {
    meters.counter("samples", "Samples read.", () -> 3);
    assertThat(lines())
        .containsExactly(
            "# HELP fleetgauge_part_samples_total Samples read.",
            "# TYPE fleetgauge_part_samples_total counter",
            "fleetgauge_part_samples_total 3.0");
  }

  @Test
  void aMeterIsReadWhenItIsScraped() {
    AtomicLong queue = new AtomicLong();
    meters.gauge("queue", "Requests in the queue.", queue::get);
    assertThat(lines()).contains("fleetgauge_part_queue 0.0");
    queue.set(7);
    assertThat(lines()).contains("# TYPE fleetgauge_part_queue gauge", "fleetgauge_part_queue 7.0");
  }

  @Test
  void aCounterWithLabelsHasOneSeriesForEachCombination() {
    meters.counters(
        "requests",
        "Requests.",
        List.of("code", "route"),
        () -> Map.of(List.of("200", "a"), 1L, List.of("503", "b"), 2L));
    assertThat(lines())
        .contains(
            "fleetgauge_part_requests_total{code=\"200\",route=\"a\"} 1.0",
            "fleetgauge_part_requests_total{code=\"503\",route=\"b\"} 2.0");
  }

  @Test
  void aCounterOrAGaugeWithOneLabelHasOneSeriesForEachValue() {
    meters.counters("dropped", "Dropped.", "reason", () -> Map.of("late", 1L, "full", 2L));
    meters.gauges("used", "Used.", "folder", () -> Map.of("a\"b", 0.5));
    assertThat(lines())
        .contains(
            "fleetgauge_part_dropped_total{reason=\"late\"} 1.0",
            "fleetgauge_part_dropped_total{reason=\"full\"} 2.0",
            "fleetgauge_part_used{folder=\"a\\\"b\"} 0.5");
  }

  @Test
  void aNameIsUsedOnce() {
    meters.gauge("queue", "Requests in the queue.", () -> 1);
    assertThatThrownBy(() -> meters.gauge("queue", "Another.", () -> 2))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
