package io.fleetgauge.load.compare;

import io.fleetgauge.query.fleet.GpuSeries;
import io.fleetgauge.query.source.Source;
import io.fleetgauge.query.source.SourceContract;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The interface of sources is small enough that a store which speaks Prometheus's API is one. */
@ExtendWith(VertxExtension.class)
class PrometheusSourceTest extends SourceContract {
  @TempDir private Path folder;
  private final List<Series> stored = new ArrayList<>();
  private PrometheusServer prometheus;
  private PrometheusSource source;

  @BeforeEach
  void fill(Vertx vertx) throws Exception {
    prometheus = new PrometheusServer(folder, Set.of());
    for (int host = 0; host < 6; host++) {
      for (int gpu = 0; gpu < 2; gpu++) {
        for (String metric : List.of("power", "load_total")) {
          stored.add(GpuSeries.series(metric, host, gpu, START, STEP, STEPS));
        }
      }
    }
    for (int i = 0; i < STEPS; i++) {
      int at = i;
      prometheus.write(
          List.of(
              new Tick(
                  START + i * STEP,
                  stored.stream().map(Series::labels).toList(),
                  stored.stream().mapToDouble(each -> each.values()[at]).toArray())));
    }
    source = new PrometheusSource(vertx, prometheus.address());
  }

  @AfterEach
  void stop() {
    prometheus.close();
  }

  @Override
  protected Source source() {
    return source;
  }

  @Override
  protected List<Series> stored() {
    return stored;
  }
}
