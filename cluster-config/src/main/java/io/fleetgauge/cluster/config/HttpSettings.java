package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;
import java.util.Optional;

/**
 * Where a process listens.
 *
 * @param host the address to bind, {@code http.host}
 * @param port 0 to 65535, {@code http.port}; 0 lets the system choose
 * @param insecure {@code http.insecure}: whether others than this machine may reach it although it
 *     asks nobody for a token
 * @param tls {@code http.tls}: without it, plain HTTP
 */
public record HttpSettings(String host, int port, boolean insecure, Optional<TlsSettings> tls) {
  /** Plain HTTP. */
  public HttpSettings(String host, int port) {
    this(host, port, false, Optional.empty());
  }

  static HttpSettings read(ConfigReader in, int port) {
    return new HttpSettings(
        in.text("http.host", "0.0.0.0"),
        in.port("http.port", port),
        in.flag("http.insecure", false),
        TlsSettings.read(in));
  }

  /** The same, for all to reach. */
  public HttpSettings openToAll() {
    return new HttpSettings(host, port, true, tls);
  }

  /** As addresses begin. */
  public String scheme() {
    return tls.isPresent() ? "https" : "http";
  }
}
