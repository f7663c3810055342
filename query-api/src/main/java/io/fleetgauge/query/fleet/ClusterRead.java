package io.fleetgauge.query.fleet;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.vertx.core.Future;
import java.util.List;

/** A read of this cluster's gateways for the query API of another cluster. */
public interface ClusterRead<T> {
  /** For people. */
  String description();

  /**
   * The same read within what its caller may see and use.
   *
   * @param scope matchers of everything that is read
   * @param tenants whose metadata is read; that of all when empty
   * @param samples most samples that may be in memory at once
   * @throws QueryFailure if it cannot be read so
   */
  ClusterRead<T> within(List<Matcher> scope, List<String> tenants, long samples)
      throws QueryFailure;

  /** Length of the time that is evaluated, ms. */
  long millis();

  /** The samples that are read; none for what only the index answers. */
  List<SamplesRead> reads();

  /** Returns true if every sample may be taken from rollups. */
  boolean rollups();

  /** What is looked up in the index. */
  List<List<Matcher>> selectors();

  /** Reads. */
  Future<Gathered<T>> read(ReadOptions options);
}
