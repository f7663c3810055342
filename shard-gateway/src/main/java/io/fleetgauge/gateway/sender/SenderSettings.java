package io.fleetgauge.gateway.sender;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.relabel.Relabelling;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A receiver of samples.
 *
 * @param name of the section below {@code remoteWrite}
 * @param url {@code url}
 * @param version {@code version}
 * @param headers {@code headers}
 * @param match {@code match}: series that one of the selectors selects are sent
 * @param hasRollups {@code rollups}: true if rollups are sent, too
 * @param hasOwners {@code ownerLabels}: false if series of GPUs are sent without their owners
 * @param relabelling {@code relabel}
 * @param timeout {@code timeout}
 * @param delay {@code delay}
 * @param maxSamples {@code maxSamplesPerRequest}
 * @param maxRequests {@code maxRequests}
 * @param backlogRate {@code backlogSamplesPerSecond}
 * @param access credentials that are shown to the receiver
 */
public record SenderSettings(
    String name,
    URI url,
    Version version,
    Map<String, String> headers,
    List<List<Matcher>> match,
    boolean hasRollups,
    boolean hasOwners,
    Relabelling relabelling,
    Duration timeout,
    Duration delay,
    int maxSamples,
    int maxRequests,
    int backlogRate,
    AccessSettings access) {
  public SenderSettings {
    headers = Map.copyOf(headers);
    match = List.copyOf(match);
  }
}
