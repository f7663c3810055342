package io.fleetgauge.probe.nccl;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * Asks a RAS port for the status of the job behind it: commands and answers are lines, the status
 * ends with the connection. JSON is asked for, and text is read where the job has no JSON.
 *
 * @param mostBytes of an answer; it is longer than that of 4,096 GPUs with four communicators each
 * @param timeout of an answer as a whole; NCCL itself gives up after ten seconds
 */
record RasClient(long mostBytes, Duration timeout) {
  private static final int MILLIS = 1_000;
  private static final long LINE_BYTES = 4 << 10;

  /**
   * A process greets by itself, so that it needs no more than a part of the time of an answer. One
   * that has stopped does not greet, and the rest of the time is for others of its port.
   */
  private static final int GREETINGS_PER_ANSWER = 4;

  /** Reads the status. */
  RasAnswer status(InetSocketAddress server, Predicate<String> isLocal) throws IOException {
    long begin = System.nanoTime();
    try (Socket socket = connect(server)) {
      RasInput in =
          RasInput.of(socket, mostBytes, begin + timeout.toNanos() / GREETINGS_PER_ANSWER);
      boolean hasJson = greet(socket, in);
      in.until(begin + timeout.toNanos());
      send(socket, "VERBOSE STATUS");
      return hasJson ? RasJson.read(in, isLocal) : RasText.read(in, isLocal);
    } catch (RasFailure e) {
      throw e;
    } catch (IOException e) {
      throw new RasFailure(
          RasFailure.Reason.DAMAGED, "the connection has ended: " + e.getMessage());
    }
  }

  /**
   * Finds out whether somebody answers, without asking for anything.
   *
   * @throws RasFailure if nobody does
   */
  void greeting(InetSocketAddress server) throws IOException {
    try (Socket socket = connect(server)) {
      greet(socket, RasInput.of(socket, LINE_BYTES, System.nanoTime() + timeout.toNanos()));
    }
  }

  Socket connect(InetSocketAddress server) throws RasFailure {
    Socket socket = new Socket();
    try {
      socket.connect(server, (int) timeout.toMillis());
      return socket;
    } catch (SocketTimeoutException e) {
      close(socket);
      throw new RasFailure(RasFailure.Reason.TIMEOUT, "no connection in time");
    } catch (IOException | IllegalArgumentException e) {
      close(socket);
      throw new RasFailure(RasFailure.Reason.REFUSED, "no connection: " + e.getMessage());
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is not used any more.
    }
  }

  /** Tells whether the job has JSON. */
  boolean greet(Socket socket, RasInput in) throws IOException {
    send(socket, "CLIENT PROTOCOL 2");
    String protocol = in.line();
    if (protocol == null || !protocol.startsWith("SERVER PROTOCOL ")) {
      throw JsonTokens.damaged("it is no RAS port");
    }
    // A rank that does not answer takes NCCL so long; the rest of the time is for the answer.
    send(socket, "TIMEOUT " + Math.max(1, timeout.toMillis() / MILLIS / 2));
    if (!"OK".equals(in.line())) {
      throw JsonTokens.damaged("it takes no timeout");
    }
    return accepts(socket, in, "SET FORMAT json");
  }

  boolean accepts(Socket socket, RasInput in, String command) throws IOException {
    send(socket, command);
    String answer = in.line();
    if (answer == null) {
      throw JsonTokens.damaged("it ends after " + command);
    }
    return answer.equals("OK");
  }

  private static void send(Socket socket, String line) throws IOException {
    socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
  }
}
