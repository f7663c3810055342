package io.fleetgauge.probe.uplink;

import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.RunDictionary;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Frames that are not acknowledged yet, oldest first, and the counts of all samples. The newest are
 * in memory; older ones lie on the disk only, where there is one, and come back a segment at a
 * time.
 */
final class FrameQueue {
  /** A run ends before its dictionary is this large, so that no receiver has to hold more. */
  static final int MAX_SERIES_OF_A_RUN = 200_000;

  /**
   * A run also ends when its dictionary is so many times the largest tick: with every new owner of
   * a GPU all its series begin under new labels, and the dictionary forgets none.
   */
  private static final int DICTIONARIES = 3;

  /** A dictionary of so many series is small. */
  static final int FEW_SERIES = 8_192;

  /** Runs whose last acknowledged sequence is known: the current one and some of past ticks. */
  private static final int REMEMBERED_RUNS = 8;

  /** In place of a segment: the frame lies on no disk. */
  static final long NOWHERE = -1;

  /** The run that a frame builds on. */
  interface Run {
    long run();

    /** All of its dictionary as a frame. */
    byte[] dictionary();
  }

  /** Where frames lie that memory has no place for. Nothing here waits. */
  interface Disk {
    /** The segment that frames go into now. */
    long segment();

    /**
     * Lays a record down, if the segment is still that one.
     *
     * @return whether it will lie there
     */
    boolean append(long segment, byte[] record);

    /** Bytes that are in use. */
    long bytes();

    /** Segments before this one are needed no more. */
    void dropBefore(long segment);
  }

  /**
   * One tick, encoded once.
   *
   * @param time of the tick, ms
   * @param segment of the disk where it lies; {@link #NOWHERE} when it is in memory only
   * @param bytes null when it is on the disk only
   */
  record Queued(Run run, long sequence, long time, int samples, long segment, byte[] bytes) {
    Queued with(byte[] newBytes) {
      return new Queued(run, sequence, time, samples, segment, newBytes);
    }
  }

  /** A run of this process. */
  private static final class OwnRun implements Run {
    final FrameEncoder encoder;

    /** The segment of the disk that has its dictionary. */
    long segment = NOWHERE;

    OwnRun(FrameEncoder encoder) {
      this.encoder = encoder;
    }

    @Override
    public long run() {
      return encoder.run();
    }

    @Override
    public byte[] dictionary() {
      return encoder.dictionary();
    }
  }

  private final String host;
  private final UplinkSettings settings;
  private final Optional<Disk> disk;
  private final LongSupplier runNumbers;

  // In the order in which they came: what came back from the disk, what lies there, what never left
  // memory.
  private final Deque<Queued> loaded = new ArrayDeque<>();
  private final Deque<Queued> onDisk = new ArrayDeque<>();
  private final Deque<Queued> inMemory = new ArrayDeque<>();
  private OwnRun current;

  /** The run of ticks of the past, and the time of its last one; null without one. */
  private OwnRun past;

  private long pastTime;
  private int largest;

  /** The time of the last tick that was not of the past, ms. */
  private long now = Long.MIN_VALUE;

  /** The last acknowledged sequence of runs that were sent of late. */
  private final Map<Long, Long> acknowledged =
      new LinkedHashMap<>(8, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
          return size() > REMEMBERED_RUNS;
        }
      };

  private long bytes;
  private long read;
  private long kept;
  private long dropped;
  private long refused;
  private long queued;

  /**
   * @param runNumbers random numbers, not 0
   */
  FrameQueue(String host, UplinkSettings settings, Optional<Disk> disk, LongSupplier runNumbers) {
    this.host = host;
    this.settings = settings;
    this.disk = disk;
    this.runNumbers = runNumbers;
  }

  /** Adds the frames that an earlier process left on disk; called before {@link #add}. */
  void restore(List<Queued> frames) {
    for (Queued frame : frames) {
      onDisk.add(frame.with(null));
      read += frame.samples();
      queued += frame.samples();
    }
  }

  /**
   * Queues a tick. One that cannot be encoded, because a series occurs twice or it is too large,
   * counts as refused.
   *
   * @return why it was refused; empty when it is queued
   */
  Optional<String> add(Tick tick) {
    now = tick.time();
    largest = Math.max(largest, tick.size());
    if (current == null || isFull(current, tick)) {
      current = beginRun();
    }
    Optional<String> refusal = add(current, tick);
    if (refusal.isPresent()) {
      current = null; // its dictionary may contain entries that were never sent
    }
    return refusal;
  }

  private boolean isFull(OwnRun run, Tick next) {
    int most = Math.max(FEW_SERIES, DICTIONARIES * largest);
    return run.encoder.seriesCount() + next.size() > Math.min(MAX_SERIES_OF_A_RUN, most)
        || run.encoder.dictionaryBytes() > RunDictionary.MAX_BYTES / 2
            && run.encoder.dictionaryBytesWith(next) > RunDictionary.MAX_BYTES;
  }

  /**
   * Queues ticks of the past in a run beside that of the others, which is not burdened with series
   * that end at once. The ticks of a run ascend in time, because a gateway that finds one missing
   * looks for it between its neighbours; those that do not begin a new run.
   *
   * @param ticks in order of time
   * @return why the first one that was refused was; empty when all are queued
   */
  Optional<String> addPast(List<Tick> ticks) {
    now = now == Long.MIN_VALUE ? ticks.getLast().time() : now;
    Optional<String> first = Optional.empty();
    for (Tick tick : ticks) {
      largest = Math.max(largest, tick.size());
      if (past == null || tick.time() <= pastTime || isFull(past, tick)) {
        past = beginRun();
      }
      pastTime = tick.time();
      Optional<String> refusal = add(past, tick);
      if (refusal.isPresent()) {
        past = null;
        first = first.isPresent() ? first : refusal;
      }
    }
    return first;
  }

  private Optional<String> add(OwnRun run, Tick tick) {
    read += tick.size();
    byte[] frame;
    try {
      frame = run.encoder.encode(tick);
      if (run.encoder.dictionaryBytes() > RunDictionary.MAX_BYTES) {
        throw new IllegalArgumentException(
            "the labels of one tick have more than " + RunDictionary.MAX_BYTES / 2 + " bytes");
      }
    } catch (IllegalArgumentException e) {
      refused += tick.size();
      return Optional.of(e.getMessage());
    }
    long segment = disk.map(place -> writeToDisk(place, run, frame)).orElse(NOWHERE);
    inMemory.addLast(
        new Queued(run, run.encoder.sequence(), tick.time(), tick.size(), segment, frame));
    bytes += frame.length;
    queued += tick.size();
    shed();
    return Optional.empty();
  }

  private OwnRun beginRun() {
    return new OwnRun(new FrameEncoder(host, runNumbers.getAsLong()));
  }

  /** Each segment has the dictionary of its frames, so that it can be read after a restart. */
  private static long writeToDisk(Disk place, OwnRun run, byte[] frame) {
    long segment = place.segment();
    byte[] record = frame;
    if (segment != run.segment) {
      byte[] dictionary = run.dictionary();
      record = new byte[dictionary.length + frame.length];
      System.arraycopy(dictionary, 0, record, 0, dictionary.length);
      System.arraycopy(frame, 0, record, dictionary.length, frame.length);
    }
    if (!place.append(segment, record)) {
      run.segment = NOWHERE; // the segment lacks what the frame adds to the dictionary
      return NOWHERE;
    }
    run.segment = segment;
    return segment;
  }

  /** Drops the oldest first: from memory to the disk only, then from the disk. */
  private void shed() {
    while (inMemory.size() > 1
        && (now - inMemory.getFirst().time() > settings.memory().toMillis()
            || bytes > settings.maxBytes())) {
      Queued oldest = inMemory.removeFirst();
      bytes -= oldest.bytes().length;
      if (oldest.segment() == NOWHERE) {
        drop(oldest);
      } else {
        onDisk.addLast(oldest.with(null));
      }
    }
    while (!loaded.isEmpty() && isExpired(loaded.getFirst())) {
      Queued oldest = loaded.removeFirst();
      bytes -= oldest.bytes().length;
      drop(oldest);
    }
    while (!onDisk.isEmpty() && isExpired(onDisk.getFirst())) {
      drop(onDisk.removeFirst());
    }
    disk.ifPresent(
        place -> {
          if (place.bytes() > settings.maxDiskBytes()) {
            dropOldestSegment();
          }
          release(place);
        });
  }

  /** The oldest frames may be loaded: those of an outage wait to be sent. */
  private void dropOldestSegment() {
    if (loaded.isEmpty() && onDisk.isEmpty()) {
      return;
    }
    long segment = (loaded.isEmpty() ? onDisk : loaded).getFirst().segment();
    while (!loaded.isEmpty() && loaded.getFirst().segment() == segment) {
      Queued oldest = loaded.removeFirst();
      bytes -= oldest.bytes().length;
      drop(oldest);
    }
    while (!onDisk.isEmpty() && onDisk.getFirst().segment() == segment) {
      drop(onDisk.removeFirst());
    }
  }

  private boolean isExpired(Queued frame) {
    return now - frame.time() > settings.retention().toMillis();
  }

  private void drop(Queued frame) {
    dropped += frame.samples();
    queued -= frame.samples();
  }

  private void release(Disk place) {
    long needed = place.segment();
    for (Deque<Queued> frames : List.of(loaded, onDisk, inMemory)) {
      for (Queued frame : frames) {
        if (frame.segment() != NOWHERE) {
          place.dropBefore(Math.min(needed, frame.segment()));
          return;
        }
      }
    }
    place.dropBefore(needed);
  }

  /** The segment that has to be read before there is anything to send; empty when none has. */
  OptionalLong toLoad() {
    return loaded.isEmpty() && !onDisk.isEmpty()
        ? OptionalLong.of(onDisk.getFirst().segment())
        : OptionalLong.empty();
  }

  /**
   * A segment has been read. Frames that it should contain and does not are lost.
   *
   * @param frames by run and sequence; null when it could not be read
   */
  void load(long segment, Map<Long, Map<Long, byte[]>> frames) {
    Map<Long, Map<Long, byte[]>> found = frames == null ? new HashMap<>() : frames;
    while (!onDisk.isEmpty() && onDisk.getFirst().segment() == segment) {
      Queued frame = onDisk.removeFirst();
      byte[] there = found.getOrDefault(frame.run().run(), Map.of()).get(frame.sequence());
      if (there == null) {
        drop(frame);
      } else {
        loaded.addLast(frame.with(there));
        bytes += there.length;
      }
    }
  }

  /** The oldest frames of one run, as many as fit; at least one, when there is any to send. */
  List<Queued> oldest(long maxBatchBytes) {
    List<Queued> batch = new ArrayList<>();
    long size = 0;
    for (Queued frame : sendable()) {
      size += frame.bytes().length;
      boolean sameRun = batch.isEmpty() || batch.getFirst().run() == frame.run();
      if (!batch.isEmpty() && (size > maxBatchBytes || !sameRun)) {
        break;
      }
      batch.add(frame);
    }
    return batch;
  }

  private Deque<Queued> sendable() {
    return loaded.isEmpty() && onDisk.isEmpty() ? inMemory : loaded;
  }

  /**
   * Removes the frames that a gateway acknowledged.
   *
   * @param samplesRefused how many of their samples it refused for good
   */
  void acknowledge(long run, long sequence, long samplesRefused) {
    acknowledged.merge(run, sequence, Math::max);
    long samples = 0;
    Deque<Queued> frames = sendable();
    while (!frames.isEmpty()
        && frames.getFirst().run().run() == run
        && frames.getFirst().sequence() <= sequence) {
      samples += removeFirst().samples();
    }
    long notKept = Math.min(samplesRefused, samples);
    kept += samples - notKept;
    refused += notKept;
    disk.ifPresent(this::release);
  }

  /** The last sequence of a run that was acknowledged; 0 when none was. */
  long acknowledged(long run) {
    return acknowledged.getOrDefault(run, 0L);
  }

  /** Removes a frame that a gateway refuses for good, if it is still the oldest. */
  void refuse(Queued frame) {
    if (sendable().peekFirst() == frame) {
      refused += removeFirst().samples();
    }
  }

  private Queued removeFirst() {
    Queued first = sendable().removeFirst();
    bytes -= first.bytes().length;
    queued -= first.samples();
    return first;
  }

  UplinkCounts counts() {
    return new UplinkCounts(
        read,
        kept,
        queued,
        dropped,
        refused,
        loaded.size() + onDisk.size() + inMemory.size(),
        bytes,
        disk.map(Disk::bytes).orElse(0L));
  }
}
