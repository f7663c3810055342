package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.gateway.store.read.MissingTimes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The samples of a lane that are not here although the host has sent them: those of blocks that
 * cannot be read, and those that only another gateway may have. Until they are copied from there,
 * answers say that they are incomplete.
 */
public final class MissingSamples {
  private static final Logger LOG = LoggerFactory.getLogger(MissingSamples.class);

  private final String host;
  private final MissingTimes times;
  private final LaneBlocks blocks;
  private final RecentChanges changed;

  /** The files of blocks that could not be read. Any thread may read it. */
  private final Map<MissingTimes.Range, Path> damaged = new ConcurrentHashMap<>();

  MissingSamples(String host, MissingTimes times, LaneBlocks blocks, RecentChanges changed) {
    this.host = host;
    this.times = times;
    this.blocks = blocks;
    this.changed = changed;
  }

  /** A block with samples of this time could not be read. Writer only. */
  public void lost(Path file) {
    MissingTimes.Range time = new MissingTimes.Range(BlockFolder.from(file), BlockFolder.to(file));
    damaged.put(time, file);
    times.addLost(time);
    changed.all();
  }

  /**
   * Takes note of damaged blocks whose samples have been copied to here from another gateway.
   * Writer only.
   *
   * @param isHere whether all that a damaged block had is here
   */
  public void foundLost(Predicate<MissingTimes.Range> isHere) {
    List<MissingTimes.Range> found = times.lost().stream().filter(isHere).toList();
    if (!found.isEmpty()) {
      LOG.info(
          "host {}: the samples of the damaged blocks {} were copied from another gateway",
          host,
          found.stream().map(damaged::get).toList());
      found.forEach(each -> times.found(each.from(), each.to()));
      changed.all();
    }
  }

  /**
   * The files of damaged blocks whose samples have expired or are in memory by now; they are told
   * once. Writer only, while no block is being written.
   */
  public List<Path> takeUnneeded() {
    if (damaged.isEmpty()) {
      return List.of();
    }
    List<Path> unneeded = new ArrayList<>();
    Set<MissingTimes.Range> lost = Set.copyOf(times.lost());
    Set<Path> inUse = blocks.list().stream().map(Block::file).collect(Collectors.toSet());
    damaged
        .entrySet()
        .removeIf(
            each -> {
              boolean isNeeded = lost.contains(each.getKey());
              if (!isNeeded && !inUse.contains(each.getValue())) {
                unneeded.add(each.getValue());
              }
              return !isNeeded;
            });
    return unneeded;
  }

  /** The files of all blocks, damaged ones too. */
  Set<Path> files() {
    Set<Path> files = new TreeSet<>(damaged.values());
    blocks.list().forEach(each -> files.add(each.file()));
    return files;
  }

  /**
   * Returns true if all that this gateway took of the host is here, as far as it knows: no block is
   * damaged and nothing waits to be fetched.
   */
  boolean isIntact() {
    return !times.hasGaps() && !isDamaged();
  }

  /** Returns true if a block cannot be read, whole or in parts, and its samples are not here. */
  public boolean isDamaged() {
    return times.hasLost() || blocks.list().stream().anyMatch(Block::isDamaged);
  }

  /** The names of the blocks that cannot be read, whole or in parts. */
  List<String> damagedBlocks() {
    return Stream.concat(
            times.lost().stream().map(each -> BlockFolder.name(each.from(), each.to())),
            blocks.list().stream()
                .filter(Block::isDamaged)
                .map(each -> BlockFolder.name(each.from(), each.to())))
        .distinct()
        .toList();
  }

  /** Samples from {@code from} on and before {@code to} may be on another gateway only. */
  public void gap(long from, long to) {
    times.addGap(from, to);
    changed.all();
  }

  /** The samples of all gaps have been copied to here. Writer only. */
  public void closeGaps() {
    if (times.hasGaps()) {
      times.closeGaps();
      changed.all();
    }
  }

  /** Returns true if samples after {@code after} and up to {@code to} may be missing. */
  public boolean hasLost(long after, long to) {
    return times.overlaps(after, to);
  }
}
