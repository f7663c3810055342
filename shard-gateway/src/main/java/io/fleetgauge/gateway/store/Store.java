package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.gateway.store.block.DamagedBlock;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.Fragment.Search;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Utf8Order;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All hosts of a gateway. Safe for all threads; each lane has one writer. */
public final class Store {
  private static final Logger LOG = LoggerFactory.getLogger(Store.class);
  private static final long SILENT_MILLIS = 300_000;

  private final Path folder;
  private final StoreLimits limits;
  private final Dimensions dimensions;
  private final StoreCounts counts = new StoreCounts();
  private final SeriesBudget budget;
  private final Map<String, Lane> lanes = new ConcurrentHashMap<>();
  private final RollupRules rules;

  /** Tells this store from the one before a restart. */
  private final long incarnation = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);

  private final AtomicLong changes = new AtomicLong();
  private final SealedRollups sealedRollups = new SealedRollups();

  /** A store that keeps nothing reduced. */
  public Store(Path folder, StoreLimits limits, Dimensions dimensions) {
    this(folder, limits, dimensions, RollupRules.NONE);
  }

  /**
   * @param folder where blocks lie; made when the first is written
   * @param rules what is kept reduced
   */
  public Store(Path folder, StoreLimits limits, Dimensions dimensions, RollupRules rules) {
    this.rules = rules;
    this.folder = folder;
    this.limits = limits;
    this.dimensions = dimensions;
    this.budget = new SeriesBudget(limits);
  }

  public StoreLimits limits() {
    return limits;
  }

  /** The lane of a host, made when it is not there. */
  public Lane lane(String host) {
    return lanes.computeIfAbsent(
        host,
        name ->
            new Lane(
                name,
                limits,
                counts,
                dimensions,
                budget,
                rules,
                sealedRollups,
                new Changes(changes)));
  }

  /** What is kept reduced. */
  public RollupRules rollupRules() {
    return rules;
  }

  /** Bytes that rollups of steps in memory take, about. */
  public long rollupBytes() {
    return lanes.values().stream().mapToLong(Lane::rollupBytes).sum();
  }

  /** Of the cache of rollups that were read from blocks; its limit is in bytes. */
  public CacheUse sealedRollupUse() {
    return sealedRollups.use();
  }

  /** The lane of a host, if it is there. */
  public Optional<Lane> find(String host) {
    return Optional.ofNullable(lanes.get(host));
  }

  /** The hosts that blocks lie here of. */
  public List<String> hostsOnDisk() throws IOException {
    return BlockFolder.hosts(folder);
  }

  /**
   * Takes in a host's blocks. Whoever writes the lane does it, before anything else. A block that
   * is damaged is left where it is, and left out.
   *
   * @throws IOException if the disk cannot be read
   */
  public void restore(String host) throws IOException {
    List<Block.Opened> opened = new ArrayList<>();
    for (Path file : BlockFolder.blocks(BlockFolder.of(folder, host))) {
      try {
        opened.add(Block.open(file, counts.blocks));
      } catch (DamagedBlock e) {
        counts.blocks.damaged.increment();
        LOG.error("{}; its samples are lost", e.getMessage());
        lane(host).lost(BlockFolder.from(file), BlockFolder.to(file));
      }
    }
    if (!opened.isEmpty()) {
      lane(host).restore(opened);
    }
  }

  /** Where a host's blocks lie. */
  public Path folder(String host) {
    return BlockFolder.of(folder, host);
  }

  /** Drops a host's lane. Only whoever writes it may do so. */
  public void forget(String host) {
    Lane lane = lanes.remove(host);
    if (lane != null) {
      lane.release();
    }
  }

  public StoreCounts counts() {
    return counts;
  }

  /** The hosts that samples are kept of. */
  public List<String> hosts() {
    return List.copyOf(lanes.keySet());
  }

  public int hostCount() {
    return lanes.size();
  }

  public long seriesCount() {
    return budget.count();
  }

  /** Bytes that samples took in memory when they were last counted. */
  public long payloadBytes() {
    return lanes.values().stream().mapToLong(Lane::payloadBytes).sum();
  }

  /** Bytes of all blocks on disk. */
  public long blockBytes() {
    return blocks().mapToLong(Block::bytes).sum();
  }

  public long blockCount() {
    return blocks().count();
  }

  private Stream<Block> blocks() {
    return lanes.values().stream().flatMap(lane -> lane.blocks().stream());
  }

  /**
   * Blocks that end at or before this time, ms, have to go for the others to be within the limit of
   * bytes; {@link Long#MIN_VALUE} when none has to.
   */
  public long dropBefore() {
    long bytes = blockBytes();
    if (bytes <= limits.maxBlockBytes()) {
      return Long.MIN_VALUE;
    }
    TreeMap<Long, Long> byEnd = new TreeMap<>();
    blocks().forEach(block -> byEnd.merge(block.to(), block.bytes(), Long::sum));
    for (var entry : byEnd.entrySet()) {
      bytes -= entry.getValue();
      if (bytes <= limits.maxBlockBytes()) {
        return entry.getKey();
      }
    }
    return byEnd.lastKey();
  }

  // --- handing on ---

  /**
   * How much of a host stands in each slot of time that has anything, and a hash of series and
   * times: where these are equal, so are the samples, whatever their order of arrival. Values are
   * left out, because of two values at one time nobody could say which one is to go.
   *
   * @param fineFrom slots before this time have {@code coarseMillis}, others a minute
   * @param until the last time that counts, ms
   */
  public SortedMap<Long, Digests.Slot> digest(
      String host, long fineFrom, long coarseMillis, long until) {
    Lane lane = lanes.get(host);
    return lane == null
        ? new TreeMap<>()
        : new Digests(this, lane, coarseMillis).of(fineFrom, until);
  }

  /** Times from which on minutes are compared: all before is in blocks by and by. */
  public long fineFrom(long until) {
    long block = limits.blockMillis();
    return until == Long.MAX_VALUE ? until : Math.floorDiv(until - 2 * block, block) * block;
  }

  public long blockMillis() {
    return limits.blockMillis();
  }

  /** All series of a host with samples from {@code from} on and before {@code to}. */
  List<Series> all(String host, long from, long to) {
    try {
      return select(
          List.of(host),
          new Selection(List.of(), from - 1, to - 1),
          Long.MAX_VALUE,
          damaged -> LOG.warn("a part of host {} cannot be read", damaged),
          StopCheck.NEVER);
    } catch (TooManySamples | QueryFailure e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Samples of a host as frames, oldest first, at least those of one tick and not many more than
   * {@code mostBytes}.
   *
   * @param from the first time, ms
   * @param to the time behind the last, ms
   */
  public HostPage export(String host, long from, long to, int mostBytes) {
    return HostPage.of(this, host, from, to, mostBytes);
  }

  /** The files of a host's blocks, in order of time. */
  public List<Path> blockFiles(String host) {
    return find(host).stream().flatMap(lane -> lane.blocks().stream()).map(Block::file).toList();
  }

  // --- reading ---

  /**
   * The samples of a selection, one stretch for each label set, ordered by label set.
   *
   * @param stop looked at between series
   * @throws TooManySamples if there are more
   * @throws QueryFailure if it was told to stop
   * @see #read
   */
  public List<Series> select(
      Collection<String> hosts,
      Selection selection,
      long budget,
      Consumer<String> incomplete,
      StopCheck stop)
      throws TooManySamples, QueryFailure {
    List<Series> found = new ArrayList<>();
    read(
        hosts,
        selection,
        budget,
        incomplete,
        series -> {
          Optional<QueryFailure> over = stop.reason();
          if (over.isPresent()) {
            throw over.get();
          }
          found.add(series);
        });
    return found;
  }

  /**
   * Hands the samples of a selection over, one stretch for each label set, ordered by label set.
   * Each is read when the one before has been taken.
   *
   * @param hosts whose samples; a host that nothing is kept of has none
   * @param budget most samples
   * @param incomplete is told of each host of which something could not be read
   * @throws TooManySamples if there are more
   * @throws QueryFailure if the receiver fails
   */
  public void read(
      Collection<String> hosts,
      Selection selection,
      long budget,
      Consumer<String> incomplete,
      SeriesSource.Receiver receiver)
      throws TooManySamples, QueryFailure {
    Reading reading = new Reading(selection);
    for (Lane lane : lanesOf(hosts)) {
      reading.add(lane);
    }
    reading.handOver(budget, incomplete, receiver);
  }

  /**
   * How much a selection would read.
   *
   * @param samples about how many; the time between samples is taken to be the same everywhere
   */
  public record Extent(long series, long samples) {}

  /** What a selection would read, from the catalog and the heads of what is kept. */
  public Extent extent(Collection<String> hosts, Selection selection) {
    long series = 0;
    long samples = 0;
    for (Lane lane : lanesOf(hosts)) {
      int matching = lane.candidates(selection.matchers()).size();
      series += matching;
      samples += matching * lane.ticksIn(selection.from(), selection.to());
    }
    return new Extent(series, samples);
  }

  /**
   * What has changed since it was asked before.
   *
   * @param before the incarnation that was told then
   * @param since the cursor that was given then
   */
  public FragmentAnswer.Changes changes(long epoch, long before, long since) {
    long cursor = changes.get();
    List<FragmentAnswer.Changed> changed = new ArrayList<>();
    long newest = Long.MIN_VALUE;
    for (Lane lane : lanes.values()) {
      newest = Math.max(newest, lane.newest());
      if (before == incarnation) {
        lane.changedSince(since).ifPresent(changed::add);
      }
    }
    long watermark = newest;
    for (Lane lane : lanes.values()) {
      // A host that has been silent for long is not waited for.
      if (lane.newest() > newest - SILENT_MILLIS) {
        watermark = Math.min(watermark, lane.newest());
      }
    }
    return new FragmentAnswer.Changes(epoch, List.of(), incarnation, cursor, watermark, changed);
  }

  /** How many changes there have been; who reads samples later sees all of them. */
  public long changeCount() {
    return changes.get();
  }

  /**
   * Names of labels, sorted.
   *
   * @param incomplete is told of each host of which something could not be read
   */
  public List<String> labelNames(
      Collection<String> hosts, Search search, Consumer<String> incomplete) {
    TreeSet<String> names = new TreeSet<>(Utf8Order::compare);
    visit(
        hosts,
        search,
        incomplete,
        labels -> {
          for (int i = 0; i < labels.size(); i++) {
            names.add(labels.name(i));
          }
        });
    return limited(names, search.limit());
  }

  /** Values of one label, sorted; {@code incomplete} as above. */
  public List<String> labelValues(
      Collection<String> hosts, String label, Search search, Consumer<String> incomplete) {
    TreeSet<String> values = new TreeSet<>(Utf8Order::compare);
    if (search.matchers().isEmpty() && !dimensions.names().contains(label)) {
      for (Lane lane : lanesOf(hosts)) {
        SampleReader reader = new SampleReader();
        lane.catalog()
            .values(
                label,
                (value, series) -> {
                  if (!values.contains(value)
                      && series.anyMatch(
                          each -> each.hasSampleIn(search.from(), search.to(), reader))) {
                    values.add(value);
                  }
                });
        tellDamage(lane, reader, search, incomplete);
      }
    } else {
      visit(
          hosts,
          search,
          incomplete,
          labels -> {
            if (!labels.value(label).isEmpty()) {
              values.add(labels.value(label));
            }
          });
    }
    return limited(values, search.limit());
  }

  /** Label sets, sorted; {@code incomplete} as above. */
  public List<Labels> labelSets(
      Collection<String> hosts, Search search, Consumer<String> incomplete) {
    TreeSet<Labels> sets = new TreeSet<>();
    visit(hosts, search, incomplete, sets::add);
    return limited(sets, search.limit());
  }

  private void visit(
      Collection<String> hosts,
      Search search,
      Consumer<String> incomplete,
      Consumer<Labels> visitor) {
    List<List<Matcher>> alternatives =
        search.matchers().isEmpty() ? List.of(List.of()) : search.matchers();
    for (Lane lane : lanesOf(hosts)) {
      long to = Math.min(search.to(), lane.newest());
      SampleReader reader = new SampleReader();
      for (List<Matcher> matchers : alternatives) {
        for (StoredSeries series : lane.candidates(matchers)) {
          OwnerViews.of(series, matchers, search.from(), to)
              .labels(series, reader)
              .forEach(visitor);
        }
      }
      tellDamage(lane, reader, search, incomplete);
    }
  }

  private static void tellDamage(
      Lane lane, SampleReader reader, Search search, Consumer<String> incomplete) {
    long before = Math.max(search.from(), Long.MIN_VALUE + 1) - 1;
    if (reader.takeDamaged() || lane.hasLost(before, search.to())) {
      incomplete.accept(lane.host());
    }
  }

  private List<Lane> lanesOf(Collection<String> hosts) {
    List<Lane> found = new ArrayList<>();
    for (String host : hosts) {
      Lane lane = lanes.get(host);
      if (lane != null) {
        found.add(lane);
      }
    }
    return found;
  }

  private static <T> List<T> limited(Collection<T> items, int limit) {
    return limit == 0 ? List.copyOf(items) : items.stream().limit(limit).toList();
  }
}
