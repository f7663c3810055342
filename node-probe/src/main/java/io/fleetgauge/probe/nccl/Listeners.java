package io.fleetgauge.probe.nccl;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** Counts the sockets of a network namespace that listen; each process with NCCL has one. */
final class Listeners {
  private static final String LISTEN = "0A";
  private static final int MOST_LINES = 10_000;
  private static final int HEXADECIMAL = 16;

  private Listeners() {}

  /**
   * @param net the folder {@code /proc/PID/net}
   */
  static int count(Path net, Set<Integer> ports) {
    return countIn(net.resolve("tcp"), ports) + countIn(net.resolve("tcp6"), ports);
  }

  private static int countIn(Path file, Set<Integer> ports) {
    int count = 0;
    try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
      in.readLine(); // names of columns
      String line = in.readLine();
      for (int i = 0; line != null && i < MOST_LINES; i++) {
        String[] words = line.strip().split(" +", 5);
        // The kernel shows sockets that listen before all others, of which there may be very many.
        if (words.length < 5 || !words[3].equals(LISTEN)) {
          break;
        }
        count += ports.contains(port(words[1])) ? 1 : 0;
        line = in.readLine();
      }
    } catch (IOException e) {
      return count; // its process has ended
    }
    return count;
  }

  private static int port(String address) {
    try {
      return Integer.parseInt(address.substring(address.indexOf(':') + 1), HEXADECIMAL);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
