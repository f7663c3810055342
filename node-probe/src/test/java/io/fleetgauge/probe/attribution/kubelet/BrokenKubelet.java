package io.fleetgauge.probe.attribution.kubelet;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Listens on a socket and sends each client the same bytes: settings at once, the rest after a
 * request.
 */
final class BrokenKubelet implements AutoCloseable {
  /** Frames of HTTP/2: settings, and what acknowledges the client's. */
  static final String SETTINGS = "000000040000000000" + "000000040100000000";

  /** Status 200 and {@code content-type: application/grpc}, on the first stream. */
  static final String HEADERS =
      "00001301040000000188" + "5f" + "10" + "6170706c69636174696f6e2f67727063";

  private final ServerSocketChannel server;
  private final List<SocketChannel> clients = new ArrayList<>();
  private final boolean closes;

  /**
   * @param hex what it sends
   * @param closes whether it closes the connection afterwards
   */
  BrokenKubelet(Path socket, String hex, boolean closes) throws IOException {
    this.closes = closes;
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    byte[] bytes = HexFormat.of().parseHex(hex);
    Thread.ofVirtual().start(() -> serve(bytes));
  }

  private void serve(byte[] bytes) {
    try {
      while (true) {
        SocketChannel client = server.accept();
        synchronized (clients) {
          clients.add(client);
        }
        int greeting = Math.min(bytes.length, SETTINGS.length() / 2);
        client.write(ByteBuffer.wrap(bytes, 0, greeting));
        if (bytes.length > greeting) {
          awaitRequest(client);
          client.write(ByteBuffer.wrap(bytes, greeting, bytes.length - greeting));
        }
        if (closes) {
          client.close();
        }
      }
    } catch (IOException e) {
      // It was closed.
    }
  }

  /**
   * The empty message of {@code List}: a data frame with five zero bytes, which ends the stream.
   */
  private static void awaitRequest(SocketChannel client) throws IOException {
    String request = "000005000100000001" + "0000000000";
    ByteBuffer said = ByteBuffer.allocate(1 << 16);
    while (said.hasRemaining() && client.read(said) >= 0) {
      if (HexFormat.of().formatHex(said.array(), 0, said.position()).contains(request)) {
        return;
      }
    }
    throw new IOException("the client did not ask");
  }

  int connections() {
    synchronized (clients) {
      return clients.size();
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    synchronized (clients) {
      for (SocketChannel client : clients) {
        client.close();
      }
    }
  }
}
