package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.BlockCounts;
import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.gateway.store.block.DamagedBlock;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Takes a block of a backup into a lane that may have samples of its time: the lane has the union
 * afterwards. Only the lane's writer uses it.
 *
 * <p>A block of a time of which the lane has nothing is taken as it is. What it has of times that
 * are in the lane's blocks is written with those blocks again, each under its own name; so at no
 * moment two blocks of the folder have the same time.
 */
final class BlockAdoption {
  /** One block has all the samples of a lane that is used here: its length, ms. */
  private static final long EVER_MILLIS = 1L << 52;

  private final Lane lane;
  private final Path folder;
  private final Store.SharedParts alone;
  private final BlockCounts counts;

  /** The directories of blocks that were read, so that each is read once. */
  private final Map<Path, Block.OpenedBlock> opened = new HashMap<>();

  /**
   * @param folder of the lane's blocks
   */
  BlockAdoption(Lane lane, Path folder, Dimensions dimensions, BlockCounts counts) {
    this.lane = lane;
    this.folder = folder;
    this.alone = Store.shared(unlimited(), dimensions);
    this.counts = counts;
  }

  static StoreLimits unlimited() {
    return new StoreLimits(
        Duration.ofMillis(2 * EVER_MILLIS),
        Long.MAX_VALUE,
        Duration.ofMillis(2 * EVER_MILLIS),
        Duration.ZERO,
        Duration.ZERO,
        Integer.MAX_VALUE,
        Integer.MAX_VALUE,
        Integer.MAX_VALUE);
  }

  /** Takes in a file, which is moved or is not needed any more afterwards. */
  Store.Adoption take(Path file) throws IOException, DamagedBlock {
    Block.OpenedBlock received = Block.open(file, counts);
    long from = received.block().from();
    long to = received.block().to();
    if (isFree(from, to)) {
      Path place = folder.resolve(BlockFolder.name(from, to));
      Files.move(file, place, StandardCopyOption.ATOMIC_MOVE);
      lane.adopt(reopen(place), this::open);
      withoutRollups(from, to);
      return Store.Adoption.ADOPTED;
    }
    Lane other = new Lane(lane.host(), alone);
    other.restore(List.of(received));
    long sealed = Math.min(to, lane.refusedBefore());
    boolean isUnited = false;
    long at = from;
    for (Block each : overlapping(from, sealed)) {
      isUnited |= unite(other, at, Math.max(at, each.from()), null);
      isUnited |= unite(other, each.from(), each.to(), each);
      at = each.to();
    }
    isUnited |= unite(other, at, Math.max(at, sealed), null);
    long rest = Math.max(at, sealed);
    if (rest < to && lacks(other.all(rest, to), rest, to)) {
      if (isInMemoryBefore(to)) {
        return Store.Adoption.TO_MERGE;
      }
      isUnited |= unite(other, rest, to, null);
      lane.sealedTo(to);
    }
    if (isUnited) {
      withoutRollups(from, to);
    }
    return isUnited ? Store.Adoption.UNITED : Store.Adoption.KNOWN;
  }

  /**
   * The first steps of a block's rollups depend on the samples before the block: where these have
   * become more, the block is written without rollups.
   */
  private void withoutRollups(long from, long to) throws IOException, DamagedBlock {
    for (Block each : overlapping(from + 1, to + lane.rollupHorizon())) {
      if (each.from() > from && each.rollupBytes() > 0 && !each.isDamaged()) {
        write(lane.all(each.from(), each.to()), each.from(), each.to());
      }
    }
  }

  private void write(List<Series> all, long from, long to) throws IOException, DamagedBlock {
    Lane one = new Lane(lane.host(), alone);
    copy(all, one);
    one.sealAll(from, to).write(folder);
    lane.replace(reopen(folder.resolve(BlockFolder.name(from, to))), this::open);
  }

  private Block.OpenedBlock open(Path file) throws IOException, DamagedBlock {
    Block.OpenedBlock known = opened.get(file);
    return known == null ? reopen(file) : known;
  }

  private Block.OpenedBlock reopen(Path file) throws IOException, DamagedBlock {
    Block.OpenedBlock read = Block.open(file, counts);
    opened.put(file, read);
    return read;
  }

  private List<Block> overlapping(long from, long to) {
    return lane.blocks().stream()
        .filter(each -> each.from() < to && each.to() > from)
        .sorted(Comparator.comparingLong(Block::from))
        .toList();
  }

  /**
   * Returns true if nothing of this time is in a block, and nothing before its end is in memory.
   */
  private boolean isFree(long from, long to) {
    return overlapping(from, to).isEmpty() && !isInMemoryBefore(to);
  }

  /** Returns true if samples before a time are in memory; those in blocks are older. */
  private boolean isInMemoryBefore(long to) {
    long unsealed = Math.max(lane.view().oldest(), lane.refusedBefore());
    return unsealed < to && !lane.all(unsealed, to).isEmpty();
  }

  /**
   * Writes a block with what the lane and another one have of a time, if the other has more.
   *
   * @param of the lane's block of this time; null if there is none
   */
  private boolean unite(Lane other, long from, long to, Block of) throws IOException, DamagedBlock {
    if (from >= to) {
      return false;
    }
    List<Series> more = other.all(from, to);
    if (!lacks(more, from, to)) {
      return false;
    }
    if (of != null && of.isDamaged()) {
      throw new IOException(
          "the block " + of.file() + " is damaged, so nothing can be added to it");
    }
    List<Series> both = new ArrayList<>(lane.all(from, to));
    both.addAll(more);
    write(both, from, to);
    return true;
  }

  /**
   * Writes ticks as one block.
   *
   * @param empty a lane that is used for nothing else
   */
  static Path write(Lane empty, List<Tick> ticks, Path folder) throws IOException {
    Map<Labels, Lane.Handle> handles = new HashMap<>();
    for (Tick tick : ticks) {
      empty.append(
          Lane.Source.JOURNAL,
          tick.time(),
          Long.MAX_VALUE,
          tick.series().stream()
              .map(series -> handles.computeIfAbsent(series, empty::handle))
              .toArray(Lane.Handle[]::new),
          tick.values(),
          tick.histograms(),
          new WriteOutcome());
    }
    long from = ticks.getFirst().time();
    long to = ticks.getLast().time() + 1;
    empty.sealAll(from, to).write(folder);
    return folder.resolve(BlockFolder.name(from, to));
  }

  /** Copies samples; the first of two values of a series at one time stays. */
  private void copy(List<Series> all, Lane to) {
    Map<Labels, Lane.Handle> handles = new HashMap<>();
    for (Tick tick : HostPage.ticks(all)) {
      Set<Labels> owned = new HashSet<>();
      for (int i = 0; i < tick.values().length; i++) {
        if (!Staleness.isMarker(tick.values()[i])) {
          owned.add(identity(tick.series().get(i)));
        }
      }
      // A marker where another owner took over is supposed by readers, and is no sample.
      int[] kept =
          IntStream.range(0, tick.values().length)
              .filter(
                  i ->
                      !Staleness.isMarker(tick.values()[i])
                          || !owned.contains(identity(tick.series().get(i))))
              .toArray();
      Histogram[] histograms = tick.histograms();
      to.append(
          Lane.Source.JOURNAL,
          tick.time(),
          Long.MAX_VALUE,
          IntStream.of(kept)
              .mapToObj(i -> handles.computeIfAbsent(tick.series().get(i), to::handle))
              .toArray(Lane.Handle[]::new),
          IntStream.of(kept).mapToDouble(i -> tick.values()[i]).toArray(),
          histograms == null
              ? null
              : IntStream.of(kept).mapToObj(i -> histograms[i]).toArray(Histogram[]::new),
          new WriteOutcome());
    }
  }

  private Labels identity(Labels labels) {
    Dimensions dimensions = alone.dimensions();
    return dimensions.apply(labels) ? dimensions.identity(labels) : labels;
  }

  /**
   * Returns true if one of these samples is not in the lane. Of two values at one time the lane's
   * stays.
   */
  private boolean lacks(List<Series> samples, long from, long to) {
    if (samples.isEmpty()) {
      return false;
    }
    Map<Labels, Series> known = new HashMap<>();
    lane.all(from, to).forEach(each -> known.put(each.labels(), each));
    for (Series each : samples) {
      Series here = known.get(each.labels());
      if (here == null || !hasTimes(here, each)) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasTimes(Series here, Series other) {
    int at = 0;
    for (int i = 0; i < other.size(); i++) {
      while (at < here.size() && here.times()[at] < other.times()[i]) {
        at++;
      }
      if (at == here.size() || here.times()[at] != other.times()[i]) {
        return false;
      }
    }
    return true;
  }
}
