package io.fleetgauge.runtime.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * Asks the process of its own container whether it is well, where an engine has no other way to
 * ask: an image has no shell and no curl. It ends with 0 when the answer has status 200. The
 * address is its argument, else {@code FLEETGAUGE_HEALTH_URL} of the environment. It needs no class
 * beyond the JDK's, because it runs every half minute.
 */
public final class HealthCheck {
  private static final int PATIENCE_MILLIS = 5_000;

  private HealthCheck() {}

  public static void main(String[] arguments) {
    String address = arguments.length > 0 ? arguments[0] : System.getenv("FLEETGAUGE_HEALTH_URL");
    if (address == null) {
      System.out.println("FLEETGAUGE_HEALTH_URL is not set. Set it to the URL to check.");
      System.exit(1);
    }
    String failure = failure(address);
    if (!failure.isEmpty()) {
      System.out.println(failure);
      System.exit(1);
    }
  }

  /** Why what is at an address does not count as well; empty if it does. */
  static String failure(String address) {
    try {
      URI uri = new URI(address);
      boolean tls = "https".equals(uri.getScheme());
      if (!tls && !"http".equals(uri.getScheme()) || uri.getHost() == null || uri.getPort() < 0) {
        return address + " is not of the form http://HOST:PORT/PATH or https://HOST:PORT/PATH.";
      }
      try (Socket plain = new Socket()) {
        plain.connect(new InetSocketAddress(uri.getHost(), uri.getPort()), PATIENCE_MILLIS);
        plain.setSoTimeout(PATIENCE_MILLIS);
        String status = ask(tls ? encrypted(plain, uri) : plain, uri);
        return status.matches("HTTP/1\\.[01] 200( .*)?")
            ? ""
            : address + " responds: " + (status.isEmpty() ? "nothing" : status);
      }
    } catch (Exception e) {
      return address + " does not respond: " + e;
    }
  }

  private static String ask(Socket socket, URI uri) throws IOException {
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String request =
        "GET "
            + path
            + " HTTP/1.1\r\nHost: "
            + uri.getRawAuthority()
            + "\r\nConnection: close\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    String status =
        new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))
            .readLine();
    return status == null ? "" : status;
  }

  /** Encrypts a connection, with any certificate: it is the container's own. */
  private static Socket encrypted(Socket plain, URI uri)
      throws IOException, GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new Anyone()}, new SecureRandom());
    SSLSocket socket =
        (SSLSocket)
            context.getSocketFactory().createSocket(plain, uri.getHost(), uri.getPort(), true);
    socket.startHandshake();
    return socket;
  }

  private static final class Anyone implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
