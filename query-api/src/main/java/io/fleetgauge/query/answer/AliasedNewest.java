package io.fleetgauge.query.answer;

import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.prometheus.ExpositionLine;
import io.fleetgauge.sample.prometheus.ExpositionLines;
import io.fleetgauge.sample.prometheus.NameEscaping;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The newest samples of series that are seen under aliases, as lines of the text exposition. */
final class AliasedNewest {
  private final Predicate<String> hosts;
  private final NameEscaping escaping;
  private final boolean gzip;
  private final Set<Labels> written = new HashSet<>();
  private final SortedMap<String, ExpositionLines> lines = new TreeMap<>();

  /**
   * @param hosts selects series by their labels in braces
   * @param escaping of names
   * @param gzip true if the lines are packed
   */
  public AliasedNewest(Predicate<String> hosts, NameEscaping escaping, boolean gzip) {
    this.hosts = hosts;
    this.escaping = escaping;
    this.gzip = gzip;
  }

  /** Takes series; of two with one label set the first one counts. */
  public void add(List<Series> found) {
    for (Series series : found) {
      int last = series.size() - 1;
      Labels labels = series.labels();
      if (last < 0
          || Columns.isAbsent(series.values()[last])
          || !hosts.test(labels.braced())
          || !written.add(labels)) {
        continue;
      }
      lines
          .computeIfAbsent(labels.metric(), none -> new ExpositionLines(0))
          .add(
              ExpositionLine.start(labels, escaping).getBytes(StandardCharsets.UTF_8),
              series.values()[last],
              series.times()[last]);
    }
  }

  public SortedMap<String, List<MetricLines>> families() {
    SortedMap<String, List<MetricLines>> families = new TreeMap<>();
    try (GzipPiece.Compressor compressor = new GzipPiece.Compressor()) {
      lines.forEach(
          (name, of) -> {
            GzipPiece piece =
                gzip
                    ? compressor.of(of.array(), 0, of.size())
                    : new GzipPiece(of.array(), 0, of.size(), of.size(), 0);
            families.put(name, List.of(new MetricLines(name, of.count(), piece)));
          });
    }
    return families;
  }
}
