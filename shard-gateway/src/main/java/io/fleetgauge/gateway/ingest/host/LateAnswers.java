package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.wire.WireException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Acknowledgements that took so long that their senders may have gone. Such a sender sends the same
 * ticks again; if they were written again, at the same pace, its next answer would be late as well.
 */
final class LateAnswers {
  private static final int MAX_RUNS = 32;

  private final Map<Long, IntakeAnswer.Kept> byRun =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, IntakeAnswer.Kept> eldest) {
          return size() > MAX_RUNS;
        }
      };

  void acknowledged(IntakeAnswer answer) {
    if (answer instanceof IntakeAnswer.Kept kept) {
      byRun.put(kept.run(), kept);
    }
  }

  /**
   * The answer to a body that begins with ticks that were acknowledged late. The rest of the body
   * is not taken: its sender sends it next.
   */
  Optional<IntakeAnswer> to(byte[] body) {
    if (byRun.isEmpty()) {
      return Optional.empty();
    }
    FrameDecoder frames = new FrameDecoder(body);
    try {
      while (frames.hasNext()) {
        if (frames.next() instanceof Frame.Tick tick) {
          IntakeAnswer.Kept kept = byRun.get(tick.run());
          if (kept != null && tick.sequence() <= kept.sequence()) {
            return Optional.of(kept);
          }
          byRun.remove(tick.run());
          return Optional.empty();
        }
      }
    } catch (WireException e) {
      return Optional.empty(); // whoever takes the body finds out
    }
    return Optional.empty();
  }
}
