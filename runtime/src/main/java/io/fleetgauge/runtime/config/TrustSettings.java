package io.fleetgauge.runtime.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings by which a process proves to others that it belongs to the cluster, and which others it
 * believes. The files are read again when they change.
 *
 * @param ca {@code trust.ca}
 * @param certificate {@code trust.certificate}
 * @param key {@code trust.key}
 * @param secret {@code cluster.secretFile}: text that all processes of the cluster have and nobody
 *     else, 16 characters at least; two lines with two of them while it is being changed
 * @param clockSkew {@code trust.clockSkew}
 */
public record TrustSettings(
    Optional<Path> ca,
    Optional<Path> certificate,
    Optional<Path> key,
    Optional<Path> secret,
    Duration clockSkew) {
  private static final Key<Path> CA =
      Key.derived(
          "trust.ca",
          KeyType.file(),
          "the authorities that the JDK trusts",
          "Authority in PEM that signs the certificates of gateways. When it is set, requests to"
              + " gateways are sent over TLS only.");
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
              + " processes: it authenticates requests and messages between them. A second line may"
              + " have another secret that is valid too, while the secret is changed.");

  private static final Key<Duration> CLOCK_SKEW =
      Key.of(
          "trust.clockSkew",
          KeyType.duration(Duration.ofSeconds(1), Duration.ofHours(1)),
          Duration.ofSeconds(60),
          "Maximum difference between the clocks of two processes; with a larger one, requests are"
              + " rejected. Nonces are remembered for this time, so that no request is accepted"
              + " twice.");

  /** Proves nothing. */
  public static final TrustSettings NONE = ofSecret(Optional.empty());

  /** Only the secret, if there is one. */
  public static TrustSettings ofSecret(Optional<Path> file) {
    return new TrustSettings(
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        file,
        CLOCK_SKEW.fallback().orElseThrow());
  }

  /** Settings of a process that other processes of the cluster send requests to. */
  public static TrustSettings readForReceiver(ConfigReader in) {
    return read(in, in.get(CLOCK_SKEW));
  }

  /** Settings of a process that only sends requests. */
  public static TrustSettings readForSender(ConfigReader in) {
    return read(in, CLOCK_SKEW.fallback().orElseThrow());
  }

  private static TrustSettings read(ConfigReader in, Duration clockSkew) {
    TrustSettings settings =
        new TrustSettings(
            in.find(CA), in.find(CERTIFICATE), in.find(PRIVATE_KEY), in.find(SECRET), clockSkew);
    if (settings.certificate.isPresent() != settings.key.isPresent()) {
      in.problem("trust: certificate and key are both needed, or none");
    }
    return settings;
  }
}
