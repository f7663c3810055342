package io.fleetgauge.probe.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeLabelsTest {
  private final NodeLabels node = new NodeLabels("n1", Labels.of("rack", "r1", "job", "idle"));

  @Test
  void everySeriesCarriesTheNodesLabelsButKeepsItsOwn() {
    Tick tick = node.tick(5, readings("a", "train"));
    assertThat(tick.time()).isEqualTo(5);
    assertThat(tick.series())
        .containsExactly(
            Labels.of(Labels.NAME, "a", "Hostname", "n1", "rack", "r1", "job", "train"));
  }

  @Test
  void aSeriesThatIsGoneIsMarkedOnceInTheNextTick() {
    node.tick(1, readings("a", "j1"));
    assertThat(markers(node.tick(2, readings("a", "j2")))).containsEntry("j1", true);
    assertThat(markers(node.tick(3, readings("a", "j2")))).isEqualTo(Map.of("j2", false));
    assertThat(markers(node.tick(4, new Tick.Builder().at(4)))).isEqualTo(Map.of("j2", true));
    assertThat(markers(node.tick(5, new Tick.Builder().at(5)))).isEmpty();
    assertThat(markers(node.tick(6, readings("a", "j1")))).isEqualTo(Map.of("j1", false));
  }

  @Test
  void aReadingThatComesTwiceCountsOnce() {
    Tick.Builder twice = new Tick.Builder();
    twice.add(Labels.of(Labels.NAME, "a"), 1).add(Labels.of(Labels.NAME, "a"), 2);
    assertThat(node.tick(1, twice.at(1)).values()).containsExactly(1);
  }

  private static Tick readings(String name, String job) {
    return new Tick.Builder().add(Labels.of(Labels.NAME, name, "job", job), 1).at(0);
  }

  private static Map<String, Boolean> markers(Tick tick) {
    Map<String, Boolean> markers = new HashMap<>();
    for (int i = 0; i < tick.size(); i++) {
      markers.put(tick.series().get(i).value("job"), Staleness.isMarker(tick.values()[i]));
    }
    return markers;
  }
}
