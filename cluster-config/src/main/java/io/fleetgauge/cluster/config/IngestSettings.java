package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;
import java.util.List;

/**
 * What a gateway takes in.
 *
 * @param maxBodyBytes {@code ingest.maxBody}: longest body that is taken, 64KiB to 256MiB
 * @param maxQueuedRequests {@code ingest.maxQueuedRequests}: most requests that wait for a lane
 *     thread, 1 to 10^5; more are told to slow down
 * @param hostLabels {@code ingest.hostLabels}: the labels that say whose a series of a remote write
 *     is, the first that is there wins; of {@code instance} the part before the port
 */
public record IngestSettings(int maxBodyBytes, int maxQueuedRequests, List<String> hostLabels) {
  public static final IngestSettings DEFAULT =
      new IngestSettings(16 << 20, 1_000, List.of("Hostname", "node", "instance"));

  static IngestSettings read(ConfigReader in) {
    return new IngestSettings(
        (int) in.bytes("ingest.maxBody", DEFAULT.maxBodyBytes, 64 << 10, 256 << 20),
        (int) in.number("ingest.maxQueuedRequests", DEFAULT.maxQueuedRequests, 1, 100_000),
        in.texts("ingest.hostLabels", DEFAULT.hostLabels));
  }
}
