package io.fleetgauge.gateway.status;

import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.BlockParts;
import io.fleetgauge.gateway.store.series.StoredSeries;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** The use of a store's bytes. Any thread may ask; the answer is of one moment of each host. */
record StoreUse(Store store) {
  private static final long DAY_MILLIS = 86_400_000;

  /**
   * The use of one host.
   *
   * @param diskBytes of its blocks
   * @param rollupBytes of these, what rollups take
   * @param memoryBytes of its samples in memory, when they were last measured
   * @param oldest when its oldest block begins, ms; {@link Long#MIN_VALUE} without blocks
   */
  public record OfHost(
      int series, long diskBytes, long rollupBytes, long memoryBytes, int blocks, long oldest) {}

  /**
   * The use of one metric on disk.
   *
   * @param diskBytes of the records of its series
   */
  public record OfMetric(long series, long diskBytes) {
    private OfMetric and(long moreSeries, long moreBytes) {
      return new OfMetric(series + moreSeries, diskBytes + moreBytes);
    }
  }

  /** The use of a host; empty figures if there is no lane. */
  public OfHost host(String name) {
    List<Block> blocks = store.find(name).map(Lane::blocks).orElse(List.of());
    return new OfHost(
        store.find(name).map(Lane::seriesCount).orElse(0),
        blocks.stream().mapToLong(Block::bytes).sum(),
        blocks.stream().mapToLong(Block::rollupBytes).sum(),
        store.find(name).map(Lane::payloadBytes).orElse(0L),
        blocks.size(),
        blocks.stream().mapToLong(Block::from).min().orElse(Long.MIN_VALUE));
  }

  /** The use of each metric, by name. Visits every series of every block: not for an event loop. */
  public Map<String, OfMetric> metrics() {
    Map<String, OfMetric> metrics = new TreeMap<>();
    for (String host : store.hosts()) {
      store
          .find(host)
          .ifPresent(
              lane ->
                  lane.view()
                      .catalog()
                      .find(
                          List.of(),
                          series ->
                              metrics.merge(
                                  series.identity.metric(),
                                  new OfMetric(1, bytes(series)),
                                  (a, b) -> a.and(b.series, b.diskBytes))));
    }
    return metrics;
  }

  private static long bytes(StoredSeries series) {
    BlockParts parts = series.state().sealed;
    long bytes = 0;
    for (int i = 0; i < parts.size(); i++) {
      bytes += parts.block(i).recordBytes(parts.place(i));
    }
    return bytes;
  }

  /**
   * Bytes of all blocks that the samples of a day take, as those do that end within a day before
   * {@code now}; empty if there are none.
   */
  public OptionalDouble bytesPerDay(long now) {
    double perDay = 0;
    boolean isKnown = false;
    for (String host : store.hosts()) {
      long bytes = 0;
      long from = Long.MAX_VALUE;
      long to = Long.MIN_VALUE;
      for (Block block : store.find(host).map(Lane::blocks).orElse(List.of())) {
        if (block.to() > now - DAY_MILLIS) {
          bytes += block.bytes();
          from = Math.min(from, block.from());
          to = Math.max(to, block.to());
        }
      }
      if (to > from) {
        perDay += (double) bytes * DAY_MILLIS / (to - from);
        isKnown = true;
      }
    }
    return isKnown ? OptionalDouble.of(perDay) : OptionalDouble.empty();
  }

  /** Bytes of a sample on disk, measured in the newest block of each host; empty without blocks. */
  public OptionalDouble bytesPerSample() {
    long bytes = 0;
    long samples = 0;
    for (String host : store.hosts()) {
      List<Block> blocks = store.find(host).map(Lane::blocks).orElse(List.of());
      if (!blocks.isEmpty()) {
        Block newest = blocks.getLast();
        bytes += newest.bytes() - newest.rollupBytes();
        samples += newest.samples();
      }
    }
    return samples == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) bytes / samples);
  }
}
