package io.fleetgauge.probe.uplink;

import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.RunDictionary;
import io.fleetgauge.sample.journal.Journal;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Frames on the disk, until they are acknowledged. Safe for all threads. */
public final class Spool implements FrameQueue.Disk, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Spool.class);
  private static final int SEGMENT_BYTES = 1 << 20;

  /** The part of a probe's heap that a disk which does not answer may hold back. */
  private static final long MAX_WAITING_BYTES = 8L << 20;

  private final Journal journal;
  private final List<FrameQueue.Queued> found = new ArrayList<>();

  // Records that the journal took, and those of them that are written or lost, which it tells in
  // their order; both guarded by this.
  private long taken;
  private long ended;

  /** A run of an earlier process. */
  private record OldRun(String host, long run, RunDictionary known) implements FrameQueue.Run {
    @Override
    public byte[] dictionary() {
      return known.encode(host, run);
    }
  }

  private Spool(Journal journal) {
    this.journal = journal;
  }

  /**
   * Opens a spool and reads the frames that an earlier process left in it; may take seconds.
   *
   * @param folder of this host's uplink alone
   * @param host the host of the frames; frames of other hosts are skipped
   * @throws IOException if the folder cannot be used
   */
  public static Spool open(Path folder, String host, long maxDiskBytes)
      throws IOException, InterruptedException {
    Spool spool =
        new Spool(
            Journal.open(
                new Journal.Settings(
                    folder,
                    Journal.Sync.INTERVAL,
                    Duration.ofSeconds(1),
                    SEGMENT_BYTES,
                    SEGMENT_BYTES,
                    // The queue drops the oldest frames before this limit.
                    2 * maxDiskBytes,
                    MAX_WAITING_BYTES)));
    spool.replay(host);
    return spool;
  }

  private void replay(String host) throws IOException, InterruptedException {
    Map<Long, OldRun> runs = new HashMap<>();
    journal.replay(
        (segment, record) -> {
          try {
            FrameDecoder decoder = new FrameDecoder(record);
            while (decoder.hasNext()) {
              Frame frame = decoder.next();
              OldRun run =
                  runs.computeIfAbsent(
                      frame.run(), number -> new OldRun(host, number, new RunDictionary()));
              if (!frame.host().equals(host) || !run.known.covers(frame)) {
                throw new WireException(
                    "it is of host " + frame.host() + ", or its dictionary is missing");
              }
              run.known.add(frame);
              if (frame instanceof Frame.Tick tick) {
                found.add(
                    new FrameQueue.Queued(
                        run, tick.sequence(), tick.time(), tick.ids().length, segment, null));
              }
            }
          } catch (WireException e) {
            LOG.error("a record of the spool is left out: {}", e.getMessage());
          }
        });
  }

  /** Frames that an earlier process left, oldest first. */
  List<FrameQueue.Queued> found() {
    return List.copyOf(found);
  }

  /**
   * The ticks of a segment as they were encoded, by run and sequence. Waits for the disk, and until
   * what was laid down before is there.
   *
   * @throws IOException if it cannot be read
   */
  Map<Long, Map<Long, byte[]>> read(long segment) throws IOException, InterruptedException {
    awaitWritten();
    Map<Long, Map<Long, byte[]>> frames = new HashMap<>();
    for (byte[] record : journal.read(segment)) {
      FrameDecoder decoder = new FrameDecoder(record);
      try {
        while (decoder.hasNext()) {
          int from = decoder.position();
          if (decoder.next() instanceof Frame.Tick tick) {
            frames
                .computeIfAbsent(tick.run(), none -> new HashMap<>())
                .put(tick.sequence(), Arrays.copyOfRange(record, from, decoder.position()));
          }
        }
      } catch (WireException e) {
        LOG.error("a record of the spool cannot be sent: {}", e.getMessage());
      }
    }
    return frames;
  }

  private synchronized void awaitWritten() throws InterruptedException {
    long before = taken;
    while (ended < before) {
      wait();
    }
  }

  private synchronized void writtenOrLost() {
    ended++;
    notifyAll();
  }

  @Override
  public long segment() {
    return journal.segment();
  }

  @Override
  public synchronized boolean append(long segment, byte[] record) {
    boolean isTaken =
        journal.append(segment, record, written -> writtenOrLost()) == Journal.AppendResult.QUEUED;
    taken += isTaken ? 1 : 0;
    return isTaken;
  }

  @Override
  public long bytes() {
    return journal.bytes();
  }

  @Override
  public void dropBefore(long segment) {
    journal.dropBefore(segment);
  }

  /**
   * Lays nothing down either while a file that stays open is lost.
   *
   * @throws IOException if it is not there
   */
  public void dependOn(Path file) throws IOException {
    journal.dependOn(file);
  }

  /**
   * Finds out whether its folder is the one that it was; if not, frames stay in memory until it is.
   * May wait for the disk.
   */
  public void look() {
    journal.look();
  }

  /** Tells whether the last look found that its folder was removed or replaced. */
  public boolean isFolderLost() {
    return journal.isFolderLost();
  }

  /** Why frames cannot be laid down; empty when they can. */
  public String trouble() {
    return journal.trouble().orElse("");
  }

  @Override
  public void close() {
    journal.close();
  }
}
