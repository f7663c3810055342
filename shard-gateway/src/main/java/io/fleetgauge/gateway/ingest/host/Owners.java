package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.sample.frame.IntakeAnswer;
import java.net.URI;
import java.util.function.Consumer;

/** Frames of hosts that other gateways own. Nothing here waits. */
public interface Owners {
  /** The ways to ask an owner: to keep the samples, or only to say which it would refuse. */
  enum Intent {
    KEEP,
    CHECK
  }

  /**
   * Sends frames to the owner of their host.
   *
   * @param epoch the newest that this gateway knows; 0 for none
   * @param answer is given the owner's answer, once, on any thread. {@link IntakeAnswer.SlowDown}
   *     when there is none: nobody knows whether the frames were taken
   */
  void send(
      URI owner,
      Intent intent,
      String host,
      long epoch,
      byte[] body,
      Consumer<IntakeAnswer> answer);
}
