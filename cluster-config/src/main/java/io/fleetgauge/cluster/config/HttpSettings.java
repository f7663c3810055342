package io.fleetgauge.cluster.config;

/**
 * Where a process listens.
 *
 * @param host the address to bind, {@code http.host}
 * @param port 0 to 65535, {@code http.port}; 0 lets the system choose
 */
public record HttpSettings(String host, int port) {
  static HttpSettings read(ConfigReader in, int port) {
    return new HttpSettings(in.text("http.host", "0.0.0.0"), in.port("http.port", port));
  }
}
