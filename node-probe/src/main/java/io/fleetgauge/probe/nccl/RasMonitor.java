package io.fleetgauge.probe.nccl;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Waits for what a job of NCCL 2.29 or later tells by itself: that a process has joined it, or is
 * dead. It tells of the one job that gets the connection.
 */
final class RasMonitor {
  private static final long MOST_BYTES = 1 << 20;

  /** In JSON a line of an object, in text a line with a time. */
  private static final Pattern EVENT =
      Pattern.compile("(?: *\"event\": *\"|\\[[0-9 :-]{1,32}\\] )([A-Z_]{1,32})[\":].*");

  static final String PEER_DEAD = "PEER_DEAD";

  private final RasClient client;
  private volatile Socket socket;

  RasMonitor(RasClient client) {
    this.client = client;
  }

  /**
   * Waits until a time, or until a process is dead.
   *
   * @param until by {@link System#nanoTime}
   * @param events is told the name of each event
   * @return whether a process is dead
   * @throws IOException if the job does not tell, or does not any more
   */
  boolean await(InetSocketAddress server, long until, Consumer<String> events) throws IOException {
    try (Socket connection = client.connect(server)) {
      socket = connection;
      RasInput in = RasInput.of(connection, MOST_BYTES, until);
      client.greet(connection, in);
      if (!client.accepts(connection, in, "MONITOR lifecycle")) {
        throw JsonTokens.damaged("it has no MONITOR");
      }
      for (String line = in.line(); line != null; line = in.line()) {
        Matcher event = EVENT.matcher(line);
        if (event.matches()) {
          events.accept(event.group(1));
          if (event.group(1).equals(PEER_DEAD)) {
            return true;
          }
        }
      }
      throw JsonTokens.damaged("it has ended");
    } catch (RasFailure e) {
      if (e.reason() == RasFailure.Reason.TIMEOUT && System.nanoTime() - until >= 0) {
        return false;
      }
      throw e;
    } finally {
      socket = null;
    }
  }

  /** Ends a wait. For any thread. */
  void close() {
    Socket open = socket;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // It ends all the same.
      }
    }
  }
}
