package io.fleetgauge.query.federate;

import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.gzip.GzipStream;
import io.fleetgauge.sample.prometheus.ExpositionLine;
import io.fleetgauge.sample.prometheus.ExpositionLines;
import io.fleetgauge.sample.prometheus.NameEscaping;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * All lines of a scrape, by the names of metrics.
 *
 * @param families lines as gateways sent them, in pieces
 * @param reductions lines that were written here
 * @param escaping of names
 */
record ScrapeLines(
    SortedMap<String, List<MetricLines>> families,
    SortedMap<String, ExpositionLines> reductions,
    NameEscaping escaping) {

  /**
   * @throws QueryFailure if they are over the limits of a scrape
   */
  static ScrapeLines of(
      SortedMap<String, List<MetricLines>> families,
      SortedMap<String, ExpositionLines> reductions,
      QueryConfig config,
      NameEscaping escaping)
      throws QueryFailure {
    long series = 0;
    long bytes = 0;
    for (ExpositionLines lines : reductions.values()) {
      series += lines.count();
      bytes += lines.size();
    }
    for (List<MetricLines> pieces : families.values()) {
      for (MetricLines piece : pieces) {
        series += piece.series();
        bytes += piece.lines().plainLength();
      }
    }
    if (series > config.federateSeries() || bytes > config.federateBytes()) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION,
          "a scrape of "
              + series
              + " series and "
              + bytes
              + " bytes is more than federate.maxSeries "
              + config.federateSeries()
              + " and federate.maxBytes "
              + config.federateBytes()
              + " allow; match less, or split it with shard=0/2 and shard=1/2");
    }
    return new ScrapeLines(families, reductions, escaping);
  }

  /**
   * @param gzip true if the pieces are compressed, and the whole should be
   */
  void write(OutputStream out, boolean gzip) throws IOException {
    if (gzip) {
      try (GzipStream packed = new GzipStream(out)) {
        write(packed, packed::write);
      }
    } else {
      write(out, piece -> out.write(piece.bytes(), piece.from(), piece.length()));
    }
  }

  /** Takes lines as gateways sent them. */
  private interface PieceWriter {
    void write(GzipPiece piece) throws IOException;
  }

  private void write(OutputStream out, PieceWriter pieces) throws IOException {
    TreeSet<String> names = new TreeSet<>(families.keySet());
    names.addAll(reductions.keySet());
    for (String name : names) {
      out.write(ExpositionLine.type(name, escaping).getBytes(StandardCharsets.UTF_8));
      for (MetricLines piece : families.getOrDefault(name, List.of())) {
        pieces.write(piece.lines());
      }
      ExpositionLines lines = reductions.get(name);
      if (lines != null) {
        out.write(lines.array(), 0, lines.size());
      }
    }
  }
}
