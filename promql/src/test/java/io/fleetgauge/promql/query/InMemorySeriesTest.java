package io.fleetgauge.promql.query;

import io.fleetgauge.sample.Series;
import java.util.List;

class InMemorySeriesTest extends SeriesSourceContract {
  @Override
  protected SeriesSource source(List<Series> series) {
    return new InMemorySeries(series);
  }
}
