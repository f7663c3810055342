package io.fleetgauge.gateway.backup;

import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.gateway.store.block.DamagedBlock;
import io.fleetgauge.gateway.usage.UsageFile;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes snapshots, one after the other on a thread of its own. Safe for all threads. */
public final class Snapshots implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

  /** A snapshot holds disk space, so there are not more at a time. */
  static final int MAX_SNAPSHOTS = 2;

  /** A snapshot that nobody has asked for so long is removed, ms. */
  private static final long UNUSED_MILLIS = TimeUnit.HOURS.toMillis(2);

  /** A page has samples of one such time at most: later snapshots have the same pages again. */
  private static final long PAGE_MILLIS = TimeUnit.MINUTES.toMillis(15);

  private static final int PAGE_BYTES = 4 << 20;
  private static final long LANE_SECONDS = 60;

  /** Number of times that a host is looked at again because a block has gone since. */
  private static final int LOOKS = 5;

  private final BackedUpStore from;
  private final Path root;
  private final Store store;
  private final LongSupplier clock;
  private final BlockChecks checks = new BlockChecks();
  private final ExecutorService worker =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("snapshots").factory());
  private final Map<String, State> states = new TreeMap<>();

  /** A snapshot that is there, or is being taken, or could not be taken. */
  static final class State {
    final int hosts;
    volatile int done;
    volatile Snapshot snapshot;
    volatile String failure = "";
    private long usedAt;

    State(int hosts, long now) {
      this.hosts = hosts;
      this.usedAt = now;
    }
  }

  /**
   * @param clock ms since the epoch
   */
  Snapshots(BackedUpStore from, LongSupplier clock) {
    this.from = from;
    this.root = from.folder().resolve("snapshots"); // on the file system of the blocks
    this.store = from.store();
    this.clock = clock;
    // Files that a process has left which ended meanwhile.
    worker.execute(() -> remove(root));
  }

  /**
   * Begins a snapshot.
   *
   * @return its id; empty if there are as many as there may be
   */
  synchronized Optional<String> begin() {
    states.values().removeIf(state -> !state.failure.isEmpty());
    if (states.size() >= MAX_SNAPSHOTS) {
      return Optional.empty();
    }
    String id = UUID.randomUUID().toString();
    State state = new State(store.hostCount(), clock.getAsLong());
    states.put(id, state);
    worker.execute(() -> take(id, state));
    return Optional.of(id);
  }

  /** A snapshot, which is kept for longer because somebody asks for it. */
  synchronized Optional<State> find(String id) {
    State state = states.get(id);
    if (state != null) {
      state.usedAt = clock.getAsLong();
    }
    return Optional.ofNullable(state);
  }

  synchronized List<String> ids() {
    return List.copyOf(states.keySet());
  }

  synchronized void remove(String id) {
    if (states.remove(id) != null) {
      worker.execute(() -> remove(root.resolve(id)));
    }
  }

  /** Removes the snapshots that nobody has asked for any more. */
  synchronized void timePassed() {
    long now = clock.getAsLong();
    for (String id : ids()) {
      if (states.get(id).usedAt < now - UNUSED_MILLIS) {
        LOG.warn("the snapshot {} is removed: it has not been used for two hours", id);
        remove(id);
      }
    }
  }

  private void take(String id, State state) {
    Path folder = root.resolve(id);
    try {
      if (!from.intake().isRecovered()) {
        throw new IOException("samples from before the start have not been loaded yet");
      }
      long taken = clock.getAsLong();
      List<Snapshot.OfHost> hosts = new ArrayList<>();
      for (String host : new TreeSet<>(store.hosts())) {
        Snapshot.OfHost of = take(host, folder);
        if (!of.files().isEmpty() || !of.damaged().isEmpty()) {
          hosts.add(of);
        }
        state.done++;
      }
      checks.forgetOthers();
      state.snapshot =
          new Snapshot(from.gateway(), from.cluster(), taken, store.dimensions(), hosts);
    } catch (IOException | ExecutionException | TimeoutException | RuntimeException e) {
      LOG.error("no snapshot can be taken", e);
      remove(folder);
      state.failure = "no snapshot can be taken: " + e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      state.failure = "the gateway is being stopped";
    }
  }

  /** The contents of a lane at one moment. */
  private record LaneContents(
      boolean whole,
      long sealedBefore,
      long oldest,
      List<Path> files,
      List<Path> usage,
      Set<String> damaged) {}

  private Snapshot.OfHost take(String host, Path folder)
      throws IOException, ExecutionException, TimeoutException, InterruptedException {
    for (int look = 1; ; look++) {
      LaneContents seen =
          from.intake()
              .look(
                  host,
                  of -> {
                    Lane lane = of.lane();
                    return new LaneContents(
                        of.isWholeOwner(),
                        lane.sealedBefore(),
                        lane.view().oldest(),
                        store.blockFiles(host),
                        store.usage().paths(host),
                        new HashSet<>(store.damagedBlocks(host)));
                  })
              .get(LANE_SECONDS, TimeUnit.SECONDS);
      Path place = BlockFolder.of(folder, host);
      try {
        List<Snapshot.SnapshotFile> files = new ArrayList<>();
        Set<String> damaged = new TreeSet<>(seen.damaged);
        for (Path file : seen.files) {
          if (!damaged.contains(file.getFileName().toString())) {
            pin(file, place)
                .ifPresentOrElse(files::add, () -> damaged.add(file.getFileName().toString()));
          }
        }
        for (Path file : seen.usage) {
          usage(file, place).ifPresent(files::add);
        }
        pages(host, Math.max(seen.sealedBefore, seen.oldest), place, files);
        Admission admission =
            from.view()
                .get()
                .table()
                .holders(host)
                .map(Holders::admission)
                .orElse(Admission.UNKNOWN);
        return new Snapshot.OfHost(
            host,
            seen.whole && damaged.isEmpty(),
            admission.tenant(),
            admission.at(),
            List.copyOf(damaged),
            files);
      } catch (NoSuchFileException e) {
        if (look == LOOKS) {
          throw e;
        }
        LOG.debug("a block of host {} was removed in the meantime", host, e);
      }
    }
  }

  /** Keeps a file of usage; empty if it is damaged or has been removed. */
  private static Optional<Snapshot.SnapshotFile> usage(Path file, Path place) throws IOException {
    try {
      byte[] bytes = UsageFile.read(Files.readAllBytes(file)).toBytes();
      PrivateFiles.createFolders(place);
      Path kept = place.resolve(file.getFileName());
      PrivateFiles.write(kept, bytes);
      String name = file.getFileName().toString();
      return Optional.of(
          new Snapshot.SnapshotFile(name, bytes.length, BlockChecks.sha256(bytes), kept));
    } catch (NoSuchFileException e) {
      return Optional.empty(); // it has expired, or is computed again
    } catch (UsageFile.DamagedUsage e) {
      LOG.error("the usage in {} is left out: {}", file, e.getMessage());
      return Optional.empty();
    }
  }

  /** Keeps a block whatever becomes of its name; empty if its samples cannot be read. */
  private Optional<Snapshot.SnapshotFile> pin(Path block, Path place) throws IOException {
    PrivateFiles.createFolders(place);
    Path pinned = place.resolve(block.getFileName());
    try {
      Files.createLink(pinned, block);
    } catch (FileAlreadyExistsException e) {
      LOG.debug("{} was pinned before", pinned, e);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (FileSystemException | UnsupportedOperationException e) {
      LOG.debug("{} cannot be linked", block, e);
      PrivateFiles.write(pinned, Files.readAllBytes(block));
    }
    try {
      String sha256 = checks.of(pinned);
      String name = block.getFileName().toString();
      return Optional.of(new Snapshot.SnapshotFile(name, Files.size(pinned), sha256, pinned));
    } catch (DamagedBlock e) {
      LOG.error("{}; the backup takes it from another gateway, if one has it", e.getMessage());
      return Optional.empty();
    }
  }

  private void pages(String host, long from, Path place, List<Snapshot.SnapshotFile> into)
      throws IOException {
    long end = store.find(host).map(Lane::newest).orElse(Long.MIN_VALUE) + 1;
    // Older samples have expired, whatever clock they came from.
    long at = Math.max(0, from);
    while (at < end) {
      long stop = Math.min(end, (Math.floorDiv(at, PAGE_MILLIS) + 1) * PAGE_MILLIS);
      HostPage page = store.export(host, at, stop, PAGE_BYTES);
      if (page.frames().length > 0) {
        PrivateFiles.createFolders(place);
        String name = at + "-" + page.next() + ".page";
        Path file = place.resolve(name);
        PrivateFiles.write(file, page.frames());
        into.add(
            new Snapshot.SnapshotFile(
                name, page.frames().length, BlockChecks.sha256(page.frames()), file));
        at = page.next();
      } else {
        at = store.nextSlot(host, stop, end, PAGE_MILLIS);
      }
    }
  }

  private static void remove(Path folder) {
    try {
      PrivateFiles.delete(folder);
    } catch (IOException e) {
      LOG.warn("the snapshot in {} cannot be removed: {}", folder, e.toString());
    }
  }

  @Override
  public void close() {
    worker.shutdownNow();
  }
}
