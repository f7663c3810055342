package io.fleetgauge.load.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fleetgauge.load.traffic.Bodies.Body;
import io.fleetgauge.load.traffic.FleetTraffic.Form;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FleetTrafficTest {
  private static final long BEGIN = 1_700_000_010_000L;
  private static final int HOUR = 240;

  @TempDir Path folder;

  @Test
  void aSeedMakesTheSameSamplesAgain() {
    try (GpuFleet one = new GpuFleet(3, 7, BEGIN);
        GpuFleet same = new GpuFleet(3, 7, BEGIN);
        GpuFleet other = new GpuFleet(3, 8, BEGIN)) {
      for (int i = 0; i < 40; i++) {
        Tick tick = one.next(2, BEGIN + i * GpuFleet.TICK);
        Tick again = same.next(2, BEGIN + i * GpuFleet.TICK);
        assertThat(again.series()).isEqualTo(tick.series());
        assertThat(again.values()).isEqualTo(tick.values());
        assertThat(other.next(2, BEGIN + i * GpuFleet.TICK).values()).isNotEqualTo(tick.values());
      }
    }
  }

  @Test
  void halfASeriesAnHourIsNewForEachActiveOneAndLabelsAreLong() {
    int hosts = 20;
    int hours = 6;
    // Ticks of a minute: jobs last for hours.
    long tick = 60_000;
    try (GpuFleet fleet = new GpuFleet(hosts, 1, BEGIN)) {
      for (int i = 0; i < hours * 60; i++) {
        for (int host = 0; host < hosts; host++) {
          fleet.next(host, BEGIN + i * tick);
        }
      }
      double active = hosts * GpuFleet.SERIES;
      assertThat((fleet.seriesEver() - active) / active / hours).isCloseTo(0.5, within(0.05));
      assertThat(fleet.labelBytes()).isBetween(320.0, 380.0);
    }
  }

  @Test
  void aSeriesThatEndsIsMarkedOnceAndEachTickHasAllThatAreActive() {
    try (GpuFleet fleet = new GpuFleet(1, 3, BEGIN)) {
      Set<Labels> before = new HashSet<>(fleet.next(0, BEGIN).series());
      int ended = 0;
      for (int i = 1; i < 6 * HOUR; i++) {
        Tick tick = fleet.next(0, BEGIN + i * GpuFleet.TICK);
        Set<Labels> present = new HashSet<>();
        for (int j = 0; j < tick.size(); j++) {
          if (Staleness.isMarker(tick.values()[j])) {
            assertThat(before.remove(tick.series().get(j))).isTrue();
            ended++;
          } else {
            present.add(tick.series().get(j));
          }
        }
        assertThat(present).hasSize(380).containsAll(before);
        before = present;
      }
      assertThat(ended).isPositive();
    }
  }

  @Test
  void bothFormsOfABacklogHaveAllSamples() throws IOException {
    FleetTraffic traffic =
        new FleetTraffic(new GpuFleet(5, 1, BEGIN), EnumSet.allOf(Form.class), 2, BEGIN);
    var made = traffic.backlog(folder, 50);
    assertThat(traffic.samples()).isEqualTo(5L * 50 * GpuFleet.SERIES);
    assertThat(traffic.nextTime()).isEqualTo(BEGIN + 50 * GpuFleet.TICK);
    assertThat(traffic.lastHost()).hasSize(50);
    for (Form form : Form.values()) {
      List<Body> bodies = new ArrayList<>();
      for (int sender = 0; sender < 2; sender++) {
        try (Backlog.Reader reader = made.get(form).read(sender)) {
          long time = BEGIN;
          for (Body body = reader.next(); body != null; body = reader.next()) {
            assertThat(reader.time()).isGreaterThanOrEqualTo(time);
            time = reader.time();
            bodies.add(body);
          }
        }
      }
      assertThat(bodies.stream().mapToLong(Body::samples).sum()).isEqualTo(traffic.samples());
      if (form == Form.FRAMES) {
        assertThat(bodies).as("40 ticks of each of five hosts, and the rest").hasSize(10);
      } else {
        // Markers of series that ended are counted too.
        assertThat(bodies)
            .as("2,000 samples a body")
            .allMatch(body -> body.samples() <= 2_000)
            .hasSizeBetween(29 + 19, 29 + 23);
      }
    }
    assertThat(traffic.tick(0, traffic.nextTime())).containsOnlyKeys(Form.values());
    traffic.fleet().close();
  }
}
