package io.fleetgauge.load.api;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Passes TCP connections on, and records what is sent in both directions. */
final class Recorder implements AutoCloseable {
  private final List<ByteArrayOutputStream> streams = new CopyOnWriteArrayList<>();
  private final List<Closeable> open = new CopyOnWriteArrayList<>();

  /** Passes connections to a port of one address on to the same port of another. */
  void pass(String from, String to, int port) throws IOException {
    ServerSocket server = new ServerSocket(port, 100, InetAddress.getByName(from));
    open.add(server);
    Thread.ofVirtual().start(() -> accept(server, to, port));
  }

  private void accept(ServerSocket server, String to, int port) {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        open.add(client);
        Socket behind = new Socket(to, port);
        open.add(behind);
        Thread.ofVirtual().start(() -> pump(client, behind));
        Thread.ofVirtual().start(() -> pump(behind, client));
      } catch (IOException e) {
        // Closed, or nobody is behind: the client sees its connection end.
      }
    }
  }

  private void pump(Socket from, Socket to) {
    ByteArrayOutputStream record = new ByteArrayOutputStream();
    streams.add(record);
    byte[] part = new byte[64 << 10];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int length = in.read(part); length >= 0; length = in.read(part)) {
        record.write(part, 0, length);
        out.write(part, 0, length);
      }
    } catch (IOException e) {
      // The other direction ends too.
    }
  }

  /** Bytes that were sent on all connections so far. */
  String text() {
    StringBuilder all = new StringBuilder();
    for (ByteArrayOutputStream stream : streams) {
      all.append(stream.toString(StandardCharsets.ISO_8859_1)).append('\n');
    }
    return all.toString();
  }

  @Override
  public void close() throws IOException {
    for (Closeable each : open) {
      each.close();
    }
  }
}
