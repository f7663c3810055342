package io.fleetgauge.promql.script;

import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.SeriesSourceContract;
import io.fleetgauge.sample.Series;
import java.util.Arrays;
import java.util.List;

class LoadedSeriesTest extends SeriesSourceContract {
  @Override
  protected SeriesSource source(List<Series> series) {
    LoadedSeries loaded = new LoadedSeries();
    loaded.load(
        series.stream()
            .map(
                one ->
                    new Notation.Line(
                        one.labels(),
                        Arrays.stream(one.values()).mapToObj(Notation.Item::of).toList(),
                        false))
            .toList(),
        TICK,
        false);
    return loaded;
  }
}
