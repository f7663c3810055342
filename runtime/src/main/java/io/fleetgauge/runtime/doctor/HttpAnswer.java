package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.http.HttpListener;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;

/**
 * The answer to a request. It is sent by the JDK itself, so that a probe needs no further library.
 *
 * @param clock what its header says of the clock, ms since the epoch
 * @param date the time of the header {@code Date}, which has no fractions of seconds, ms
 * @param begun when the request was sent, ms since the epoch
 * @param millis how long the answer took
 */
record HttpAnswer(
    int status, String body, Optional<Long> clock, Optional<Long> date, long begun, long millis) {
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final int MAX_BYTES = 32 << 20;

  static HttpAnswer of(URI address, Optional<SSLSocketFactory> sockets) throws IOException {
    return of(address, sockets, Map.of());
  }

  /**
   * @param sockets how a server is known; the JVM's way if empty
   */
  static HttpAnswer of(URI address, Optional<SSLSocketFactory> sockets, Map<String, String> headers)
      throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) address.toURL().openConnection(Proxy.NO_PROXY);
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    connection.setInstanceFollowRedirects(false);
    headers.forEach(connection::setRequestProperty);
    if (connection instanceof HttpsURLConnection https && sockets.isPresent()) {
      https.setSSLSocketFactory(sockets.get());
      if (sockets.equals(TrustAll.SOCKETS)) {
        https.setHostnameVerifier((host, session) -> true);
      }
    }
    try {
      long begun = System.currentTimeMillis();
      long from = System.nanoTime();
      int status = connection.getResponseCode();
      long millis = (System.nanoTime() - from) / 1_000_000;
      long date = connection.getHeaderFieldDate("Date", 0);
      return new HttpAnswer(
          status,
          body(connection, status),
          clock(connection.getHeaderField(HttpListener.CLOCK)),
          date == 0 ? Optional.empty() : Optional.of(date),
          begun,
          millis);
    } finally {
      connection.disconnect();
    }
  }

  private static String body(HttpURLConnection connection, int status) throws IOException {
    try (InputStream in =
        status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
      return in == null ? "" : new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
    }
  }

  private static Optional<Long> clock(String header) {
    try {
      return header == null ? Optional.empty() : Optional.of(Long.parseLong(header));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
