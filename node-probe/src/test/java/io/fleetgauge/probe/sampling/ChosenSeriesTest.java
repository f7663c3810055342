package io.fleetgauge.probe.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.relabel.Relabelling;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChosenSeriesTest {
  private static final Duration TICK = Duration.ofSeconds(15);
  private static final TickClass CORE = new TickClass(TICK);
  private static final Labels POWER = Labels.of(Labels.NAME, "power");
  private static final Labels SIZES = Labels.of(Labels.NAME, "sizes");
  private static final Histogram HISTOGRAM =
      new Histogram(
          0,
          Histogram.ResetHint.UNKNOWN,
          1,
          2,
          0,
          0,
          new Histogram.Buckets(new int[] {1}, new double[] {1}),
          Histogram.Buckets.NONE,
          new double[0]);

  private final Set<Labels> chosen = new HashSet<>(Set.of(POWER, SIZES));

  /** Reads a number and a histogram. */
  private static final class Both implements Reader {
    private boolean hasBegun;

    @Override
    public String name() {
      return "both";
    }

    @Override
    public Set<TickClass> classes() {
      return Set.of(CORE);
    }

    @Override
    public void begin(Set<TickClass> due, long time) {
      hasBegun = true;
    }

    @Override
    public void read(Set<TickClass> due, Readings out) {
      out.add(CORE, POWER, 300);
      out.of(CORE).add(SIZES, HISTOGRAM);
    }
  }

  @Test
  void aSeriesThatIsNotChosenAnyMoreHasEndedAndTheOthersStayAsTheyAre() throws Exception {
    Both both = new Both();
    try (Sampler sampler =
        new Sampler(
            List.of(new ChosenSeries(both, chosen::contains)),
            new NodeLabels(Labels.EMPTY, Relabelling.NONE),
            () -> GpuOwners.NONE,
            "probe",
            TICK,
            () -> 0,
            TickSink.NONE)) {
      Tick first = sampler.readAt(0);
      assertThat(both.hasBegun).isTrue();
      assertThat(first.values()[first.series().indexOf(POWER)]).isEqualTo(300);
      assertThat(first.histograms()[first.series().indexOf(SIZES)]).isEqualTo(HISTOGRAM);
      chosen.remove(POWER);
      Tick second = sampler.readAt(TICK.toMillis());
      assertThat(Staleness.isMarker(second.values()[second.series().indexOf(POWER)])).isTrue();
      assertThat(second.histograms()[second.series().indexOf(SIZES)]).isEqualTo(HISTOGRAM);
      assertThat(sampler.readAt(2 * TICK.toMillis()).series()).doesNotContain(POWER);
    }
  }
}
