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
    GpuFleet one = new GpuFleet(3, 7);
    GpuFleet same = new GpuFleet(3, 7);
    GpuFleet other = new GpuFleet(3, 8);
    for (int i = 0; i < HOUR; i++) {
      Tick tick = one.next(2, BEGIN + i * GpuHost.TICK);
      Tick again = same.next(2, BEGIN + i * GpuHost.TICK);
      assertThat(again.series()).isEqualTo(tick.series());
      assertThat(again.values()).isEqualTo(tick.values());
      assertThat(other.next(2, BEGIN + i * GpuHost.TICK).values()).isNotEqualTo(tick.values());
    }
  }

  @Test
  void halfASeriesAnHourIsNewForEachActiveOneAndLabelsAreLong() {
    int hosts = 40;
    int hours = 6;
    GpuFleet fleet = new GpuFleet(hosts, 1);
    Set<Labels> ever = new HashSet<>();
    for (int i = 0; i < hours * HOUR; i++) {
      for (int host = 0; host < hosts; host++) {
        ever.addAll(fleet.next(host, BEGIN + i * GpuHost.TICK).series());
      }
    }
    double active = hosts * GpuHost.SERIES;
    assertThat(GpuHost.SERIES).isEqualTo(380);
    assertThat((ever.size() - active) / active / hours).isCloseTo(0.5, within(0.05));
    assertThat((double) ever.size()).isCloseTo(fleet.seriesEver(), within(0.01 * active));
    assertThat(fleet.labelBytes()).isBetween(320.0, 380.0);
  }

  @Test
  void aSeriesThatEndsIsMarkedOnceAndEachTickHasAllThatAreActive() {
    GpuHost host = new GpuHost(0, 3);
    Set<Labels> before = new HashSet<>(host.next(BEGIN).series());
    int ended = 0;
    for (int i = 1; i < 6 * HOUR; i++) {
      Tick tick = host.next(BEGIN + i * GpuHost.TICK);
      Set<Labels> present = new HashSet<>();
      for (int j = 0; j < tick.size(); j++) {
        if (Staleness.isMarker(tick.values()[j])) {
          assertThat(before.remove(tick.series().get(j))).isTrue();
          ended++;
        } else {
          present.add(tick.series().get(j));
        }
      }
      assertThat(present).hasSize(GpuHost.SERIES).containsAll(before);
      before = present;
    }
    assertThat(ended).isPositive();
  }

  @Test
  void bothFormsOfABacklogHaveAllSamples() throws IOException {
    FleetTraffic traffic =
        new FleetTraffic(new GpuFleet(5, 1), EnumSet.allOf(Form.class), 2, BEGIN);
    var made = traffic.backlog(folder, 50);
    assertThat(traffic.samples()).isEqualTo(5L * 50 * GpuHost.SERIES);
    assertThat(traffic.nextTime()).isEqualTo(BEGIN + 50 * GpuHost.TICK);
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
      // Five hosts, of which one body has 40 ticks and one the rest; or 2,000 samples a body.
      assertThat(bodies).hasSize(form == Form.FRAMES ? 10 : 29 + 20);
    }
    assertThat(traffic.tick(0, traffic.nextTime())).containsOnlyKeys(Form.values());
  }
}
