package io.fleetgauge.query.answer;

import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.source.ShardTime;
import java.util.List;
import java.util.Map;

/**
 * Trace of an answer.
 *
 * @param plan the tree, one line for each node
 * @param reasons reasons why parts were not executed by the shards or not taken from rollups, by
 *     their text
 * @param estimated expected reads
 * @param samples number of samples that were read
 * @param rollupCells number of cells of rollups that were read
 * @param cachedSteps number of steps that came from the cache
 * @param steps number of all steps
 * @param shards times of the shards
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
   * Work of one shard.
   *
   * @param name for people
   * @param nanos from the request until its answer was read
   * @param hosts number of hosts that it answered for
   */
  public record Shard(String name, long nanos, int hosts) {
    static Shard of(ShardTime time) {
      return new Shard(time.shard(), time.nanos(), time.hosts());
    }
  }
}
