package io.fleetgauge.gateway.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.relabel.Relabelling;
import java.util.List;

/**
 * Limits of what a gateway accepts from senders.
 *
 * @param maxBodyBytes {@code ingest.maxBody}
 * @param maxQueuedRequests {@code ingest.maxQueuedRequests}
 * @param hostLabels {@code ingest.hostLabels}
 * @param relabelling {@code ingest.relabel}
 */
public record IngestSettings(
    int maxBodyBytes, int maxQueuedRequests, List<String> hostLabels, Relabelling relabelling) {
  private static final Key<Integer> MAX_BODY =
      Key.of(
          "ingest.maxBody",
          KeyType.size(64 << 10, 256 << 20),
          16 << 20,
          "Maximum size of a request body; a larger one is rejected with status 413.");
  private static final Key<Integer> MAX_QUEUED_REQUESTS =
      Key.of(
          "ingest.maxQueuedRequests",
          KeyType.integer(1, 100_000),
          1_000,
          "Maximum number of requests that wait; above it, senders are slowed down with status"
              + " 503.");
  private static final Key<List<String>> HOST_LABELS =
      Key.of(
          "ingest.hostLabels",
          KeyType.listOf(KeyType.text(), 1),
          List.of("Hostname", "node", "instance"),
          "Labels that name the host of a remote-written series, the first present one decides;"
              + " of `instance` only the part before the port counts.");
  private static final Key<Relabelling> RELABEL =
      Key.of(
          "ingest.relabel",
          KeyType.relabelling(),
          Relabelling.NONE,
          "Rules that change the labels of remote-written series, or drop series, before their host"
              + " is decided.");

  /** Every default. */
  public static final IngestSettings DEFAULT =
      new IngestSettings(
          MAX_BODY.fallback().orElseThrow(),
          MAX_QUEUED_REQUESTS.fallback().orElseThrow(),
          HOST_LABELS.fallback().orElseThrow(),
          RELABEL.fallback().orElseThrow());

  static IngestSettings read(ConfigReader in) {
    return new IngestSettings(
        in.get(MAX_BODY), in.get(MAX_QUEUED_REQUESTS), in.get(HOST_LABELS), in.get(RELABEL));
  }
}
