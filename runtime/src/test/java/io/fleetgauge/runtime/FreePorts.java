package io.fleetgauge.runtime;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports of this machine that nobody uses. They lie below the range from which the system takes the
 * ports of outgoing connections, so that none of these gets one before the test binds it.
 */
public final class FreePorts {
  private static final int FIRST = 20_000;
  private static final int LAST = 31_999;

  // Other test processes run beside this one: those with the next ids begin far away.
  private static final AtomicInteger NEXT =
      new AtomicInteger(FIRST + (int) (ProcessHandle.current().pid() * 7_416 % (LAST - FIRST)));

  private FreePorts() {}

  public static List<Integer> take(int count) {
    List<Integer> ports = new ArrayList<>();
    while (ports.size() < count) {
      int port = NEXT.getAndUpdate(last -> last >= LAST ? FIRST : last + 1);
      if (isFree(port)) {
        ports.add(port);
      }
    }
    return ports;
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
