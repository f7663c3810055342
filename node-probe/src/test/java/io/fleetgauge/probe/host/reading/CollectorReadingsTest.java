package io.fleetgauge.probe.host.reading;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CollectorReadingsTest {
  private final Faults faults = new Faults();
  private final CollectorReadings readings = new CollectorReadings(faults);
  private final Metric metric = new Metric("node_x", "device", "mode");

  private static Labels series(String device, String mode) {
    return Labels.of(Labels.NAME, "node_x", "device", device, "mode", mode);
  }

  @Test
  void aSampleThatIsNoneOrOfASeriesThatCameBeforeIsLeftOut() {
    for (int reading = 1; reading <= 3; reading++) {
      Tick.Builder tick = new Tick.Builder();
      readings.begin(tick);
      readings.add(metric, 1, "a", "r");
      readings.add(metric, Double.NaN, "a", "w");
      readings.add(metric, 2, "b", "r");
      readings.add(metric, 3, "a", "r");
      readings.add(Labels.of(Labels.NAME, "other"), 4);
      Tick read = tick.at(0);
      assertThat(read.series())
          .containsExactly(series("a", "r"), series("b", "r"), Labels.of(Labels.NAME, "other"));
      assertThat(read.values()).containsExactly(1, 2, 4);
      assertThat(faults.count()).isEqualTo(reading);
      assertThat(faults.last()).isEqualTo("a series came twice: node_x[a, r]");
    }
  }

  /** Names of devices that have one hash come from outside. */
  @Test
  void seriesOfOneHashAreKeptApart() {
    List<String> devices = new ArrayList<>(List.of(""));
    for (int i = 0; i < 6; i++) {
      List<String> longer = new ArrayList<>();
      devices.forEach(each -> longer.addAll(List.of(each + "Aa", each + "BB")));
      devices = longer;
    }
    assertThat(devices).hasSize(64).allMatch(each -> each.hashCode() == "AaAaAaAaAaAa".hashCode());
    assertEachIsKnown(devices, 1);
  }

  private void assertEachIsKnown(List<String> devices, int from) {
    for (int reading = from; reading < from + 2; reading++) {
      for (String device : devices) {
        assertThat(metric.series(reading, device, "r")).isEqualTo(series(device, "r"));
        assertThat(metric.series(reading, device, "r")).as("again").isNull();
      }
    }
  }

  @Test
  void theLabelsOfASeriesAreMadeOnce() {
    List<Labels> first = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      first.add(metric.series(1, "d" + i, "r"));
    }
    for (int i = 0; i < 1_000; i++) {
      assertThat(metric.series(1, "d" + i, "r")).as("in this reading").isNull();
      assertThat(metric.series(2, "d" + i, "r")).isSameAs(first.get(i));
    }
  }

  @Test
  void moreSeriesThanAreRememberedAreReadAsWell() {
    int most = 1 << 14;
    Labels first = metric.series(1, "d0", "r");
    for (int i = 1; i < most; i++) {
      metric.series(1, "d" + i, "r");
    }
    assertThat(metric.series(2, "d0", "r")).as("all have a place").isSameAs(first);
    assertThat(metric.series(2, "more", "r")).isEqualTo(series("more", "r"));
    assertThat(metric.series(3, "d0", "r")).as("all were forgotten").isNotSameAs(first);
    assertThat(metric.series(4, "d0", "r")).isEqualTo(series("d0", "r"));
  }

  @Test
  void aNameIsReadIfItIsIncludedAndNotExcluded() {
    Filter filter = Filter.of("^sd", "[0-9]$");
    for (int i = 0; i < 2; i++) {
      assertThat(filter.takes("sda")).isTrue();
      assertThat(filter.takes("sda1")).isFalse();
      assertThat(filter.takes("nvme")).isFalse();
    }
    Filter all = Filter.of("", "");
    for (int i = 0; i < 10_000; i++) {
      assertThat(all.takes("d" + i)).isTrue();
      assertThat(filter.takes("sd" + i)).isFalse();
    }
    assertThat(filter.takes("sda")).isTrue();
  }

  @Test
  void theMetricOfAFieldIsMadeOnceAndThatOfAFieldThatIsNotWantedNever() {
    List<String> made = new ArrayList<>();
    Fields fields =
        new Fields(
            field -> {
              made.add(field);
              return field.startsWith("no") ? null : new Metric(field);
            });
    Metric yes = fields.of("yes");
    assertThat(yes).hasToString("yes");
    assertThat(fields.of("yes")).isSameAs(yes);
    assertThat(fields.of("no")).isNull();
    assertThat(fields.of("no")).isNull();
    assertThat(made).containsExactly("yes", "no");
    for (int i = 2; i < 4_096; i++) {
      fields.of("f" + i);
    }
    assertThat(fields.of("yes")).as("all have a place").isSameAs(yes);
    assertThat(fields.of("more")).hasToString("more");
    assertThat(fields.of("yes")).as("all were forgotten").isNotSameAs(yes).hasToString("yes");
  }
}
