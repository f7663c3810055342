package io.fleetgauge.load.system;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One connection to one process over HTTP/1.1, kept alive. The calling thread writes and reads, so
 * that no other threads add to what an exchange takes. Not for several threads.
 */
public final class Connection implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 120_000;

  private final URI server;
  private Socket socket;
  private InputStream in;
  private OutputStream out;

  /**
   * An answer.
   *
   * @param headers by name in lower case
   */
  public record Answer(int status, Map<String, String> headers, byte[] body) {
    public String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  public Connection(URI server) {
    this.server = server;
  }

  /**
   * @param path with the query
   * @param headers names and values
   */
  public Answer get(String path, String... headers) throws IOException {
    return exchange("GET", path, new byte[0], headers);
  }

  public Answer post(String path, byte[] body, String... headers) throws IOException {
    return exchange("POST", path, body, headers);
  }

  private Answer exchange(String method, String path, byte[] body, String... headers)
      throws IOException {
    boolean wasOpen = socket != null;
    try {
      return once(method, path, body, headers);
    } catch (IOException e) {
      close();
      if (!wasOpen) {
        throw e;
      }
      // The server may close a connection that is idle; samples may be sent twice.
      return once(method, path, body, headers);
    }
  }

  private Answer once(String method, String path, byte[] body, String... headers)
      throws IOException {
    if (socket == null) {
      socket = new Socket();
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.connect(new InetSocketAddress(server.getHost(), server.getPort()), TIMEOUT_MILLIS);
      in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
      out = socket.getOutputStream();
    }
    StringBuilder head = new StringBuilder(256);
    head.append(method).append(' ').append(path).append(" HTTP/1.1\r\nHost: ");
    head.append(server.getAuthority()).append("\r\n");
    if (method.equals("POST")) {
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    for (int i = 0; i < headers.length; i += 2) {
      head.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
    }
    byte[] start = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    byte[] whole = new byte[start.length + body.length];
    System.arraycopy(start, 0, whole, 0, start.length);
    System.arraycopy(body, 0, whole, start.length, body.length);
    out.write(whole);
    out.flush();
    return read();
  }

  private Answer read() throws IOException {
    String[] status = line().split(" ", 3);
    Map<String, String> headers = new HashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    int code = Integer.parseInt(status[1]);
    byte[] body;
    if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
      body = chunks();
    } else if (headers.containsKey("content-length")) {
      body = in.readNBytes(Integer.parseInt(headers.get("content-length")));
    } else if (code == 204 || code == 304) {
      body = new byte[0];
    } else {
      body = in.readAllBytes();
      close();
    }
    if ("close".equalsIgnoreCase(headers.get("connection"))) {
      close();
    }
    return new Answer(code, headers, body);
  }

  private byte[] chunks() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int size = Integer.parseInt(line().split(";")[0].strip(), 16);
      if (size == 0) {
        while (!line().isEmpty()) {
          // Trailers are not asked for.
        }
        return body.toByteArray();
      }
      body.write(in.readNBytes(size));
      line();
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder(64);
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException(server + " has closed the connection");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    if (socket != null) {
      socket.close();
      socket = null;
    }
  }
}
