package io.fleetgauge.query.answer;

import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.source.ShardTime;
import java.util.List;
import java.util.Map;

/**
 * How an answer came about.
 *
 * @param plan the tree, one line for each node
 * @param reasons why parts were not executed by the shards or not taken from rollups, by their text
 * @param estimated what the query was expected to read
 * @param samples how many samples were read
 * @param rollupCells how many cells of rollups were read
 * @param cachedSteps how many steps came from the cache
 * @param steps of how many
 * @param shards how long the shards took
 */
public record QueryTrace(
    String plan,
    Map<String, String> reasons,
    Cost estimated,
    long samples,
    long rollupCells,
    long cachedSteps,
    long steps,
    List<Shard> shards) {
  /**
   * What one shard did.
   *
   * @param name for people
   * @param nanos from the request until its answer was read
   * @param hosts how many hosts it answered for
   */
  public record Shard(String name, long nanos, int hosts) {
    static Shard of(ShardTime time) {
      return new Shard(time.shard(), time.nanos(), time.hosts());
    }
  }
}
