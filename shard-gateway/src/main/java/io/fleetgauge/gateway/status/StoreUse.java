package io.fleetgauge.gateway.status;

import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.BlockParts;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The use of a store's bytes, in the forms that {@link StatusRoute} draws. Any thread may ask; the
 * answer is of one moment of each host.
 *
 * <p>Groups of metrics are {@code gpu core}, {@code gpu extended} and so on by the tier of a GPU's
 * metric, {@code host} for names of node_exporter, {@code recent} for windows around faults, {@code
 * probe}, and {@code other}. Metrics are the {@link #MOST_METRICS} with most bytes.
 */
record StoreUse(Store store) {
  private static final long DAY_MILLIS = 86_400_000;
  private static final int MOST_METRICS = 1_000;

  /**
   * The use of a metric or a group on disk.
   *
   * @param diskBytes of the records of its series
   */
  private record Use(long series, long diskBytes) {
    private Use and(Use more) {
      return new Use(series + more.series, diskBytes + more.diskBytes);
    }

    private JsonObject in(JsonObject row) {
      return row.put("series", series).put("diskBytes", diskBytes);
    }
  }

  private Stream<Lane> lanes() {
    return store.hosts().stream().flatMap(host -> store.find(host).stream());
  }

  /** The use of each host, by name. */
  JsonObject hosts() {
    JsonObject hosts = new JsonObject();
    for (String name : store.hosts()) {
      store.find(name).ifPresent(lane -> hosts.put(name, host(lane)));
    }
    return hosts;
  }

  private static JsonObject host(Lane lane) {
    List<Block> blocks = lane.blocks();
    JsonObject host =
        new JsonObject()
            .put("series", lane.seriesCount())
            .put("tickMillis", lane.tickMillis())
            .put("diskBytes", blocks.stream().mapToLong(Block::bytes).sum())
            .put("rollupBytes", blocks.stream().mapToLong(Block::rollupBytes).sum())
            .put("memoryBytes", lane.payloadBytes())
            .put("blocks", blocks.size());
    if (lane.heard() != Long.MIN_VALUE) {
      host.put("newestAt", lane.heard());
    }
    blocks.stream().mapToLong(Block::from).min().ifPresent(oldest -> host.put("oldestAt", oldest));
    return host;
  }

  /** Bytes that rollups take in blocks. */
  long rollupBytes() {
    return lanes().flatMap(lane -> lane.blocks().stream()).mapToLong(Block::rollupBytes).sum();
  }

  /** The use of groups and metrics. Visits every series of every block: not for an event loop. */
  JsonObject metrics() {
    Map<String, Use> metrics = new TreeMap<>();
    lanes()
        .forEach(
            lane ->
                lane.view()
                    .catalog()
                    .find(
                        List.of(),
                        series ->
                            metrics.merge(
                                series.identity.metric(), new Use(1, bytes(series)), Use::and)));
    Map<String, Use> groups = new TreeMap<>();
    metrics.forEach((metric, taken) -> groups.merge(group(metric), taken, Use::and));
    JsonObject ofGroups = new JsonObject();
    groups.forEach((group, taken) -> ofGroups.put(group, taken.in(new JsonObject())));
    JsonArray largest = new JsonArray();
    metrics.entrySet().stream()
        .sorted(
            Map.Entry.<String, Use>comparingByValue(
                    Comparator.comparingLong(Use::diskBytes).thenComparing(Use::series).reversed())
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(MOST_METRICS)
        .forEach(
            each -> largest.add(each.getValue().in(new JsonObject().put("metric", each.getKey()))));
    return new JsonObject().put("groups", ofGroups).put("metrics", largest);
  }

  private static String group(String metric) {
    if (metric.startsWith("gpu_recent_") || metric.startsWith("node_recent_")) {
      return "recent";
    }
    if (metric.startsWith("gpu_probe_")
        || metric.startsWith("probe_")
        || metric.startsWith("node_scrape_")
        || metric.startsWith("scrape_")
        || metric.equals("up")) {
      return "probe";
    }
    if (metric.startsWith("node_")) {
      return "host";
    }
    return GpuMetrics.find(metric)
        .map(each -> "gpu " + each.tier().name().toLowerCase(Locale.ROOT))
        .orElse("other");
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
  OptionalDouble bytesPerDay(long now) {
    return lanes()
        .map(lane -> lane.blocks().stream().filter(each -> each.to() > now - DAY_MILLIS).toList())
        .filter(blocks -> millis(blocks) > 0)
        .mapToDouble(
            blocks ->
                (double) blocks.stream().mapToLong(Block::bytes).sum()
                    * DAY_MILLIS
                    / millis(blocks))
        .reduce(Double::sum);
  }

  /** The time from the beginning of the first block to the end of the last. */
  private static long millis(List<Block> blocks) {
    return blocks.stream().mapToLong(Block::to).max().orElse(0)
        - blocks.stream().mapToLong(Block::from).min().orElse(0);
  }

  /** Bytes of a sample on disk, measured in the newest block of each host; empty without blocks. */
  OptionalDouble bytesPerSample() {
    long bytes = 0;
    long samples = 0;
    for (Lane lane : lanes().toList()) {
      List<Block> blocks = lane.blocks();
      if (!blocks.isEmpty()) {
        Block newest = blocks.getLast();
        bytes += newest.bytes() - newest.rollupBytes();
        samples += newest.samples();
      }
    }
    return samples == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) bytes / samples);
  }
}
