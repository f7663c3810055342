package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;
import io.fleetgauge.cluster.config.key.Key;
import io.fleetgauge.cluster.config.key.KeyType;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How a process proves to others that it belongs to the cluster, and which others it believes. The
 * files are read again when they change.
 *
 * @param ca {@code trust.ca}
 * @param certificate {@code trust.certificate}
 * @param key {@code trust.key}
 * @param secret {@code cluster.secretFile}: text that all processes of the cluster have and nobody
 *     else, 16 characters at least; two lines with two of them while it is being changed
 */
public record TrustSettings(
    Optional<Path> ca, Optional<Path> certificate, Optional<Path> key, Optional<Path> secret) {
  private static final Key<Path> CA =
      Key.derived(
          "trust.ca",
          KeyType.file(),
          "the authorities that the JDK trusts",
          "Authority in PEM that signs the certificates of gateways.");
  private static final Key<Path> CERTIFICATE =
      Key.optional(
          "trust.certificate",
          KeyType.file(),
          "Certificate in PEM that this process presents to gateways.");
  private static final Key<Path> PRIVATE_KEY =
      Key.optional("trust.key", KeyType.file(), "Private key of that certificate in PEM, PKCS 8.");
  private static final Key<Path> SECRET =
      Key.optional(
          "cluster.secretFile",
          KeyType.file(),
          "File with the secret of the cluster, 16 characters or more and the same for all"
              + " processes: it proves that a request or a message comes from one of them. A second"
              + " line may have another secret that is valid too, while the secret is changed.");

  /** Proves nothing. */
  public static final TrustSettings NONE =
      new TrustSettings(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  static TrustSettings read(ConfigReader in) {
    TrustSettings settings =
        new TrustSettings(in.find(CA), in.find(CERTIFICATE), in.find(PRIVATE_KEY), in.find(SECRET));
    if (settings.certificate.isPresent() != settings.key.isPresent()) {
      in.problem("trust: certificate and key are both needed, or none");
    }
    return settings;
  }
}
