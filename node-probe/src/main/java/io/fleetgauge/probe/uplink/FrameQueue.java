package io.fleetgauge.probe.uplink;

import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Frames that are not acknowledged yet, oldest first, and the counts of all samples. */
final class FrameQueue {
  /** A run ends before its dictionary is this large, so that no receiver has to hold more. */
  static final int MAX_SERIES_OF_A_RUN = 200_000;

  /**
   * One tick, encoded once.
   *
   * @param run the encoder that made it, which holds its dictionary
   */
  record Queued(FrameEncoder run, long sequence, int samples, byte[] bytes) {}

  private final String host;
  private final int maxFrames;
  private final long maxBytes;
  private final LongSupplier runNumbers;
  private final Deque<Queued> frames = new ArrayDeque<>();
  private FrameEncoder encoder;
  private long bytes;
  private long read;
  private long kept;
  private long dropped;
  private long refused;
  private long queued;

  /**
   * @param runNumbers random numbers, not 0
   */
  FrameQueue(String host, int maxFrames, long maxBytes, LongSupplier runNumbers) {
    this.host = host;
    this.maxFrames = maxFrames;
    this.maxBytes = maxBytes;
    this.runNumbers = runNumbers;
  }

  /**
   * Queues a tick. One that cannot be encoded, because a series stands in it twice or it is too
   * large, counts as refused.
   *
   * @return why it was refused; empty when it is queued
   */
  Optional<String> add(Tick tick) {
    read += tick.size();
    if (encoder == null || encoder.seriesCount() + tick.size() > MAX_SERIES_OF_A_RUN) {
      encoder = new FrameEncoder(host, runNumbers.getAsLong());
    }
    byte[] frame;
    try {
      frame = encoder.encode(tick);
    } catch (IllegalArgumentException e) {
      refused += tick.size();
      encoder = null; // its dictionary may have grown by what was never sent
      return Optional.of(e.getMessage());
    }
    frames.addLast(new Queued(encoder, encoder.sequence(), tick.size(), frame));
    bytes += frame.length;
    queued += tick.size();
    while (frames.size() > maxFrames || bytes > maxBytes && frames.size() > 1) {
      dropped += removeFirst().samples();
    }
    return Optional.empty();
  }

  /** The oldest frames of one run, as many as fit; at least one, when there is any. */
  List<Queued> oldest(long maxBatchBytes) {
    List<Queued> batch = new ArrayList<>();
    long size = 0;
    for (Queued frame : frames) {
      size += frame.bytes().length;
      boolean sameRun = batch.isEmpty() || batch.getFirst().run() == frame.run();
      if (!batch.isEmpty() && (size > maxBatchBytes || !sameRun)) {
        break;
      }
      batch.add(frame);
    }
    return batch;
  }

  /** Forgets what is kept. */
  void acknowledge(long run, long sequence) {
    while (!frames.isEmpty()
        && frames.getFirst().run().run() == run
        && frames.getFirst().sequence() <= sequence) {
      kept += removeFirst().samples();
    }
  }

  /** Forgets a frame that will never be taken, if it is still the oldest. */
  void refuse(Queued frame) {
    if (frames.peekFirst() == frame) {
      refused += removeFirst().samples();
    }
  }

  private Queued removeFirst() {
    Queued first = frames.removeFirst();
    bytes -= first.bytes().length;
    queued -= first.samples();
    return first;
  }

  boolean isEmpty() {
    return frames.isEmpty();
  }

  UplinkCounts counts() {
    return new UplinkCounts(read, kept, queued, dropped, refused, frames.size(), bytes);
  }
}
