package io.fleetgauge.sample.journal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes records to segments. Appending never waits; one thread writes, another forces to the disk.
 * Safe for all threads. One file for all of it, because all of it hangs on the one lock.
 */
public final class Journal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

  /** When records are forced to the disk. */
  public enum Sync {
    /** Before their word is given: they survive a power failure. */
    ALWAYS,
    /** Some time after they were written: they survive the process, not always the machine. */
    INTERVAL,
    /** When the system likes to. */
    NEVER
  }

  /**
   * @param folder where the segments lie
   * @param sync when records are forced to the disk
   * @param syncInterval with {@link Sync#INTERVAL}, at the latest so long after they were written
   * @param syncBytes and at the latest after so many bytes
   * @param segmentBytes a segment that has so many is followed by another
   * @param maxBytes most bytes of all segments; above it nothing is taken
   * @param maxQueuedBytes most bytes that wait to be written; above it nothing is taken
   */
  public record Settings(
      Path folder,
      Sync sync,
      Duration syncInterval,
      int syncBytes,
      int segmentBytes,
      long maxBytes,
      long maxQueuedBytes) {
    /** As the README's table of configuration says. */
    public static Settings defaults(Path folder) {
      return new Settings(
          folder, Sync.INTERVAL, Duration.ofMillis(100), 256 << 10, 8 << 20, 16L << 30, 64L << 20);
    }
  }

  /** What was found at the start and what was done since. */
  public record Counts(
      long records, long bytes, long syncs, long failures, long tornBytes, long damagedBytes) {}

  /** What became of a record that was to be appended. */
  public enum Taken {
    /** Its word will be given. */
    YES,
    /** The current segment is another one by now. */
    OTHER_SEGMENT,
    /** There is trouble, or too much waits already. */
    NO
  }

  private static final Duration RETRY = Duration.ofMillis(500);

  private record Entry(long segment, byte[] record, boolean forced, Consumer<Boolean> done) {}

  private final Settings settings;

  /** The first segment of this life. */
  private final long firstOwn;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Condition syncWork = lock.newCondition();

  // All guarded by the lock.
  private ArrayDeque<Entry> queue = new ArrayDeque<>();
  private long queuedBytes;
  private long segment;
  private long segmentBytes;
  private final TreeMap<Long, Long> sizes = new TreeMap<>();
  private final ArrayDeque<Entry> unsynced = new ArrayDeque<>();
  private long unsyncedBytes;
  private long unsyncedSince;
  private long leaning = -1;
  private String trouble = "";
  private boolean closing;
  private long records;
  private long bytes;
  private long syncs;
  private long failures;
  private long tornBytes;
  private long damagedBytes;

  /** Null before the first record, and while there is trouble. */
  private SegmentWriter current;

  private final Thread writer;
  private final Thread syncer;

  private Journal(Settings settings, TreeMap<Long, Long> found) {
    this.settings = settings;
    this.sizes.putAll(found);
    // What a crash left of the last segment is read, never written to again.
    this.firstOwn = found.isEmpty() ? 1 : found.lastKey() + 1;
    this.segment = firstOwn;
    this.writer = Thread.ofPlatform().daemon().name("journal").unstarted(this::write);
    this.syncer = Thread.ofPlatform().daemon().name("journal-sync").unstarted(this::sync);
  }

  /**
   * Opens a journal for writing; it begins a new segment.
   *
   * @throws IOException if the folder cannot be made or read
   */
  public static Journal open(Settings settings) throws IOException {
    Files.createDirectories(settings.folder());
    TreeMap<Long, Long> found = new TreeMap<>();
    for (Path file : files(settings.folder())) {
      found.put(SegmentFormat.number(file), Files.size(file));
    }
    Journal journal = new Journal(settings, found);
    journal.writer.start();
    if (settings.sync() == Sync.INTERVAL) {
      journal.syncer.start();
    }
    return journal;
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(file -> SegmentFormat.number(file) >= 0).sorted().toList();
    }
  }

  /** Takes the records of earlier lives. */
  @FunctionalInterface
  public interface Replay {
    void record(long segment, byte[] record) throws InterruptedException;
  }

  /**
   * Reads what was there when the journal was opened, in order. Damage is logged and counted; what
   * is torn at the end of the last segment is cut.
   *
   * @throws IOException if the disk cannot be read
   */
  public void replay(Replay replay) throws IOException, InterruptedException {
    List<Long> old;
    lock.lock();
    try {
      old = new ArrayList<>(sizes.headMap(firstOwn).keySet());
    } finally {
      lock.unlock();
    }
    for (long number : old) {
      Path file = SegmentFormat.file(settings.folder(), number);
      SegmentReader reader = new SegmentReader(file, this::damaged);
      for (byte[] record = reader.next(); record != null; record = reader.next()) {
        replay.record(number, record);
      }
      if (reader.tornBytes() > 0) {
        cut(file, number, reader);
      }
    }
  }

  /**
   * Reads one segment, also one that is still written to: what is not there yet is left out.
   *
   * @throws IOException if it is not there or cannot be read
   */
  public List<byte[]> read(long number) throws IOException {
    SegmentReader reader =
        new SegmentReader(SegmentFormat.file(settings.folder(), number), this::damaged);
    List<byte[]> found = new ArrayList<>();
    for (byte[] record = reader.next(); record != null; record = reader.next()) {
      found.add(record);
    }
    return found;
  }

  private void damaged(Path file, long offset, long length, String reason) {
    LOG.error(
        "the journal {} is damaged at byte {}: {}; {} bytes are lost",
        file,
        offset,
        reason,
        length);
    lock.lock();
    try {
      damagedBytes += length;
    } finally {
      lock.unlock();
    }
  }

  private void cut(Path file, long number, SegmentReader reader) {
    LOG.warn(
        "the journal {} has {} unfinished bytes from byte {} on; they are cut off",
        file,
        reader.tornBytes(),
        reader.goodEnd());
    try (FileChannel torn = FileChannel.open(file, StandardOpenOption.WRITE)) {
      torn.truncate(reader.goodEnd());
    } catch (IOException e) {
      // It is passed over at each start, so a disk that cannot be written keeps nothing from it.
      LOG.warn("the journal {} cannot be cut: {}", file, e.toString());
      return;
    }
    lock.lock();
    try {
      tornBytes += reader.tornBytes();
      sizes.put(number, reader.goodEnd());
    } finally {
      lock.unlock();
    }
  }

  /** The segment that records go into now. */
  public long segment() {
    lock.lock();
    try {
      return segment;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes a record, if the current segment is still {@code expected}. Does not wait.
   *
   * @param done is told, on the writing thread, whether the record is kept as the policy says
   */
  public Taken append(long expected, byte[] record, Consumer<Boolean> done) {
    return append(expected, record, false, done);
  }

  /** The same; {@code forced}, its word is given when it is on the disk, whatever the policy is. */
  public Taken append(long expected, byte[] record, boolean forced, Consumer<Boolean> done) {
    lock.lock();
    try {
      if (segment != expected) {
        return Taken.OTHER_SEGMENT;
      }
      if (!trouble.isEmpty()
          || closing
          || queuedBytes + record.length > settings.maxQueuedBytes()
          || size() > settings.maxBytes()) {
        return Taken.NO;
      }
      queue.add(new Entry(segment, record, forced, done));
      queuedBytes += record.length;
      segmentBytes += record.length + SegmentFormat.HEAD_BYTES;
      if (segmentBytes >= settings.segmentBytes()) {
        nextSegment();
      }
      work.signal();
      return Taken.YES;
    } finally {
      lock.unlock();
    }
  }

  private void nextSegment() {
    segment++;
    segmentBytes = 0;
  }

  private long size() {
    long all = queuedBytes;
    for (long size : sizes.values()) {
      all += size;
    }
    return all;
  }

  /** Bytes of all segments and of what waits to be written. */
  public long bytes() {
    lock.lock();
    try {
      return size();
    } finally {
      lock.unlock();
    }
  }

  public int segments() {
    lock.lock();
    try {
      return sizes.size();
    } finally {
      lock.unlock();
    }
  }

  public Counts counts() {
    lock.lock();
    try {
      return new Counts(records, bytes, syncs, failures, tornBytes, damagedBytes);
    } finally {
      lock.unlock();
    }
  }

  /** Why nothing is taken now; empty when all is well. */
  public Optional<String> trouble() {
    lock.lock();
    try {
      if (trouble.isEmpty() && size() > settings.maxBytes()) {
        return Optional.of(
            "the journal has " + size() + " bytes, allowed are " + settings.maxBytes());
      }
      return trouble.isEmpty() ? Optional.empty() : Optional.of(trouble);
    } finally {
      lock.unlock();
    }
  }

  /** Removes all segments before a number, of which nothing is needed any more. */
  public void dropBefore(long number) {
    List<Long> dropped;
    lock.lock();
    try {
      // What was written again after a failure may need what the segment before begins with.
      Long support = sizes.lowerKey(leaning);
      long end = support != null && number <= leaning ? Math.min(number, support) : number;
      dropped = new ArrayList<>(sizes.headMap(Math.min(end, segment)).keySet());
      dropped.removeIf(each -> current != null && each == current.number);
      dropped.forEach(sizes::remove);
    } finally {
      lock.unlock();
    }
    for (long each : dropped) {
      try {
        Files.deleteIfExists(SegmentFormat.file(settings.folder(), each));
      } catch (IOException e) {
        LOG.warn("a segment of the journal cannot be removed: {}", e.toString());
      }
    }
  }

  // --- the writing thread ---

  private void write() {
    List<Entry> batch = new ArrayList<>();
    while (await(batch)) {
      int from = 0;
      try {
        while (from < batch.size()) {
          int to = from + 1;
          while (to < batch.size() && batch.get(to).segment == batch.get(from).segment) {
            to++;
          }
          List<Entry> together = batch.subList(from, to);
          write(batch.get(from).segment, together);
          from = to;
          together.forEach(entry -> entry.done.accept(true));
        }
      } catch (IOException e) {
        List<Entry> lost = new ArrayList<>(batch.subList(from, batch.size()));
        lost.addAll(fail("cannot be written", e));
        lost.forEach(entry -> entry.done.accept(false));
      }
      batch.clear();
    }
    finish();
  }

  /** Waits for records; false when there is nothing more to do for good. */
  private boolean await(List<Entry> batch) {
    lock.lock();
    try {
      while (true) {
        if (!trouble.isEmpty()) {
          if (closing) {
            return false;
          }
          if (work.awaitNanos(RETRY.toNanos()) <= 0) {
            // Nobody else touches what is written again while there is trouble.
            lock.unlock();
            try {
              recover();
            } finally {
              lock.lock();
            }
          }
        } else if (!queue.isEmpty()) {
          batch.addAll(queue);
          queue.clear();
          return true;
        } else if (closing) {
          return false;
        } else {
          work.await();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  private void write(long number, List<Entry> entries) throws IOException {
    SegmentWriter segmentWriter = writerOf(number);
    long length = 0;
    for (Entry entry : entries) {
      segmentWriter.write(entry.record);
      length += entry.record.length;
    }
    segmentWriter.flush();
    boolean force = settings.sync() == Sync.ALWAYS || entries.stream().anyMatch(Entry::forced);
    if (force) {
      segmentWriter.force();
    }
    lock.lock();
    try {
      if (!trouble.isEmpty()) {
        // A sync of what stands before them failed meanwhile.
        throw new IOException(trouble);
      }
      queuedBytes -= length;
      records += entries.size();
      bytes += length;
      sizes.put(number, segmentWriter.size());
      if (force) {
        syncs++;
        // All of them stand in this segment; what another one had was forced when it was closed.
        unsynced.clear();
        unsyncedBytes = 0;
      } else if (settings.sync() == Sync.INTERVAL) {
        unsyncedSince = unsynced.isEmpty() ? System.nanoTime() : unsyncedSince;
        unsynced.addAll(entries);
        unsyncedBytes += length;
        syncWork.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private SegmentWriter writerOf(long number) throws IOException {
    SegmentWriter before = current;
    if (before != null && before.number == number) {
      return before;
    }
    if (before != null && settings.sync() == Sync.INTERVAL) {
      before.force();
    }
    SegmentWriter next = SegmentWriter.begin(settings.folder(), number);
    lock.lock();
    try {
      current = next;
      // Only this thread adds to them, and all of them were in the segment before.
      unsynced.clear();
      unsyncedBytes = 0;
      sizes.put(number, next.size());
    } finally {
      lock.unlock();
    }
    if (before != null) {
      // Only now: the syncing thread takes a closed segment that is still current for a broken one.
      before.close();
    }
    return next;
  }

  /**
   * Takes nothing from now on until the disk is well. What was given its word and is not known to
   * be on the disk is kept, to be written again.
   *
   * @return the records that wait, whose word is not given
   */
  private List<Entry> fail(String what, IOException e) {
    SegmentWriter broken;
    List<Entry> waiting;
    lock.lock();
    try {
      failures++;
      if (trouble.isEmpty()) {
        trouble = "the journal in " + settings.folder() + " " + what + ": " + e;
        LOG.error("{}; nothing is taken until it can", trouble);
      }
      broken = current;
      current = null;
      waiting = new ArrayList<>(queue);
      queue.clear();
      queuedBytes = 0;
      nextSegment();
      work.signal();
    } finally {
      lock.unlock();
    }
    if (broken != null) {
      broken.abandon();
    }
    return waiting;
  }

  /** Tries whether the disk is well again. On the writing thread. */
  private void recover() {
    long number = segment();
    List<Entry> again;
    lock.lock();
    try {
      again = new ArrayList<>(unsynced);
    } finally {
      lock.unlock();
    }
    SegmentWriter next = null;
    boolean well = false;
    try {
      next = SegmentWriter.begin(settings.folder(), number);
      // A disk that is full but for a few bytes would be well and ill by turns.
      next.requireRoom();
      for (Entry entry : again) {
        next.write(entry.record);
      }
      next.flush();
      if (settings.sync() != Sync.NEVER) {
        next.force();
      }
      well = true;
    } catch (IOException e) {
      LOG.debug("the journal in {} still cannot be written", settings.folder(), e);
    }
    lock.lock();
    try {
      if (!well) {
        failures++;
      } else {
        current = next;
        sizes.put(number, next.size());
        segmentBytes = next.size();
        leaning = again.isEmpty() ? leaning : number;
        unsynced.clear();
        unsyncedBytes = 0;
        trouble = "";
        LOG.info(
            "the journal in {} can be written again; {} records were written a second time",
            settings.folder(),
            again.size());
      }
    } finally {
      lock.unlock();
    }
    if (!well && next != null) {
      next.abandon();
    }
  }

  private void finish() {
    SegmentWriter last;
    lock.lock();
    try {
      last = current;
      current = null;
      syncWork.signal();
    } finally {
      lock.unlock();
    }
    if (last != null) {
      try (last) {
        if (settings.sync() != Sync.NEVER) {
          last.force();
        }
      } catch (IOException e) {
        LOG.error("the journal in {} cannot be closed: {}", settings.folder(), e.toString());
      }
    }
  }

  // --- the syncing thread ---

  private void sync() {
    while (true) {
      SegmentWriter segmentWriter;
      int count;
      lock.lock();
      try {
        while (!closing && !syncIsDue()) {
          if (unsynced.isEmpty() || !trouble.isEmpty()) {
            syncWork.await();
          } else {
            syncWork.awaitNanos(
                unsyncedSince + settings.syncInterval().toNanos() - System.nanoTime());
          }
        }
        if (closing) {
          return; // the writing thread forces the rest
        }
        segmentWriter = current;
        count = unsynced.size();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } finally {
        lock.unlock();
      }
      sync(segmentWriter, count);
    }
  }

  private boolean syncIsDue() {
    return trouble.isEmpty()
        && !unsynced.isEmpty()
        && (unsyncedBytes >= settings.syncBytes()
            || System.nanoTime() - unsyncedSince >= settings.syncInterval().toNanos());
  }

  private void sync(SegmentWriter segmentWriter, int count) {
    try {
      segmentWriter.force();
    } catch (IOException e) {
      boolean moved;
      lock.lock();
      try {
        // The writing thread forces a segment itself before it closes it.
        moved = current != segmentWriter;
      } finally {
        lock.unlock();
      }
      if (!moved) {
        fail("cannot be forced to the disk", e).forEach(entry -> entry.done.accept(false));
      }
      return;
    }
    lock.lock();
    try {
      if (current == segmentWriter) {
        syncs++;
        for (int i = 0; i < count && !unsynced.isEmpty(); i++) {
          unsyncedBytes -= unsynced.remove().record.length;
        }
        unsyncedSince = System.nanoTime();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Writes what waits, forces it to the disk, and stops. */
  @Override
  public void close() {
    lock.lock();
    try {
      closing = true;
      work.signal();
      syncWork.signal();
    } finally {
      lock.unlock();
    }
    try {
      writer.join(Duration.ofSeconds(10));
      if (settings.sync() == Sync.INTERVAL) {
        syncer.join(Duration.ofSeconds(10));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
