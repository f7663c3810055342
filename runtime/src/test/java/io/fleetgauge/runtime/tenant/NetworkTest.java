package io.fleetgauge.runtime.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkTest {
  private static byte[] address(String literal) throws UnknownHostException {
    return InetAddress.getByName(literal).getAddress();
  }

  @ParameterizedTest
  @CsvSource({
    "10.1.0.0/16, 10.1.0.0, 10.1.255.255, 10.0.255.255, 10.2.0.0",
    "10.1.2.0/23, 10.1.2.0, 10.1.3.255, 10.1.1.255, 10.1.4.0",
    "192.168.7.8/31, 192.168.7.8, 192.168.7.9, 192.168.7.7, 192.168.7.10",
    "192.168.7.8, 192.168.7.8, 192.168.7.8, 192.168.7.7, 192.168.7.9",
    "192.168.7.8/32, 192.168.7.8, 192.168.7.8, 192.168.7.7, 192.168.7.9",
    "128.0.0.0/1, 128.0.0.0, 255.255.255.255, 127.255.255.255, 0.0.0.0",
    "fd00::/8, fd00::, fdff::1, fc00::, fe00::",
    "2001:db8::/33, 2001:db8::, 2001:db8:7fff::, 2001:db7::, 2001:db8:8000::"
  })
  void anAddressIsInsideUpToTheLastBitOfThePrefix(
      String text, String first, String last, String before, String after) throws Exception {
    Network network = Network.parse(text).orElseThrow();
    assertThat(network.contains(address(first))).isTrue();
    assertThat(network.contains(address(last))).isTrue();
    assertThat(network.contains(address(before))).isFalse();
    assertThat(network.contains(address(after))).isFalse();
    assertThat(network).hasToString(text);
  }

  @Test
  void everySingleBitOfThePrefixCountsAndNoneBehindIt() throws Exception {
    byte[] base = address("172.20.33.68");
    for (int bits = 0; bits <= 32; bits++) {
      Network network = Network.parse("172.20.33.68/" + bits).orElseThrow();
      for (int bit = 0; bit < 32; bit++) {
        byte[] other = base.clone();
        other[bit >> 3] ^= (byte) (0x80 >> (bit & 7));
        assertThat(network.contains(other)).as("bit %s of /%s", bit, bits).isEqualTo(bit >= bits);
      }
    }
  }

  @Test
  void anAddressOfTheOtherFamilyOrOfNoneIsOutside() throws Exception {
    Network all = Network.parse("0.0.0.0/0").orElseThrow();
    assertThat(all.contains(address("1.2.3.4"))).isTrue();
    assertThat(all.contains(address("::1"))).isFalse();
    assertThat(all.contains(new byte[0])).isFalse();
    assertThat(Network.parse("::/0").orElseThrow().contains(address("1.2.3.4"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10",
        "example.org",
        "localhost/8",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/",
        "fd00::/129",
        "10.0.0.0/8/8",
        "10.0.0.0/x",
        "300.0.0.1",
        "1.2.3.4.5",
        "dead",
        "::g"
      })
  void whatIsNotANetworkIsNotRead(String text) {
    assertThat(Network.parse(text)).isEmpty();
  }
}
