package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TextExpositionTest {
  @Test
  void familiesStandTogetherAndEndedSeriesAreLeftOut() {
    Tick tick =
        new Tick.Builder()
            .add(Labels.of(Labels.NAME, "temp", "gpu", "1"), 41.5)
            .add(Labels.of(Labels.NAME, "load"), 0.25)
            .add(Labels.of(Labels.NAME, "temp", "gpu", "0", "path", "a\"b\\c\n"), 40)
            .add(Labels.of(Labels.NAME, "temp", "gpu", "2"), Staleness.MARKER)
            .at(1);
    assertThat(
            TextExposition.write(
                tick, Map.of("temp", new TextExposition.Family("gauge", "Degrees."))))
        .isEqualTo(
            """
            # TYPE load untyped
            load 0.25
            # HELP temp Degrees.
            # TYPE temp gauge
            temp{gpu="1"} 41.5
            temp{gpu="0",path="a\\"b\\\\c\\n"} 40
            """);
  }

  /** As files of the textfile collector may have them: who reads 0.0.4 takes no other names. */
  @Test
  void whatANameMayNotHaveBecomesAnUnderscore() {
    Tick tick =
        new Tick.Builder()
            .add(Labels.of(Labels.NAME, "gpu.power", "gpu.slot", "3", "a:b", "x"), 1)
            .add(Labels.of(Labels.NAME, "gpu_power"), 2)
            .at(1);
    assertThat(
            TextExposition.write(
                tick, Map.of("gpu.power", new TextExposition.Family("gauge", "Watts."))))
        .isEqualTo(
            """
            # HELP gpu_power Watts.
            # TYPE gpu_power gauge
            gpu_power{a_b="x",gpu_slot="3"} 1
            gpu_power 2
            """);
  }
}
