package io.fleetgauge.query.answer;

import io.fleetgauge.query.fanout.ShardTime;
import java.util.List;
import java.util.Map;

/**
 * How an answer came about.
 *
 * @param plan the tree, a line a node
 * @param reasons why parts were not given to the shards or not taken from rollups, by their text
 * @param estimated what it was expected to read
 * @param samples how many samples were looked at
 * @param rollupCells how many kept folds were taken
 * @param cachedSteps how many steps were known from before
 * @param steps of how many
 * @param shards how long the gateways took
 */
public record Trace(
    String plan,
    Map<String, String> reasons,
    Cost estimated,
    long samples,
    long rollupCells,
    long cachedSteps,
    long steps,
    List<ShardTime> shards) {}
