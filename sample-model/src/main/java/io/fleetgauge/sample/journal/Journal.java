package io.fleetgauge.sample.journal;

import io.fleetgauge.sample.files.FolderWatch;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends records to segments. {@link #append} never waits: one thread writes, another forces to
 * the disk. Safe for all threads.
 *
 * <p>More than 600 lines, because one lock guards all that the two threads and the callers share.
 */
public final class Journal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

  /** When records are forced to the disk. */
  public enum Sync {
    /** Before they are acknowledged: they survive a power failure. */
    ALWAYS,
    /** Some time after they are written: they survive the process, not always the machine. */
    INTERVAL,
    /** When the operating system decides to. */
    NEVER
  }

  /**
   * @param folder holds the segments
   * @param sync when records are forced to the disk
   * @param syncInterval with {@link Sync#INTERVAL}, at most so long after they were written
   * @param syncBytes and at most after so many bytes
   * @param segmentBytes a segment of at least so many bytes is followed by another
   * @param maxBytes most bytes of all segments; above it records are rejected
   * @param maxQueuedBytes most bytes that wait to be written; above it records are rejected
   */
  public record Settings(
      Path folder,
      Sync sync,
      Duration syncInterval,
      int syncBytes,
      int segmentBytes,
      long maxBytes,
      long maxQueuedBytes) {
    /** The defaults of a gateway's configuration. */
    public static Settings defaults(Path folder) {
      return new Settings(
          folder, Sync.INTERVAL, Duration.ofMillis(100), 256 << 10, 8 << 20, 16L << 30, 64L << 20);
    }
  }

  /**
   * Counts since the journal was opened.
   *
   * @param records that were written
   * @param bytes of these records
   * @param syncs how often a segment was forced to the disk
   * @param failures attempts to write or force that failed
   * @param tornBytes unfinished bytes that replay cut off
   * @param damagedBytes bytes of damaged records that were skipped
   * @param packed closed segments that were written in fewer bytes
   */
  public record Counts(
      long records,
      long bytes,
      long syncs,
      long failures,
      long tornBytes,
      long damagedBytes,
      long packed) {}

  /** Result of {@link #append}. */
  public enum AppendResult {
    /** The record is queued; its callback will be called. */
    QUEUED,
    /** The current segment is another one by now; nothing was done. */
    OTHER_SEGMENT,
    /** The disk fails, or a limit is reached; nothing was done. */
    REJECTED
  }

  private static final Duration RETRY = Duration.ofMillis(500);

  /** A segment ends before it is full only if it has one of so many parts of a full one's bytes. */
  private static final int SMALLEST_SHARE = 8;

  private record Entry(long segment, byte[] record, boolean forced, Consumer<Boolean> done) {}

  private final Settings settings;
  private final JournalFolder folder;
  private final Packing packing;
  private final FolderWatch watch;

  /** The first segment that this instance writes. */
  private final long firstOwn;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Condition syncWork = lock.newCondition();

  // All guarded by the lock.
  private final ArrayDeque<Entry> queue = new ArrayDeque<>();
  private long queuedBytes;
  private long segment;
  private long segmentBytes;
  private long segmentRecords;
  private final SegmentSizes sizes = new SegmentSizes();
  private final UnsyncedRecords unsynced = new UnsyncedRecords();

  /** The segment into which unsynced records were written again after a failure; -1 for none. */
  private long rewrittenInto = -1;

  private String trouble = "";
  private volatile boolean isFolderLost;
  private boolean closing;
  private long records;
  private long bytes;
  private long syncs;
  private long failures;
  private long tornBytes;
  private long packed;

  /** Closed segments that are packed, or stay as they are. */
  private final Set<Long> settled = new HashSet<>();

  /** Null before the first record of a segment, and while there is trouble. */
  private SegmentWriter current;

  private final Thread writer;
  private final Thread syncer;

  private Journal(
      Settings settings,
      JournalFolder folder,
      Packing packing,
      TreeMap<Long, Long> found,
      FolderWatch watch) {
    this.settings = settings;
    this.folder = folder;
    this.packing = packing;
    this.watch = watch;
    found.forEach(sizes::put);
    found.keySet().stream().filter(folder::isPacked).forEach(settled::add);
    // The last segment may end in an unfinished record, so it is only read.
    this.firstOwn = sizes.last() + 1;
    this.segment = firstOwn;
    this.writer = Thread.ofPlatform().daemon().name("journal").unstarted(this::write);
    this.syncer = Thread.ofPlatform().daemon().name("journal-sync").unstarted(this::sync);
  }

  /**
   * Opens a journal for writing; it begins a new segment.
   *
   * @throws IOException if the folder cannot be created or listed
   */
  public static Journal open(Settings settings) throws IOException {
    return open(settings, Packing.NONE);
  }

  /** As above; {@link #pack} packs its segments. */
  public static Journal open(Settings settings, Packing packing) throws IOException {
    return open(settings, packing, PrivateFiles::open);
  }

  static Journal open(Settings settings, PrivateFiles.Opener opener) throws IOException {
    return open(settings, Packing.NONE, opener);
  }

  static Journal open(Settings settings, Packing packing, PrivateFiles.Opener opener)
      throws IOException {
    JournalFolder folder = JournalFolder.open(settings.folder(), opener);
    folder.removeLeftovers();
    FolderWatch watch = new FolderWatch();
    watch.add(settings.folder());
    Journal journal = new Journal(settings, folder, packing, folder.sizes(), watch);
    journal.writer.start();
    if (settings.sync() == Sync.INTERVAL) {
      journal.syncer.start();
    }
    return journal;
  }

  /**
   * Rejects records also while another folder, or a file that stays open, is lost.
   *
   * @throws IOException if it is not there
   */
  public void dependOn(Path path) throws IOException {
    watch.add(path);
  }

  /**
   * Rejects records from now on if its folder, or what it depends on, was removed or replaced,
   * until that is back. May wait for the disk.
   */
  public void look() {
    Optional<FolderWatch.LostPathException> lost = lookForLost();
    if (lost.isPresent() && trouble().isEmpty()) {
      fail("cannot be used", lost.get()).forEach(entry -> entry.done.accept(false));
    }
  }

  private Optional<FolderWatch.LostPathException> lookForLost() {
    try {
      watch.require();
      isFolderLost = false;
      return Optional.empty();
    } catch (FolderWatch.LostPathException e) {
      isFolderLost = true;
      return Optional.of(e);
    }
  }

  /** Returns true if the last look found that its folder, or what it depends on, is lost. */
  public boolean isFolderLost() {
    return isFolderLost;
  }

  /**
   * Fails if its folder, or what it depends on, was removed or replaced: what is written there now
   * would not be found by the next start.
   */
  public void requireFolders() throws IOException {
    watch.require();
  }

  /** Receives the records that were there when the journal was opened. */
  @FunctionalInterface
  public interface Replay {
    void record(long segment, byte[] record) throws InterruptedException;
  }

  /**
   * Reads what was there when the journal was opened, in order. Damage is logged and counted;
   * unfinished bytes at the end of a segment are cut off. What a process that was killed had not
   * forced is forced, except by policy {@link Sync#NEVER}.
   *
   * @throws IOException if the disk cannot be read
   */
  public void replay(Replay replay) throws IOException, InterruptedException {
    List<Long> old = locked(() -> sizes.before(firstOwn));
    for (long number : old) {
      if (folder.isPacked(number)) {
        PackedSegment segment = folder.packed(number, packing);
        for (byte[] record = segment.next(); record != null; record = segment.next()) {
          replay.record(number, record);
        }
        continue;
      }
      SegmentReader reader = folder.reader(number);
      for (byte[] record = reader.next(); record != null; record = reader.next()) {
        replay.record(number, record);
      }
      if (reader.tornBytes() > 0 && folder.cut(number, reader)) {
        lock.lock();
        try {
          tornBytes += reader.tornBytes();
          sizes.put(number, reader.goodEnd());
        } finally {
          lock.unlock();
        }
      }
    }
    if (!old.isEmpty() && settings.sync() != Sync.NEVER && !folder.isPacked(old.getLast())) {
      // All segments before the last one were forced when they were closed.
      folder.force(old.getLast());
    }
  }

  /**
   * All undamaged records of a segment. Of the one that is being written, those that are whole.
   *
   * @throws IOException if it does not exist or cannot be read
   */
  public List<byte[]> read(long number) throws IOException {
    return folder.read(number);
  }

  /**
   * A place between two records.
   *
   * @param records of the segment before it
   */
  public record Position(long segment, long records) {
    /** Before all records. */
    public static final Position START = new Position(0, 0);

    /** Returns true if a record is behind it. */
    public boolean isBefore(long ofSegment, long index) {
      return segment < ofSegment || segment == ofSegment && records <= index;
    }
  }

  /** The place where the next record is appended. */
  public Position position() {
    return locked(() -> new Position(segment, segmentRecords));
  }

  /** The segment that records are appended to now. */
  public long segment() {
    return locked(() -> segment);
  }

  /**
   * Appends a record, if the current segment is still {@code expected}. Does not wait.
   *
   * @param done called on the writing thread: whether the record is as durable as the policy
   *     requires, or lost
   */
  public AppendResult append(long expected, byte[] record, Consumer<Boolean> done) {
    return append(expected, record, false, done);
  }

  /** As above; with {@code forced}, {@code done} is called after a sync, whatever the policy. */
  public AppendResult append(long expected, byte[] record, boolean forced, Consumer<Boolean> done) {
    lock.lock();
    try {
      if (segment != expected) {
        return AppendResult.OTHER_SEGMENT;
      }
      if (!trouble.isEmpty()
          || closing
          || queuedBytes + record.length > settings.maxQueuedBytes()
          || size() > settings.maxBytes()) {
        return AppendResult.REJECTED;
      }
      queue.add(new Entry(segment, record, forced, done));
      queuedBytes += record.length;
      segmentBytes += record.length + SegmentFormat.HEAD_BYTES;
      segmentRecords++;
      if (segmentBytes >= settings.segmentBytes()) {
        nextSegment();
      }
      work.signal();
      return AppendResult.QUEUED;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the current segment, unless it is small: records that follow begin another one. */
  public void endSegment() {
    lock.lock();
    try {
      if (trouble.isEmpty() && segmentBytes >= settings.segmentBytes() / SMALLEST_SHARE) {
        nextSegment();
        work.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Closed segments that may be packed, ascending; none before the end of {@link #replay}. */
  public List<Long> unpacked() {
    lock.lock();
    try {
      if (!trouble.isEmpty() || packing == Packing.NONE) {
        return List.of();
      }
      List<Long> closed = sizes.before(current == null ? segment : current.number);
      closed.removeAll(settled);
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Writes a closed segment in fewer bytes, in the place of the one that is there; not if it is
   * damaged. Waits for the disk. Not to be called before the end of {@link #replay}.
   *
   * @throws IOException if it cannot be read or written; it may be tried again
   */
  public void pack(long number) throws IOException {
    watch.require();
    long size = folder.pack(number, packing);
    boolean isNeeded;
    lock.lock();
    try {
      isNeeded = sizes.contains(number);
      if (isNeeded) {
        settled.add(number);
      }
      if (isNeeded && size >= 0) {
        sizes.put(number, size);
        packed++;
      }
    } finally {
      lock.unlock();
    }
    if (!isNeeded) {
      folder.delete(number);
    } else if (size >= 0) {
      folder.deleteUnpacked(number);
    }
  }

  private <T> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  private void nextSegment() {
    segment++;
    segmentBytes = 0;
    segmentRecords = 0;
  }

  private long size() {
    return sizes.bytes() + queuedBytes;
  }

  /** Bytes of all segments and of the records that wait to be written. */
  public long bytes() {
    return locked(this::size);
  }

  public int segments() {
    return locked(sizes::count);
  }

  public Counts counts() {
    return locked(
        () ->
            new Counts(records, bytes, syncs, failures, tornBytes, folder.damagedBytes(), packed));
  }

  /** Why records are rejected now; empty when they are not. */
  public Optional<String> trouble() {
    lock.lock();
    try {
      if (trouble.isEmpty() && size() > settings.maxBytes()) {
        return Optional.of(
            "the journal in "
                + folder
                + " has "
                + size()
                + " bytes, above its limit of "
                + settings.maxBytes());
      }
      return trouble.isEmpty() ? Optional.empty() : Optional.of(trouble);
    } finally {
      lock.unlock();
    }
  }

  /** Removes all segments before a number, whose records are not needed any more. */
  public void dropBefore(long number) {
    List<Long> dropped;
    lock.lock();
    try {
      // Records that were written again may build on records of the segment before.
      long end =
          number <= rewrittenInto ? Math.min(number, sizes.precedingOrSame(rewrittenInto)) : number;
      dropped = sizes.before(Math.min(end, segment));
      dropped.removeIf(each -> current != null && each == current.number);
      dropped.forEach(sizes::remove);
      dropped.forEach(settled::remove);
    } finally {
      lock.unlock();
    }
    dropped.forEach(folder::delete);
  }

  // --- the writing thread ---

  private void write() {
    List<Entry> batch = new ArrayList<>();
    while (await(batch)) {
      int from = 0;
      try {
        if (batch.isEmpty()) {
          closeEnded();
        }
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

  /**
   * Waits for records; none if there is a segment to close. False when the journal is closed and
   * all are written.
   */
  private boolean await(List<Entry> batch) {
    lock.lock();
    try {
      while (true) {
        if (!trouble.isEmpty()) {
          if (closing) {
            return false;
          }
          if (work.awaitNanos(RETRY.toNanos()) <= 0) {
            // While there is trouble no other thread changes what is written again.
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
        } else if (current != null && current.number < segment) {
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
        // A sync of the records before them failed meanwhile.
        throw new IOException(trouble);
      }
      queuedBytes -= length;
      records += entries.size();
      bytes += length;
      sizes.put(number, segmentWriter.size());
      if (force) {
        syncs++;
        // All of them are in this segment; the segment before was forced when it was closed.
        unsynced.clear();
      } else if (settings.sync() == Sync.INTERVAL) {
        long now = System.nanoTime();
        entries.forEach(entry -> unsynced.add(entry.record, now));
        syncWork.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Closes a segment that has ended and is written. */
  private void closeEnded() throws IOException {
    SegmentWriter ended = current;
    if (ended != null && settings.sync() == Sync.INTERVAL) {
      ended.force();
    }
    lock.lock();
    try {
      if (ended == null || current != ended) {
        return; // it has failed meanwhile
      }
      current = null;
      unsynced.clear();
    } finally {
      lock.unlock();
    }
    ended.close();
  }

  private SegmentWriter writerOf(long number) throws IOException {
    SegmentWriter before = current;
    if (before != null && before.number == number) {
      return before;
    }
    if (before != null && settings.sync() == Sync.INTERVAL) {
      before.force();
    }
    watch.require();
    SegmentWriter next = folder.begin(number);
    lock.lock();
    try {
      current = next;
      // Only this thread adds to them, and all of them are in the segment before.
      unsynced.clear();
      sizes.put(number, next.size());
    } finally {
      lock.unlock();
    }
    if (before != null) {
      // Only now: to the syncing thread, a closed segment that is still current has failed.
      before.close();
    }
    return next;
  }

  /**
   * Rejects records from now on until the disk works again. Acknowledged records that may not be on
   * the disk are kept in memory, to be written again. Where the folder is lost, that is the reason
   * given, whatever failed first for want of it.
   *
   * @return the records that wait and were not acknowledged
   */
  private List<Entry> fail(String what, IOException e) {
    String reason =
        lookForLost().map(lost -> "cannot be used: " + lost).orElseGet(() -> what + ": " + e);
    SegmentWriter broken;
    List<Entry> waiting;
    lock.lock();
    try {
      failures++;
      if (trouble.isEmpty()) {
        trouble = "the journal in " + folder + " " + reason;
        LOG.error("{}; records are rejected until it can", trouble);
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

  /** Tries whether the disk works again. On the writing thread. */
  private void recover() {
    long number = segment();
    List<byte[]> again = locked(unsynced::toList);
    SegmentWriter next = null;
    boolean works = false;
    try {
      Optional<FolderWatch.LostPathException> lost = lookForLost();
      if (lost.isPresent()) {
        throw lost.get();
      }
      next = folder.begin(number);
      // With room for a few bytes only, the disk would alternate between working and failing.
      next.requireRoom();
      for (byte[] record : again) {
        next.write(record);
      }
      next.flush();
      if (settings.sync() != Sync.NEVER) {
        next.force();
      }
      works = true;
    } catch (IOException e) {
      LOG.debug("the journal in {} still cannot be written", folder, e);
    }
    lock.lock();
    try {
      if (!works) {
        failures++;
      } else {
        current = next;
        sizes.put(number, next.size());
        segmentBytes = next.size();
        rewrittenInto = again.isEmpty() ? rewrittenInto : number;
        unsynced.clear();
        trouble = "";
        LOG.info(
            "the journal in {} can be written again; {} records were written a second time",
            folder,
            again.size());
      }
    } finally {
      lock.unlock();
    }
    if (!works && next != null) {
      next.abandon();
    }
  }

  private void finish() {
    SegmentWriter last =
        locked(
            () -> {
              SegmentWriter open = current;
              current = null;
              syncWork.signal();
              return open;
            });
    if (last != null) {
      try (last) {
        if (settings.sync() != Sync.NEVER) {
          last.force();
        }
      } catch (IOException e) {
        LOG.error("the journal in {} cannot be closed: {}", folder, e.toString());
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
                settings.syncInterval().toNanos() - unsynced.waitedNanos(System.nanoTime()));
          }
        }
        if (closing) {
          return; // the writing thread forces the rest
        }
        segmentWriter = current;
        count = unsynced.count();
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
        && (unsynced.bytes() >= settings.syncBytes()
            || unsynced.waitedNanos(System.nanoTime()) >= settings.syncInterval().toNanos());
  }

  private void sync(SegmentWriter segmentWriter, int count) {
    try {
      segmentWriter.force();
    } catch (IOException e) {
      // The writing thread forces a segment itself before it closes it.
      boolean moved = locked(() -> current != segmentWriter);
      if (!moved) {
        fail("cannot be forced to the disk", e).forEach(entry -> entry.done.accept(false));
      }
      return;
    }
    lock.lock();
    try {
      if (current == segmentWriter) {
        syncs++;
        unsynced.synced(count, System.nanoTime());
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Writes the records that wait, forces them to the disk unless the policy is never, and stops.
   */
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
      watch.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOG.warn("the folder {} cannot be closed: {}", folder, e.toString());
    }
  }
}
