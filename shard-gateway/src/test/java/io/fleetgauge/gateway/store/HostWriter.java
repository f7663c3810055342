package io.fleetgauge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** The one writer of a host in a test: it sends ticks, seals blocks and restarts. */
public final class HostWriter {
  /** Samples stay in memory for this long; a block has half of it. */
  public static final Duration MEMORY = Duration.ofHours(1);

  public static final long BLOCK_MILLIS = MEMORY.toMillis() / 2;

  private final Path folder;
  private final String host;
  private final StoreLimits limits;
  private final RollupRules rules;
  private Store store;

  /**
   * @param folder of the blocks
   */
  public HostWriter(Path folder, String host) {
    this(folder, host, limits(1_000), RollupRules.NONE);
  }

  public HostWriter(Path folder, String host, StoreLimits limits, RollupRules rules) {
    this.folder = folder;
    this.host = host;
    this.limits = limits;
    this.rules = rules;
    this.store = newStore();
  }

  /** Limits that only the number of series can exceed. */
  public static StoreLimits limits(int maxSeries) {
    return new StoreLimits(
        MEMORY.multipliedBy(24),
        1L << 30,
        MEMORY,
        MEMORY.dividedBy(2),
        MEMORY,
        maxSeries,
        maxSeries,
        maxSeries);
  }

  private Store newStore() {
    return new Store(folder, limits, Dimensions.DEFAULT, rules);
  }

  public Store store() {
    return store;
  }

  public Lane lane() {
    return store.lane(host);
  }

  public String host() {
    return host;
  }

  /** The labels of a series of this host. */
  public Labels series(String metric, String... namesAndValues) {
    String[] all = Arrays.copyOf(namesAndValues, namesAndValues.length + 4);
    all[all.length - 4] = Labels.NAME;
    all[all.length - 3] = metric;
    all[all.length - 2] = "Hostname";
    all[all.length - 1] = host;
    return Labels.of(all);
  }

  /** The labels of a metric of a GPU that a job owns; nobody owns it if the job is empty. */
  public Labels gpu(String metric, String uuid, String job) {
    return series(metric, "UUID", uuid, "job", job);
  }

  /** A histogram with so many observations. */
  public static Histogram histogram(int count) {
    return new Histogram(
        0,
        Histogram.ResetHint.UNKNOWN,
        count,
        2.5 * count,
        0.001,
        0,
        new Histogram.Buckets(new int[] {0, 3}, new double[] {1, count - 1}),
        Histogram.Buckets.NONE,
        new double[0]);
  }

  /** Sends a number. */
  public WriteOutcome send(long time, Labels series, double value) {
    return send(time, new Labels[] {series}, new double[] {value}, null);
  }

  /** Sends a histogram. */
  public WriteOutcome send(long time, Labels series, Histogram histogram) {
    return send(
        time, new Labels[] {series}, new double[] {histogram.sum()}, new Histogram[] {histogram});
  }

  public WriteOutcome send(long time, Labels[] series, double[] values, Histogram[] histograms) {
    return append(Lane.Source.SENDER, time, series, values, histograms);
  }

  public WriteOutcome append(
      Lane.Source source, long time, Labels[] series, double[] values, Histogram[] histograms) {
    Lane.Handle[] handles = Arrays.stream(series).map(lane()::handle).toArray(Lane.Handle[]::new);
    WriteOutcome outcome = new WriteOutcome();
    lane().append(source, time, Long.MAX_VALUE, handles, values, histograms, outcome);
    outcome.addTo(store.counts());
    return outcome;
  }

  /** Seals one block, if samples have been in memory long enough at this time. */
  public boolean seal(long now) throws IOException {
    Optional<Sealing> sealing = lane().beginSealing(now, Long.MIN_VALUE);
    if (sealing.isPresent()) {
      lane().finish(sealing.get().write(store.folder(host)));
    }
    return sealing.isPresent();
  }

  /** Seals all blocks that can be sealed at this time. */
  public void sealAll(long now) throws IOException {
    int limit = 1_000;
    while (seal(now)) {
      assertThat(limit--).as("sealing makes progress").isPositive();
    }
  }

  /** Starts again with the blocks alone: samples that were in memory are gone. */
  public void restart() throws IOException {
    store = newStore();
    store.restore(host);
  }
}
