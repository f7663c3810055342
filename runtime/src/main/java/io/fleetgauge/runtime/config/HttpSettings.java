package io.fleetgauge.runtime.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.util.Optional;

/**
 * Where a process listens for HTTP.
 *
 * @param host {@code http.host}: the address to bind
 * @param port {@code http.port}; 0 lets the system choose
 * @param insecure {@code http.insecure}: whether other machines may reach the process without
 *     authentication; a probe has no such key, because it authenticates nobody
 * @param tls {@code http.tls}: without it, plain HTTP
 */
public record HttpSettings(String host, int port, boolean insecure, Optional<TlsSettings> tls) {
  private static final Key<String> HOST =
      Key.of("http.host", KeyType.text(), "0.0.0.0", "Address to listen on.");
  private static final Key<Boolean> INSECURE =
      Key.of(
          "http.insecure",
          KeyType.flag(),
          false,
          "Whether other machines may connect without authentication.");

  /** Plain HTTP. */
  public HttpSettings(String host, int port) {
    this(host, port, false, Optional.empty());
  }

  public static HttpSettings read(ConfigReader in, int defaultPort) {
    return new HttpSettings(
        in.get(HOST), in.get(port(defaultPort)), in.get(INSECURE), TlsSettings.read(in));
  }

  /** Settings of a process that authenticates nobody. */
  public static HttpSettings readOpen(ConfigReader in, int defaultPort) {
    return new HttpSettings(in.get(HOST), in.get(port(defaultPort)), false, TlsSettings.read(in));
  }

  private static Key<Integer> port(int defaultPort) {
    return Key.of(
        "http.port",
        KeyType.port(),
        defaultPort,
        "TCP port to listen on; 0 lets the system choose one.");
  }

  /** The same, and other machines may reach it without a token. */
  public HttpSettings openToAll() {
    return new HttpSettings(host, port, true, tls);
  }

  /** The scheme of its addresses: http or https. */
  public String scheme() {
    return tls.isPresent() ? "https" : "http";
  }
}
