package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.gateway.store.block.DamagedBlock;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.gateway.store.read.HostView;
import io.fleetgauge.gateway.store.read.IndexSearch;
import io.fleetgauge.gateway.store.read.NextSlot;
import io.fleetgauge.gateway.store.read.SelectionReader;
import io.fleetgauge.gateway.usage.UsageFiles;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.files.PrivateFiles;
import io.fleetgauge.sample.frame.PseudoHosts;
import io.fleetgauge.sample.frame.SilentHosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The samples of all hosts of a gateway. Safe for all threads; each lane has one writer.
 *
 * <p>It has more than 600 lines, because it is what other rooms see of this one, with a few lines
 * for each of its uses.
 */
public final class Store {
  private static final Logger LOG = LoggerFactory.getLogger(Store.class);
  private static final long SILENT_MIN_MILLIS = 30_000;
  private static final int SILENT_TICKS = 4;

  private final Path folder;
  private final SharedParts shared;
  private final UsageFiles usage;
  private final Map<String, Lane> lanes = new ConcurrentHashMap<>();

  /** Distinguishes this store from the one before a restart. */
  private final long incarnation = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);

  /**
   * The things that all lanes of a store have in common.
   *
   * @param changeCounter numbers the changes of all lanes
   * @param late hears of late samples
   */
  record SharedParts(
      StoreLimits limits,
      Dimensions dimensions,
      RollupRules rules,
      StoreCounts counts,
      SeriesBudget budget,
      RollupPages rollupPages,
      AtomicLong changeCounter,
      AtomicReference<LateSamples> late) {}

  /** A store without rollups. */
  public Store(Path folder, StoreLimits limits, Dimensions dimensions) {
    this(folder, limits, dimensions, RollupRules.NONE);
  }

  /**
   * @param folder of the blocks; created when the first is written
   * @param rules which rollups there are
   */
  public Store(Path folder, StoreLimits limits, Dimensions dimensions, RollupRules rules) {
    this(folder, limits, dimensions, rules, Duration.ZERO);
  }

  /**
   * As above.
   *
   * @param usageRetention age at which files of usage are removed; zero if none are kept
   */
  public Store(
      Path folder,
      StoreLimits limits,
      Dimensions dimensions,
      RollupRules rules,
      Duration usageRetention) {
    this.folder = folder;
    this.usage = new UsageFiles(folder, usageRetention);
    this.shared = shared(limits, dimensions, rules);
  }

  /** The things that lanes outside of a store have in common, which have no rollups. */
  static SharedParts shared(StoreLimits limits, Dimensions dimensions) {
    return shared(limits, dimensions, RollupRules.NONE);
  }

  private static SharedParts shared(StoreLimits limits, Dimensions dimensions, RollupRules rules) {
    return new SharedParts(
        limits,
        dimensions,
        rules,
        new StoreCounts(),
        new SeriesBudget(limits),
        new RollupPages(),
        new AtomicLong(),
        new AtomicReference<>(LateSamples.NONE));
  }

  /** Sets who hears of late samples. */
  public void onLate(LateSamples hears) {
    shared.late.set(hears);
  }

  public StoreLimits limits() {
    return shared.limits;
  }

  /** The lane of a host, created if there is none. */
  public Lane lane(String host) {
    return lanes.computeIfAbsent(host, name -> new Lane(name, shared));
  }

  /** Which rollups there are. */
  public RollupRules rollupRules() {
    return shared.rules;
  }

  /** The lane of a host, if there is one. */
  public Optional<Lane> find(String host) {
    return Optional.ofNullable(lanes.get(host));
  }

  /** As {@link BlockFolder#requireReadable}, of all blocks. */
  public void requireReadable() throws IOException {
    BlockFolder.requireReadable(folder);
  }

  /** The hosts that have blocks on disk. */
  public List<String> hostsOnDisk() throws IOException {
    return BlockFolder.hosts(folder);
  }

  /**
   * Reads a host's blocks. The lane's writer does this before anything else. A damaged block stays
   * on disk and is left out.
   *
   * @throws IOException if the disk cannot be read
   */
  public void restore(String host) throws IOException {
    usage.restore(host);
    List<Block.OpenedBlock> opened = new ArrayList<>();
    for (Path file : BlockFolder.blocks(BlockFolder.of(folder, host))) {
      try {
        opened.add(Block.open(file, shared.counts.blocks));
      } catch (DamagedBlock e) {
        shared.counts.blocks.damaged.increment();
        LOG.error("{}; its samples are lost", e.getMessage());
        lane(host).missing().lost(file);
      }
    }
    if (!opened.isEmpty()) {
      lane(host).restore(opened);
    }
  }

  /** The names of a host's block files that cannot be read, whole or in parts. */
  public List<String> damagedBlocks(String host) {
    return find(host).map(lane -> lane.missing().damagedBlocks()).orElse(List.of());
  }

  /** Returns true if all that was taken of a host is here, as far as this gateway knows. */
  public boolean isIntact(String host) {
    return find(host).map(lane -> lane.missing().isIntact()).orElse(true);
  }

  /**
   * Reads all of a file that another gateway has sent.
   *
   * @throws IOException if it is not a whole block
   */
  public static void checkBlock(Path file) throws IOException {
    try {
      Block.check(file);
    } catch (DamagedBlock e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Puts a file that another gateway has sent, and that was checked, in the place of a damaged
   * block. The lane's writer does this.
   *
   * @param name of the damaged block
   * @throws IOException if the disk refuses it or the file is of another time; nothing has changed
   */
  public void replaceBlock(String host, Path file, String name) throws IOException {
    Lane lane = lane(host);
    if (!lane.missing().damagedBlocks().contains(name)) {
      Files.delete(file);
      return;
    }
    try {
      Block received = Block.open(file, shared.counts.blocks).block();
      if (!BlockFolder.name(received.from(), received.to()).equals(name)) {
        throw new IOException("the block " + received + " is not that of " + name);
      }
      if (!lane.isOneBlock(received.from(), received.to())) {
        throw new IOException("other samples of the time of " + name + " are here");
      }
      Path place = folder(host).resolve(name);
      Files.move(file, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      lane.replace(Block.open(place, shared.counts.blocks));
      shared.counts.blocks.replaced.increment();
      LOG.info("the block {} was replaced by that of another gateway", place);
    } catch (DamagedBlock e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** The fate of a block of a backup. */
  public enum Adoption {
    /** Nothing was here of its time: it is a block of the host now. */
    ADOPTED,
    /** All its samples were here. */
    KNOWN,
    /** Samples that were not here were written into the blocks of their time. */
    UNITED,
    /** It has samples of a time that is in memory, which have to be taken in as pages. */
    TO_MERGE
  }

  /**
   * Takes in blocks of a backup, which were checked. The lane's writer does this, while no block of
   * the host is being written. Where the host has another value at one time, its own stays.
   *
   * @param files in order of time
   * @return what became of each; a file is moved only if it is {@link Adoption#ADOPTED}
   * @throws IOException if a file cannot be read or written; what was taken in until then stays
   */
  public List<Adoption> adopt(String host, List<Path> files) throws IOException {
    Lane lane = lane(host);
    Path place = folder(host);
    PrivateFiles.createFolders(place);
    if (lane.isEmpty() && lane.newest() == Long.MIN_VALUE && BlockFolder.blocks(place).isEmpty()) {
      for (Path file : files) {
        Files.move(file, place.resolve(file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
      }
      restore(host);
      return Collections.nCopies(files.size(), Adoption.ADOPTED);
    }
    BlockAdoption adoption =
        new BlockAdoption(lane, place, shared.dimensions, shared.counts.blocks);
    List<Adoption> all = new ArrayList<>();
    for (Path file : files) {
      try {
        all.add(adoption.take(file));
      } catch (DamagedBlock e) {
        throw new IOException(e.getMessage(), e);
      }
    }
    return all;
  }

  /**
   * Writes ticks as a block, which {@link #adopt} takes. Any thread.
   *
   * @param ticks at least one, oldest first
   */
  public Path block(String host, List<Tick> ticks, Path into) throws IOException {
    PrivateFiles.createFolders(into);
    return BlockAdoption.write(
        new Lane(host, shared(BlockAdoption.unlimited(), shared.dimensions)), ticks, into);
  }

  /** A store that reads the files of a backup only. */
  public Store ofBackup(Path blocks) {
    return new Store(blocks, BlockAdoption.unlimited(), shared.dimensions);
  }

  public Dimensions dimensions() {
    return shared.dimensions;
  }

  /** The folder of a host's blocks. */
  public Path folder(String host) {
    return BlockFolder.of(folder, host);
  }

  /** Removes a host's lane. Only its writer may do so. */
  public void forget(String host) {
    Lane lane = lanes.remove(host);
    if (lane != null) {
      lane.release();
    }
  }

  public StoreCounts counts() {
    return shared.counts;
  }

  /** The hosts that have a lane. */
  public List<String> hosts() {
    return List.copyOf(lanes.keySet());
  }

  /** What hosts' GPUs were used for, as it is kept after samples expire. */
  public UsageFiles usage() {
    return usage;
  }

  // --- sizes ---

  public int hostCount() {
    return lanes.size();
  }

  public long seriesCount() {
    return shared.budget.count();
  }

  /** Bytes that samples took in memory when they were last measured. */
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

  /** Estimated bytes of the rollups that were computed of samples. */
  public long rollupBytes() {
    return shared.rollupPages.computedUse().held();
  }

  /** Use of the cache of rollups that were read from blocks; its limit is in bytes. */
  public CacheUse sealedRollupUse() {
    return shared.rollupPages.sealedUse();
  }

  /** Use of the cache of rollups that were computed of samples; its limit is in bytes. */
  public CacheUse computedRollupUse() {
    return shared.rollupPages.computedUse();
  }

  private Stream<Block> blocks() {
    return lanes.values().stream().flatMap(lane -> lane.blocks().stream());
  }

  /**
   * Blocks that end at or before this time, ms, have to be removed so that the others are within
   * the limit of bytes; {@link Long#MIN_VALUE} if none has to.
   */
  public long dropBefore() {
    long most = shared.limits.maxBlockBytes();
    long bytes = blockBytes();
    if (bytes <= most) {
      return Long.MIN_VALUE;
    }
    TreeMap<Long, Long> byEnd = new TreeMap<>();
    blocks().forEach(block -> byEnd.merge(block.to(), block.bytes(), Long::sum));
    for (var entry : byEnd.entrySet()) {
      bytes -= entry.getValue();
      if (bytes <= most) {
        return entry.getKey();
      }
    }
    return byEnd.lastKey();
  }

  // --- copies for other gateways ---

  /**
   * For each slot of time with a sample of a host: how many samples there are, and a hash of series
   * and times. Equal hashes mean equal samples, in whatever order they arrived. Values are left
   * out: of two values at one time nobody could say which one is wrong.
   *
   * @param fineFrom slots before this time have {@code coarseMillis}, others a minute
   * @param until the last time that is included, ms
   */
  public SortedMap<Long, Digests.Slot> digest(
      String host, long fineFrom, long coarseMillis, long until) {
    Lane lane = lanes.get(host);
    return lane == null ? new TreeMap<>() : new Digests(lane, coarseMillis).of(fineFrom, until);
  }

  /** The time from which minutes are compared; what is before will be in blocks soon. */
  public long fineFrom(long until) {
    long block = blockMillis();
    return until == Long.MAX_VALUE ? until : Math.floorDiv(until - 2 * block, block) * block;
  }

  public long blockMillis() {
    return shared.limits.blockMillis();
  }

  /**
   * Samples of a host as frames, oldest first: those of one tick at least, and not many more than
   * {@code maxBytes}.
   *
   * @param from the first time, ms
   * @param to the time after the last, ms
   */
  public HostPage export(String host, long from, long to, int maxBytes) {
    return HostPage.of(host, lanes.get(host), from, to, maxBytes);
  }

  /**
   * The start of the next slot of time with a sample of a host.
   *
   * @param from start of a slot, ms: a multiple of {@code slotMillis}
   * @param end the time after the last sample that counts, ms
   * @return the end if there is none before it
   */
  public long nextSlot(String host, long from, long end, long slotMillis) {
    Lane lane = lanes.get(host);
    return lane == null ? end : new NextSlot(lane.view(), slotMillis).from(from, end);
  }

  /** The files of a host's blocks, in order of time. */
  public List<Path> blockFiles(String host) {
    return find(host).stream().flatMap(lane -> lane.missing().files().stream()).toList();
  }

  // --- reading ---

  /**
   * The samples of a selection, one stretch for each label set, ordered by label set.
   *
   * @param stop checked between series
   * @throws TooManySamples if there are more than the budget
   * @throws QueryFailure if {@code stop} gives a reason
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
          Optional<QueryFailure> reason = stop.reason();
          if (reason.isPresent()) {
            throw reason.get();
          }
          found.add(series);
        });
    return found;
  }

  /**
   * Passes on the samples of a selection, one stretch for each label set, ordered by label set.
   * Each is read when the receiver has returned from the one before.
   *
   * @param hosts whose samples; a host without a lane has none
   * @param budget maximum number of samples
   * @param incomplete receives each host of which something could not be read
   * @throws TooManySamples if there are more samples
   * @throws QueryFailure if the receiver fails
   */
  public void read(
      Collection<String> hosts,
      Selection selection,
      long budget,
      Consumer<String> incomplete,
      SeriesSource.Receiver receiver)
      throws TooManySamples, QueryFailure {
    SelectionReader reader = new SelectionReader(selection);
    views(hosts).forEach(reader::add);
    reader.read(budget, incomplete, receiver);
  }

  /**
   * Estimates what a selection would read, from the index and the times of each host. A series that
   * matches with none of its owners is not counted, so that nobody learns of the series of others.
   */
  public Extent extent(Collection<String> hosts, Selection selection) {
    long series = 0;
    long samples = 0;
    for (HostView host : views(hosts)) {
      long matching = host.matching(selection);
      series += matching;
      samples += matching * host.ticksIn(selection.from(), selection.to());
    }
    return new Extent(series, samples);
  }

  /** The number of series of a host that match, whenever they had samples. Reads no sample. */
  public long seriesCount(String host, List<Matcher> matchers) {
    Lane lane = lanes.get(host);
    return lane == null ? 0 : lane.view().everMatching(matchers);
  }

  /**
   * The changes since it was asked before.
   *
   * @param before the incarnation of the answer before
   * @param since the cursor of the answer before
   * @param isAwaited whether the watermark waits for a host: that of a host which another gateway
   *     owns is known there
   */
  public StoreChanges changes(long before, long since, Predicate<String> isAwaited) {
    long cursor = changeCount();
    List<StoreChanges.OfHost> changed = new ArrayList<>();
    long newest = Long.MIN_VALUE;
    long newestAwaited = Long.MIN_VALUE;
    for (Lane lane : lanes.values()) {
      if (!PseudoHosts.isOne(lane.host())) {
        newest = Math.max(newest, lane.sent());
        newestAwaited =
            isAwaited.test(lane.host()) ? Math.max(newestAwaited, lane.sent()) : newestAwaited;
      }
      if (before == incarnation) {
        lane.changedSince(since).ifPresent(changed::add);
      }
    }
    long watermark = Long.MAX_VALUE;
    for (Lane lane : lanes.values()) {
      if (!PseudoHosts.isOne(lane.host())
          && isAwaited.test(lane.host())
          && !isSilent(lane, newest)) {
        watermark = Math.min(watermark, lane.completeUpTo());
      }
    }
    if (watermark == Long.MAX_VALUE) {
      watermark = newestAwaited;
    }
    return new StoreChanges(incarnation, cursor, watermark, changed);
  }

  /** Returns true if a host has stopped sending, so that nobody waits for it. */
  private static boolean isSilent(Lane lane, long newest) {
    long most =
        Math.clamp(SILENT_TICKS * lane.tickMillis(), SILENT_MIN_MILLIS, SilentHosts.MOST_MILLIS);
    // Nothing is expected of one with derived samples only.
    return lane.sent() == Long.MIN_VALUE
        || lane.sent() <= newest - most
        || lane.heard() < lane.sent();
  }

  /** The number of changes so far; samples that are read later include all of them. */
  public long changeCount() {
    return shared.changeCounter.get();
  }

  /** Names of labels; see {@link IndexSearch#names}. */
  public List<String> labelNames(
      Collection<String> hosts, SeriesSearch search, Consumer<String> incomplete) {
    return new IndexSearch(search).names(views(hosts), incomplete);
  }

  /** Values of a label; see {@link IndexSearch#values}. */
  public List<String> labelValues(
      Collection<String> hosts, String label, SeriesSearch search, Consumer<String> incomplete) {
    return new IndexSearch(search).values(views(hosts), label, incomplete);
  }

  /** Label sets; see {@link IndexSearch#sets}. */
  public List<Labels> labelSets(
      Collection<String> hosts, SeriesSearch search, Consumer<String> incomplete) {
    return new IndexSearch(search).sets(views(hosts), incomplete);
  }

  /** Owners of series; see {@link IndexSearch#owners}. */
  public OwnerIntervals owners(
      Collection<String> hosts, SeriesSearch search, Consumer<String> incomplete) {
    return new IndexSearch(search).owners(views(hosts), incomplete);
  }

  private List<HostView> views(Collection<String> hosts) {
    List<HostView> found = new ArrayList<>();
    for (String host : hosts) {
      Lane lane = lanes.get(host);
      if (lane != null) {
        found.add(lane.view());
      }
    }
    return found;
  }
}
