package io.fleetgauge.load.sources;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.load.compare.PrometheusServer;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.query.fleet.GpuSeries;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.fleet.MemoryShards;
import io.fleetgauge.query.seam.SeamedSource;
import io.fleetgauge.query.source.Source;
import io.fleetgauge.query.source.SourceContract;
import io.fleetgauge.query.store.ForeignStore;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Gateways and a real store are one source, wherever the seams of hosts are. */
class SeamedSourceTest {
  /** A store that has the older samples of each host, with the seam at another step for each. */
  @ExtendWith(VertxExtension.class)
  abstract static class Halves extends SourceContract {
    @TempDir Path folder;
    private final List<Series> stored = new ArrayList<>();
    private final MemoryFleet fleet = new MemoryFleet();
    private ForeignStore store;
    private Source source;

    /** Starts a store with ticks, in order of time. */
    abstract URI started(List<Tick> ticks) throws Exception;

    abstract SourceSettings.Kind kind();

    abstract void stopStore();

    @BeforeEach
    void fill(Vertx vertx) throws Exception {
      for (int host = 0; host < 6; host++) {
        fleet.host("n" + host, "g" + host % 2);
        for (int gpu = 0; gpu < 2; gpu++) {
          for (String metric : List.of("power", "load_total")) {
            Series series = GpuSeries.series(metric, host, gpu, START, STEP, STEPS);
            stored.add(series);
            fleet.with(from(series, 7 * host));
          }
        }
      }
      List<Tick> ticks = new ArrayList<>();
      for (int i = 0; i < STEPS; i++) {
        Tick.Builder tick = new Tick.Builder();
        for (Series each : stored) {
          int seam = 7 * Integer.parseInt(each.labels().value("Hostname").substring(1));
          if (i < seam) {
            tick.add(each.labels(), each.values()[i]);
          }
        }
        ticks.add(tick.at(START + i * STEP));
      }
      SourceSettings settings =
          SourceSettings.at("old", started(ticks), kind(), SourceSettings.Holds.OLDER)
              .withOwnerLabels();
      store = new ForeignStore(vertx, settings, vertx.createSharedWorkerExecutor("test"));
      MemoryShards shards = new MemoryShards(vertx, fleet);
      source =
          new SeamedSource(
              shards,
              shards,
              List.of(store),
              vertx.createSharedWorkerExecutor("test"),
              () -> END,
              System::nanoTime);
    }

    private static Series from(Series series, int step) {
      return new Series(
          series.labels(),
          Arrays.copyOfRange(series.times(), step, STEPS),
          Arrays.copyOfRange(series.values(), step, STEPS));
    }

    @AfterEach
    void stop() {
      if (store != null) {
        store.close();
      }
      stopStore();
    }

    @Override
    protected Source source() {
      return source;
    }

    @Override
    protected List<Series> stored() {
      return stored;
    }

    /** Only the gateways count; older samples are supposed to be as dense. */
    @Override
    @Test
    protected void extentsCountSeriesAndAboutTheirSamples() throws Exception {
      Extent power = await(source().extents(List.of(all("power")), options())).value().getFirst();
      assertThat(power.series()).isEqualTo(12);
      assertThat(power.samples()).isBetween(12L * STEPS / 2, 12L * STEPS * 2);
    }
  }

  abstract static class OfPrometheus extends Halves {
    private PrometheusServer prometheus;

    @Override
    URI started(List<Tick> ticks) throws Exception {
      prometheus = new PrometheusServer(folder, Set.of());
      prometheus.write(ticks);
      return prometheus.address();
    }

    @Override
    void stopStore() {
      if (prometheus != null) {
        prometheus.close();
      }
    }
  }

  @Nested
  class ByRemoteRead extends OfPrometheus {
    @Override
    SourceSettings.Kind kind() {
      return SourceSettings.Kind.PROMETHEUS;
    }
  }

  @Nested
  class ByQueries extends OfPrometheus {
    @Override
    SourceSettings.Kind kind() {
      return SourceSettings.Kind.THANOS;
    }
  }
}
