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

/** Listens on a socket and sends each client the same bytes, whatever it says. */
final class BrokenKubelet implements AutoCloseable {
  /** Frames of HTTP/2: settings, and what acknowledges the client's. */
  static final String SETTINGS = "000000040000000000" + "000000040100000000";

  /** Status 200 and {@code content-type: application/grpc}, on the first stream. */
  static final String HEADERS =
      "00001401040000000188" + "5f" + "10" + "6170706c69636174696f6e2f67727063";

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
        ByteBuffer said = ByteBuffer.allocate(1 << 16);
        // The request has come when its empty message has: five zero bytes at the end.
        while (said.position() < 5 || said.getInt(said.position() - 5) != 0) {
          if (client.read(said) < 0 || !said.hasRemaining()) {
            break;
          }
        }
        client.write(ByteBuffer.wrap(bytes));
        if (closes) {
          client.close();
        }
      }
    } catch (IOException e) {
      // It was closed.
    }
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
