package io.fleetgauge.query.shards;

import java.util.Optional;

/**
 * The merged answers of the shards.
 *
 * @param value what they answered
 * @param coverage for which hosts
 * @param changes what had changed at every shard that was read, before anything was read there;
 *     empty when that was not asked for, or not all of them said so
 */
public record Gathered<T>(T value, Coverage coverage, Optional<Changes> changes) {
  /** Without what had changed. */
  public Gathered(T value, Coverage coverage) {
    this(value, coverage, Optional.empty());
  }
}
