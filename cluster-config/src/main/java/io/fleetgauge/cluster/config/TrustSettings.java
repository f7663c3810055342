package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a process shows to others that it asks, and whom it believes. The files are read again when
 * they change.
 *
 * @param ca {@code trust.ca}: PEM of who signs the certificates of gateways; those that the JDK
 *     trusts when it is missing
 * @param certificate {@code trust.certificate}: PEM of its own, where others want one
 * @param key {@code trust.key}: PEM, PKCS 8
 * @param secret {@code cluster.secretFile}: a text that all processes of the cluster have and
 *     nobody else, 16 characters at least; who shows it is one of them
 */
public record TrustSettings(
    Optional<Path> ca, Optional<Path> certificate, Optional<Path> key, Optional<Path> secret) {
  /** Shows nothing. */
  public static final TrustSettings NONE =
      new TrustSettings(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  static TrustSettings read(ConfigReader in) {
    TrustSettings settings =
        new TrustSettings(
            in.file("trust.ca"),
            in.file("trust.certificate"),
            in.file("trust.key"),
            in.file("cluster.secretFile"));
    if (settings.certificate.isPresent() != settings.key.isPresent()) {
      in.problem("trust: certificate and key are both needed, or none");
    }
    return settings;
  }
}
