package io.fleetgauge.load.fleet;

import io.fleetgauge.runtime.process.StartFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Ports on loopback. */
public final class LocalPorts {
  private static final int LOWEST = 15_000;

  /** The lowest of the ephemeral ports, which Linux assigns to outgoing connections. */
  private static final int ABOVE = 32_768;

  private LocalPorts() {}

  /**
   * Ports that are free at this moment, below the ephemeral ports, of which an outgoing connection
   * could take one before it is listened on.
   */
  public static List<Integer> free(int count) {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      List<Integer> ports = new ArrayList<>();
      while (ports.size() < count) {
        int port = ThreadLocalRandom.current().nextInt(LOWEST, ABOVE);
        try {
          sockets.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
          ports.add(port);
        } catch (BindException e) {
          continue; // in use
        }
      }
      return ports;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      sockets.forEach(LocalPorts::close);
    }
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * @param option what chooses the ports
   * @throws StartFailure if one of the ports from {@code first} on is taken
   */
  public static void requireFree(String host, int first, int count, String option)
      throws StartFailure {
    for (int port = first; port < first + count; port++) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(host, port));
      } catch (IOException e) {
        throw new StartFailure("port " + port + " is in use; choose another with " + option, e);
      }
    }
  }
}
