package io.fleetgauge.gateway.ingest;

import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.journal.Journal;
import io.fleetgauge.sample.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ticks of a journal that are behind a position, while it is read. Not for several threads. */
public final class JournalTail {
  private static final Logger LOG = LoggerFactory.getLogger(JournalTail.class);

  private final Journal.Position from;
  private final Listener listener;
  private long segment;
  private long index;

  /** Hears of a tick. */
  public interface Listener {
    void tick(String host, long time);
  }

  public JournalTail(Journal.Position from, Listener listener) {
    this.from = from;
    this.listener = listener;
  }

  /** No tick. */
  static JournalTail none() {
    return new JournalTail(new Journal.Position(Long.MAX_VALUE, 0), (host, time) -> {});
  }

  /** The next record was read. */
  void record(long ofSegment, String host, byte[] record) {
    index = ofSegment == segment ? index + 1 : 0;
    segment = ofSegment;
    if (!from.isBefore(segment, index)) {
      return;
    }
    try {
      FrameDecoder decoder = new FrameDecoder(record);
      while (decoder.hasNext()) {
        if (decoder.next() instanceof Frame.Tick tick) {
          listener.tick(host, tick.time());
        }
      }
    } catch (WireException e) {
      LOG.debug("the rest of the record is lost, which its lane says", e);
    }
  }
}
