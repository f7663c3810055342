package io.fleetgauge.query.report;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.fold.SampleFold;
import io.fleetgauge.sample.Series;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Makes a report of samples. */
final class ReportFold implements SampleFold<Report> {
  private final ReportQuery query;
  private final Groups groups;
  private final Map<Measure, Map<String, Gpu>> gpus = new EnumMap<>(Measure.class);

  ReportFold(ReportQuery query) {
    this.query = query;
    this.groups = new Groups(query.by(), query.period(), query.maxRows());
    for (Measure measure : Measure.values()) {
      gpus.put(measure, new HashMap<>());
    }
  }

  @Override
  public void add(long to, List<List<Series>> samples) throws QueryFailure {
    for (int i = 0; i < samples.size(); i++) {
      Measure.Source source = Measure.SOURCES.get(i);
      for (Series series : samples.get(i)) {
        gpus.get(source.measure())
            .computeIfAbsent(
                Gpu.of(series.labels()),
                none -> new Gpu(source.measure(), query.lookback(), groups))
            .give(source, series);
      }
    }
    for (Map<String, Gpu> all : gpus.values()) {
      for (Iterator<Gpu> each = all.values().iterator(); each.hasNext(); ) {
        Gpu gpu = each.next();
        gpu.advance(to);
        if (gpu.isDone()) {
          each.remove();
        }
      }
    }
    groups.settle();
  }

  @Override
  public Report value() throws QueryFailure {
    return new Report(query, groups.finish(), groups.all().finish());
  }
}
