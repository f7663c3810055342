package io.fleetgauge.load.rig;

import io.fleetgauge.cluster.process.StartFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports on loopback. */
public final class LocalPorts {
  private LocalPorts() {}

  /** Ports that are free at this moment. */
  public static List<Integer> free(int count) {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      List<Integer> ports = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        sockets.add(socket);
        ports.add(socket.getLocalPort());
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
