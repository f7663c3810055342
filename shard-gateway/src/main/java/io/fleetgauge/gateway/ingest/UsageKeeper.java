package io.fleetgauge.gateway.ingest;

import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.usage.KeptUsage;
import io.fleetgauge.gateway.usage.UsageFile;
import io.fleetgauge.gateway.usage.UsageFiles;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.usage.HostUsage;
import io.fleetgauge.promql.usage.KeptDay;
import io.fleetgauge.promql.usage.SampledUsage;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageSamples;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.sample.Series;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what hosts' GPUs were used for, day by day, before the samples are dropped that tell it. A
 * day is computed when all its samples are in blocks, where none comes late any more, and again
 * when a block of it has changed. A month is made of its days when none of them is due. Lane
 * threads decide what is due; one thread computes it.
 */
final class UsageKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(UsageKeeper.class);

  /** Samples are dropped when their usage could not be kept so many times: the disk may be full. */
  private static final int ATTEMPTS = 3;

  private final Store store;
  private final UsageFiles files;
  private final LongSupplier clock;
  private final ExecutorService worker =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("usage").factory());

  /** Hosts of which days are being computed. */
  private final Set<String> computing = ConcurrentHashMap.newKeySet();

  private final Map<HostDay, Integer> failures = new ConcurrentHashMap<>();

  /** Days without a GPU, of which no file is written, and what this was found in. */
  private final Map<HostDay, UsageFile.Source> empty = new ConcurrentHashMap<>();

  private record HostDay(String host, long day) {}

  /**
   * A day that has to be computed.
   *
   * @param isUrgent whether its samples are about to be dropped
   */
  private record DueDay(long day, UsageFile.Source source, boolean isUrgent) {}

  /**
   * @param clock ms since the epoch
   */
  UsageKeeper(Store store, LongSupplier clock) {
    this.store = store;
    this.files = store.usage();
    this.clock = clock;
  }

  /**
   * Begins to compute the days of a host that are due. Writer of the lane only.
   *
   * @param now the host's time, ms
   * @param before the time before which blocks are about to be dropped, ms
   * @param works takes what is completed when the days are computed
   * @return the time before which blocks may be dropped now
   */
  long keep(Lane lane, long now, long before, List<CompletableFuture<Void>> works) {
    if (!files.isKept()) {
      return before;
    }
    String host = lane.host();
    files.expire(host, clock.getAsLong());
    List<DueDay> due = new ArrayList<>();
    long mayDrop = before;
    List<Block> all = lane.blocks();
    long end = all.isEmpty() ? Long.MIN_VALUE : all.getLast().to();
    for (long day = all.isEmpty() ? 0 : KeptUsage.dayOf(all.getFirst().from());
        day < end;
        day += KeptDay.MILLIS) {
      List<Block> blocks = KeptUsage.blocks(all, day);
      boolean isUrgent = !blocks.isEmpty() && blocks.getFirst().to() <= before;
      if (isDue(lane, day, blocks, now, isUrgent)) {
        due.add(new DueDay(day, KeptUsage.source(blocks), isUrgent));
        boolean waits = failures.getOrDefault(new HostDay(host, day), 0) < ATTEMPTS;
        mayDrop = isUrgent && waits ? Math.min(mayDrop, blocks.getFirst().to() - 1) : mayDrop;
      }
    }
    List<Long> months =
        files.monthsMissing(host, now - KeptDay.MILLIS).stream()
            .filter(month -> isSettled(lane, month, all))
            .toList();
    if ((!due.isEmpty() || !months.isEmpty()) && computing.add(host)) {
      works.add(begin(host, due, months));
    }
    return mayDrop;
  }

  /** Returns true if the days of a month are those that its samples tell of, where these are. */
  private boolean isSettled(Lane lane, long month, List<Block> all) {
    for (long day = month; day < KeptUsage.monthAfter(month); day += KeptDay.MILLIS) {
      List<Block> blocks = KeptUsage.blocks(all, day);
      if (hasSamples(blocks, day) && !isKnown(lane.host(), day, KeptUsage.source(blocks))) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasSamples(List<Block> blocks, long day) {
    return blocks.stream().anyMatch(each -> each.to() > day && each.from() < day + KeptDay.MILLIS);
  }

  /** Returns true if what these blocks tell has been computed. */
  private boolean isKnown(String host, long day, UsageFile.Source here) {
    return source(host, day).map(known -> !known.isStale(here)).orElse(false);
  }

  private Optional<UsageFile.Source> source(String host, long day) {
    return Optional.ofNullable(empty.get(new HostDay(host, day))).or(() -> files.source(host, day));
  }

  private boolean isDue(Lane lane, long day, List<Block> blocks, long now, boolean isUrgent) {
    if (!hasSamples(blocks, day) || files.isExpired(day, clock.getAsLong())) {
      return false;
    }
    long last = HostUsage.to(KeptUsage.hours(day), UsageTerms.DEFAULT);
    // The host's own time goes on from its newest sample, also at a start of this gateway.
    long latest = Math.max(now, clock.getAsLong());
    if (lane.sealedBefore() <= last && !(isUrgent && last <= latest)) {
      return false;
    }
    UsageFile.Source here = KeptUsage.source(blocks);
    if (isKnown(lane.host(), day, here)) {
      return false;
    }
    // What is missing may come from another gateway, or the whole file.
    return store.isIntact(lane.host()) || isUrgent && source(lane.host(), day).isEmpty();
  }

  private CompletableFuture<Void> begin(String host, List<DueDay> due, List<Long> months) {
    try {
      return CompletableFuture.runAsync(
              () -> {
                for (DueDay day : due) {
                  compute(host, day);
                }
                for (long month : months) {
                  make(host, month);
                }
              },
              worker)
          .whenComplete((none, failure) -> computing.remove(host));
    } catch (RejectedExecutionException e) {
      computing.remove(host);
      return CompletableFuture.completedFuture(null); // the intake is closed
    }
  }

  private void compute(String host, DueDay due) {
    HostDay day = new HostDay(host, due.day);
    try {
      UsagePeriod hours = KeptUsage.hours(due.day);
      Samples samples = new Samples(host);
      List<UsageRow> rows =
          new SampledUsage(samples, UsageTerms.DEFAULT, Set.of(), List.of()).rows(hours);
      if (samples.isIncomplete && !due.isUrgent) {
        throw new IOException("some of its samples cannot be read");
      }
      if (rows.isEmpty() && !files.has(host, due.day)) {
        empty.put(day, due.source);
      } else {
        files.put(UsageFile.ofDay(host, due.day, UsageTerms.DEFAULT, due.source, rows));
        empty.remove(day);
        files.counts().computed.increment();
      }
      failures.remove(day);
    } catch (IOException | TooManySamples | QueryFailure | RuntimeException e) {
      files.counts().failed.increment();
      if (failures.merge(day, 1, Integer::sum) == 1) {
        LOG.error(
            "the usage of host {} of {} is not kept: {}",
            host,
            UsageFile.name(due.day),
            e.toString());
      }
    }
  }

  private void make(String host, long month) {
    try {
      files.makeMonth(host, month);
    } catch (IOException | RuntimeException e) {
      files.counts().failed.increment();
      LOG.warn("the usage of host {} by month is not kept: {}", host, e.toString());
    }
  }

  private final class Samples implements UsageSamples {
    private final List<String> host;
    private boolean isIncomplete;

    Samples(String host) {
      this.host = List.of(host);
    }

    @Override
    public List<Series> samples(Selection selection, long budget)
        throws TooManySamples, QueryFailure {
      return store.select(host, selection, budget, none -> isIncomplete = true, StopCheck.NEVER);
    }

    @Override
    public Extent extent(Selection selection) {
      return store.extent(host, selection);
    }
  }

  /** All of a host is removed. Writer of the lane only. */
  void remove(String host) {
    files.remove(host);
    empty.keySet().removeIf(each -> each.host.equals(host));
    failures.keySet().removeIf(each -> each.host.equals(host));
  }

  void shutdown() {
    worker.shutdownNow();
  }

  void awaitEnd(long seconds) throws InterruptedException {
    worker.awaitTermination(seconds, TimeUnit.SECONDS);
  }
}
