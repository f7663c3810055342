package io.fleetgauge.runtime.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.nio.file.Path;
import java.util.Optional;

/**
 * TLS of a listener. The files are read again when they change.
 *
 * @param certificate {@code http.tls.certificate}: PEM, the chain that begins with the server's own
 * @param key {@code http.tls.key}: PEM, PKCS 8
 * @param clientCa {@code http.tls.clientCa}: PEM of the authority that signs the certificates of
 *     the cluster's processes; a client with such a certificate counts as one of them
 */
public record TlsSettings(Path certificate, Path key, Optional<Path> clientCa) {
  private static final Key<Path> CERTIFICATE =
      Key.optional(
          "http.tls.certificate",
          KeyType.file(),
          "Certificate chain of this process in PEM; with it and the key, the listener speaks"
              + " TLS.");
  private static final Key<Path> PRIVATE_KEY =
      Key.optional(
          "http.tls.key", KeyType.file(), "Private key of the certificate in PEM, PKCS 8.");
  private static final Key<Path> CLIENT_CA =
      Key.optional(
          "http.tls.clientCa",
          KeyType.file(),
          "Authority in PEM that signs the certificates of the cluster's processes; a client with"
              + " such a certificate is treated as one of them. A probe serves only clients with"
              + " such a certificate, except for /-/healthy and /-/ready.");

  public static Optional<TlsSettings> read(ConfigReader in) {
    Optional<Path> certificate = in.find(CERTIFICATE);
    Optional<Path> key = in.find(PRIVATE_KEY);
    Optional<Path> clientCa = in.find(CLIENT_CA);
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
