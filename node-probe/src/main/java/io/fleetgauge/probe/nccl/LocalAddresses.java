package io.fleetgauge.probe.nccl;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;

/**
 * The addresses of a network namespace, as {@code /proc/PID/net} shows them to everybody.
 *
 * @param all IPv4 with dots, IPv6 as 32 hexadecimal digits
 */
record LocalAddresses(Set<String> all) {
  private static final int MOST_LINES = 100_000;
  private static final int LONGEST_LINE = 1 << 10;
  private static final int IPV6_DIGITS = 32;

  /**
   * @param net the folder {@code /proc/PID/net}
   */
  static LocalAddresses of(Path net) {
    Set<String> all = new HashSet<>();
    String[] leaf = {""};
    lines(
        net.resolve("fib_trie"),
        line -> {
          String text = line.strip();
          if (text.startsWith("|-- ")) {
            leaf[0] = text.substring(4);
          } else if (text.equals("/32 host LOCAL")) {
            all.add(leaf[0]);
          }
        });
    lines(
        net.resolve("if_inet6"),
        line -> {
          if (line.length() >= IPV6_DIGITS) {
            all.add(line.substring(0, IPV6_DIGITS));
          }
        });
    return new LocalAddresses(Set.copyOf(all));
  }

  private interface Lines {
    void take(String line);
  }

  private static void lines(Path file, Lines to) {
    try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
      String line = in.readLine();
      for (int i = 0; line != null && i < MOST_LINES && line.length() < LONGEST_LINE; i++) {
        to.take(line);
        line = in.readLine();
      }
    } catch (IOException e) {
      // A kernel without this protocol, or a process that has ended: no addresses.
    }
  }

  /** Tells whether an address, as the C library prints it, is one of these. */
  boolean has(String address) {
    if (all.contains(address)) {
      return true;
    }
    if (address.indexOf(':') < 0) {
      return false;
    }
    try {
      byte[] bytes = InetAddress.ofLiteral(address).getAddress();
      return all.contains(HexFormat.of().formatHex(bytes));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
