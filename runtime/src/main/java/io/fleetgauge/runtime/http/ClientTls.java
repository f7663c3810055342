package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Certificates of a client: those that it accepts of servers, and its own.
 *
 * @param keys that name the files, for messages
 * @param ca authorities in PEM; without them those of the JVM
 * @param certificate its own, in PEM
 * @param key of its certificate
 * @param isUnverified whether any certificate of a server is accepted
 */
public record ClientTls(
    String keys,
    Optional<Path> ca,
    Optional<Path> certificate,
    Optional<Path> key,
    boolean isUnverified) {

  /** Between the processes of a cluster. */
  public static ClientTls ofCluster(TrustSettings trust) {
    return new ClientTls(
        "trust.ca, trust.certificate or trust.key",
        trust.ca(),
        trust.certificate(),
        trust.key(),
        false);
  }

  /**
   * Options for servers of another system.
   *
   * @param section of the keys, for messages
   */
  public static ClientTls ofExternal(String section, AccessSettings settings) {
    return new ClientTls(
        section + ".tls",
        settings.ca(),
        settings.certificate(),
        settings.key(),
        settings.isUnverified());
  }

  /** The files that {@link #options} names. */
  List<Path> files() {
    return Stream.of(ca, certificate, key).flatMap(Optional::stream).toList();
  }

  ClientSSLOptions options() {
    ClientSSLOptions options = new ClientSSLOptions();
    if (isUnverified) {
      options.setTrustAll(true).setHostnameVerificationAlgorithm("");
    } else {
      // The certificate must contain the server's name or IP address, whichever its URL has.
      options.setHostnameVerificationAlgorithm("HTTPS");
    }
    ca.ifPresent(file -> options.setTrustOptions(new PemTrustOptions().addCertPath("" + file)));
    if (certificate.isPresent() && key.isPresent()) {
      options.setKeyCertOptions(
          new PemKeyCertOptions()
              .addCertPath(certificate.get().toString())
              .addKeyPath(key.get().toString()));
    }
    return options;
  }
}
