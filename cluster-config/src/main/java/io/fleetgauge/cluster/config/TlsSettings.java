package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;
import java.nio.file.Path;
import java.util.Optional;

/**
 * TLS of a listener. The files are read again when they change.
 *
 * @param certificate {@code http.tls.certificate}: PEM, the chain from the server's own on
 * @param key {@code http.tls.key}: PEM, PKCS 8
 * @param clientCa {@code http.tls.clientCa}: PEM of who signs the certificates of the cluster's own
 *     processes; who shows such a one is one of them
 */
public record TlsSettings(Path certificate, Path key, Optional<Path> clientCa) {
  static Optional<TlsSettings> read(ConfigReader in) {
    Optional<Path> certificate = in.file("http.tls.certificate");
    Optional<Path> key = in.file("http.tls.key");
    Optional<Path> clientCa = in.file("http.tls.clientCa");
    if (certificate.isEmpty() && key.isEmpty() && clientCa.isEmpty()) {
      return Optional.empty();
    }
    if (certificate.isEmpty() || key.isEmpty()) {
      in.problem("http.tls: certificate and key are both needed");
      return Optional.empty();
    }
    return Optional.of(new TlsSettings(certificate.get(), key.get(), clientCa));
  }
}
