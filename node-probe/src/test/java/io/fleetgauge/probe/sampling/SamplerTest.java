package io.fleetgauge.probe.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.relabel.Relabelling;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SamplerTest {
  private static final double ENDED = -1;
  private static final TickClass CORE = new TickClass(Duration.ofSeconds(15));
  private static final TickClass OTHER = new TickClass(Duration.ofSeconds(30));
  private static final TickClass HOURLY = new TickClass(Duration.ofHours(1));
  private static final long START = 1_760_000_000_000L / 3_600_000 * 3_600_000 + 7_000;

  /** One series a class, named after it; its value is the number of the reading. */
  private static final class Scripted implements Reader {
    private final String name;
    private final Set<TickClass> classes;
    private final Map<TickClass, Integer> reads = new HashMap<>();
    private final AtomicInteger inside = new AtomicInteger();
    private volatile Exception failure;
    private volatile CountDownLatch held = new CountDownLatch(0);
    private volatile boolean empty;

    Scripted(String name, TickClass... classes) {
      this.name = name;
      this.classes = Set.of(classes);
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Set<TickClass> classes() {
      return classes;
    }

    @Override
    public void read(Set<TickClass> due, Readings out) throws Exception {
      assertThat(inside.incrementAndGet()).as("calls at once").isEqualTo(1);
      try {
        held.await();
        if (failure != null) {
          throw failure;
        }
        for (TickClass each : due) {
          int read = reads.merge(each, 1, Integer::sum);
          if (!empty) {
            out.add(each, Labels.of(Labels.NAME, name + "_" + each.period().toSeconds()), read);
          }
        }
      } finally {
        inside.decrementAndGet();
      }
    }
  }

  private final List<Sampler> samplers = new ArrayList<>();
  private volatile GpuOwners owners = GpuOwners.NONE;

  @AfterEach
  void close() {
    samplers.forEach(Sampler::close);
  }

  private Sampler sampler(Duration tick, Reader... readers) {
    Sampler sampler =
        new Sampler(
            List.of(readers),
            new NodeLabels(Labels.of("Hostname", "n1"), Relabelling.NONE),
            () -> owners,
            "probe",
            tick,
            () -> 0,
            TickSink.NONE);
    samplers.add(sampler);
    return sampler;
  }

  private static Map<String, Double> values(Tick tick) {
    Map<String, Double> values = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      String name = tick.series().get(i).metric();
      if (name.startsWith("probe_") || name.startsWith("scrape_") || name.equals("up")) {
        continue; // what the probe says of itself
      }
      double value = Staleness.isMarker(tick.values()[i]) ? ENDED : tick.values()[i];
      assertThat(values.put(name, value)).as(name).isNull();
    }
    return values;
  }

  private static long tick(int number) {
    return START / 15_000 * 15_000 + number * 15_000L;
  }

  @Test
  void whenAGpuChangesItsOwnerItsSeriesGoOverInOneTickUnlessTheyNameAnOwnerThemselves()
      throws Exception {
    Duration tick = Duration.ofSeconds(15);
    TickClass core = new TickClass(tick);
    TickClass seldom = new TickClass(Duration.ofHours(1));
    Sampler sampler =
        sampler(
            tick,
            new Reader() {
              @Override
              public String name() {
                return "gpu";
              }

              @Override
              public Set<TickClass> classes() {
                return Set.of(core, seldom);
              }

              @Override
              public void read(Set<TickClass> due, Readings out) {
                out.add(core, Labels.of(Labels.NAME, "power", "UUID", "GPU-a"), 7);
                out.add(core, Labels.of(Labels.NAME, "load"), 1);
                out.add(core, Labels.of(Labels.NAME, "used", "UUID", "GPU-a", "slot", "0"), 3);
                out.add(seldom, Labels.of(Labels.NAME, "limit", "UUID", "GPU-a"), 9);
              }
            });
    assertThat(owned(sampler.readAt(0)))
        .isEqualTo(Map.of("power of ", 7.0, "limit of ", 9.0, "load of ", 1.0, "used of ", 3.0));
    owners = new GpuOwners(Map.of(GpuOwners.Gpu.whole("GPU-a"), Labels.of("pod", "p1")));
    assertThat(owned(sampler.readAt(15_000)))
        .isEqualTo(
            Map.of(
                "power of ", ENDED,
                "limit of ", ENDED,
                "power of p1", 7.0,
                "limit of p1", 9.0,
                "load of ", 1.0,
                "used of ", 3.0));
    assertThat(owned(sampler.readAt(30_000)))
        .isEqualTo(Map.of("power of p1", 7.0, "load of ", 1.0, "used of ", 3.0));
    owners = GpuOwners.NONE;
    assertThat(owned(sampler.readAt(45_000)))
        .isEqualTo(
            Map.of(
                "power of p1", ENDED,
                "limit of p1", ENDED,
                "power of ", 7.0,
                "limit of ", 9.0,
                "load of ", 1.0,
                "used of ", 3.0));
  }

  private static Map<String, Double> owned(Tick tick) {
    Map<String, Double> values = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      Labels series = tick.series().get(i);
      if (Set.of("power", "limit", "load", "used").contains(series.metric())) {
        double value = tick.values()[i];
        values.put(
            series.metric() + " of " + series.value("pod"),
            Staleness.isMarker(value) ? ENDED : value);
      }
    }
    return values;
  }

  @Test
  void aClassIsReadAtTheFirstTickAndThenAtMultiplesOfItsPeriod() throws Exception {
    Sampler sampler = sampler(CORE.period(), new Scripted("r", CORE, OTHER));
    assertThat(values(sampler.readAt(START))).isEqualTo(Map.of("r_15", 1.0, "r_30", 1.0));
    assertThat(values(sampler.readAt(tick(1)))).isEqualTo(Map.of("r_15", 2.0));
    assertThat(values(sampler.readAt(tick(2)))).isEqualTo(Map.of("r_15", 3.0, "r_30", 2.0));
    assertThat(values(sampler.readAt(tick(3)))).isEqualTo(Map.of("r_15", 4.0));
    assertThat(values(sampler.readAt(tick(5))))
        .as("a tick was missed: what was due in it is read now")
        .isEqualTo(Map.of("r_15", 5.0, "r_30", 3.0));
  }

  @Test
  void aClassEndsItsSeriesWhenItIsReadWithoutThemOnly() throws Exception {
    Scripted reader = new Scripted("r", CORE, OTHER);
    Sampler sampler = sampler(CORE.period(), reader);
    sampler.readAt(tick(0));
    reader.empty = true;
    assertThat(values(sampler.readAt(tick(1)))).isEqualTo(Map.of("r_15", ENDED));
    assertThat(values(sampler.readAt(tick(2)))).isEqualTo(Map.of("r_30", ENDED));
    assertThat(values(sampler.readAt(tick(3)))).isEmpty();
  }

  @Test
  void whatIsReadHourlyIsSentSoOftenThatAQueryAlwaysSeesIt() throws Exception {
    for (int seconds : new int[] {1, 15, 60, 170, 300}) {
      Duration length = Duration.ofSeconds(seconds);
      Scripted reader = new Scripted("r", HOURLY);
      Sampler sampler = sampler(length, reader);
      long sent = START;
      int samples = 0;
      for (long time = START;
          time < START + 3 * 3_600_000;
          time = (time / length.toMillis() + 1) * length.toMillis()) {
        Map<String, Double> values = values(sampler.readAt(time));
        if (!values.isEmpty()) {
          assertThat(values.get("r_3600")).isEqualTo(1 + (time / 3_600_000 - START / 3_600_000));
          sent = time;
          samples++;
        }
        assertThat(time - sent).isLessThan(240_000);
      }
      assertThat(reader.reads.get(HOURLY)).as("readings, the first one included").isBetween(3, 4);
      assertThat(samples).as("samples with ticks of %s s", seconds).isLessThanOrEqualTo(66);
    }
  }

  @Test
  void aReaderThatFailsNeitherRepeatsNorEndsItsSeries() throws Exception {
    Scripted failing = new Scripted("f", CORE, HOURLY);
    Sampler sampler = sampler(CORE.period(), failing, new Scripted("r", CORE));
    sampler.readAt(tick(0));
    failing.failure = new IOException("the device is gone");
    for (int i = 1; i < 100; i++) {
      assertThat(values(sampler.readAt(tick(i)))).isEqualTo(Map.of("r_15", 1.0 + i));
    }
    assertThat(values(sampler.last())).as("what /metrics shows").isEqualTo(Map.of("r_15", 100.0));
    failing.failure = null;
    assertThat(values(sampler.readAt(tick(100))))
        .isEqualTo(Map.of("f_15", 2.0, "f_3600", 1.0, "r_15", 101.0));
    assertThat(values(sampler.last())).isEqualTo(Map.of("f_15", 2.0, "f_3600", 1.0, "r_15", 101.0));
  }

  @Test
  void aReaderThatBlocksDelaysNoOtherAndIsNotCalledAgain() throws Exception {
    Scripted first = new Scripted("a", CORE);
    Scripted second = new Scripted("b", CORE);
    // The first tick waits half of its length for those that block.
    Sampler sampler = sampler(Duration.ofSeconds(10), first, second, new Scripted("r", CORE));
    sampler.readAt(tick(0));
    first.held = new CountDownLatch(1);
    second.held = new CountDownLatch(1);
    try {
      assertThat(values(sampler.readAt(tick(1)))).isEqualTo(Map.of("r_15", 2.0));
      for (int i = 2; i < 50; i++) {
        assertThat(values(sampler.readAt(tick(i)))).isEqualTo(Map.of("r_15", 1.0 + i));
      }
      assertThat(values(sampler.last())).isEqualTo(Map.of("r_15", 50.0));
    } finally {
      first.held.countDown();
      second.held.countDown();
    }
    first.held = new CountDownLatch(0);
    await().until(() -> first.inside.get() == 0 && second.inside.get() == 0);
    await("what came too late was thrown away")
        .until(() -> values(sampler.readAt(tick(50))).size() == 3);
  }

  @Test
  void aClockThatIsSetBackKeepsSendingAndReading() throws Exception {
    Sampler sampler = sampler(CORE.period(), new Scripted("r", CORE, HOURLY));
    sampler.readAt(tick(1_000));
    assertThat(values(sampler.readAt(tick(1)))).containsKeys("r_15", "r_3600");
    assertThat(values(sampler.readAt(tick(2)))).containsOnlyKeys("r_15");
  }

  @Test
  void aProbeIsATargetThatSaysHowItsReadersDo() throws Exception {
    Scripted failing = new Scripted("f", CORE);
    Sampler sampler = sampler(CORE.period(), new Scripted("r", CORE, OTHER), failing);
    Map<String, Double> first = health(sampler.readAt(tick(0)));
    assertThat(first)
        .containsEntry("up{job=probe}", 1.0)
        .containsEntry("scrape_samples_scraped{job=probe}", 3.0)
        .containsEntry("scrape_samples_post_metric_relabeling{job=probe}", 3.0)
        .containsEntry("scrape_series_added{job=probe}", 3.0)
        .containsEntry("probe_tick_seconds{}", 15.0)
        .containsEntry("probe_reader_up{reader=r}", 1.0)
        .containsEntry("probe_reader_up{reader=f}", 1.0)
        .containsEntry("probe_reader_age_seconds{reader=f}", 0.0);
    assertThat(first.get("scrape_duration_seconds{job=probe}")).isBetween(1e-9, 7.5);
    assertThat(first.get("probe_reader_duration_seconds{reader=r}")).isBetween(1e-9, 7.5);
    failing.failure = new IOException("no");
    sampler.readAt(tick(1));
    assertThat(health(sampler.readAt(tick(2))))
        .containsEntry("up{job=probe}", 1.0)
        .containsEntry("scrape_samples_scraped{job=probe}", 2.0)
        .containsEntry("scrape_series_added{job=probe}", 0.0)
        .containsEntry("probe_reader_up{reader=r}", 1.0)
        .containsEntry("probe_reader_up{reader=f}", 0.0)
        .containsEntry("probe_reader_age_seconds{reader=f}", 30.0)
        .containsEntry("probe_reader_age_seconds{reader=r}", 0.0);
  }

  @Test
  void aReaderThatHasNeverReadIsDownAndHasNoAge() throws Exception {
    Scripted failing = new Scripted("f", CORE);
    failing.failure = new IOException("no");
    assertThat(health(sampler(CORE.period(), failing).readAt(tick(0))))
        .containsEntry("probe_reader_up{reader=f}", 0.0)
        .doesNotContainKey("probe_reader_age_seconds{reader=f}");
  }

  private static Map<String, Double> health(Tick tick) {
    Map<String, Double> values = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      Labels series = tick.series().get(i).without("Hostname");
      String labels = series.withoutMetric().braced().replace("\"", "");
      values.put(series.metric() + labels, tick.values()[i]);
    }
    return values;
  }
}
