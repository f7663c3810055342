package io.fleetgauge.runtime.tenant;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The addresses that share a prefix.
 *
 * @param text as it was written, such as {@code 10.0.0.0/8}
 * @param address the bytes of one of them: 4 or 16
 * @param bits the length of the prefix
 */
record Network(String text, List<Byte> address, int bits) {
  // Only literals: a name would be looked up in the network.
  private static final Pattern LITERAL = Pattern.compile("(?=.*[:.])[0-9a-fA-F:.]+");

  /** Empty when the text is not a network. */
  static Optional<Network> parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length > 2 || !LITERAL.matcher(parts[0]).matches()) {
      return Optional.empty();
    }
    try {
      byte[] address = InetAddress.getByName(parts[0]).getAddress();
      int all = 8 * address.length;
      int bits = parts.length == 1 ? all : Integer.parseInt(parts[1]);
      List<Byte> bytes = new ArrayList<>();
      for (byte each : address) {
        bytes.add(each);
      }
      return bits < 0 || bits > all
          ? Optional.empty()
          : Optional.of(new Network(text, List.copyOf(bytes), bits));
    } catch (UnknownHostException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Tells whether it contains an address, given as bytes. */
  boolean contains(byte[] other) {
    if (other.length != address.size()) {
      return false;
    }
    for (int i = 0; i < bits; i++) {
      int mask = 0x80 >> (i & 7);
      if ((other[i >> 3] & mask) != (address.get(i >> 3) & mask)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return text;
  }
}
