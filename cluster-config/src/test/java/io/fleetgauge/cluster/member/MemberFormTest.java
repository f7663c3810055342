package io.fleetgauge.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.net.URI;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemberFormTest {
  private static final MemberForm FORM =
      new MemberForm("g1", URI.create("https://[::1]:9500"), "rack");

  private static byte[] bytes(int version, String id, String address) {
    return new WireWriter().u8(version).string(id).string(address).string("").toBytes();
  }

  @Test
  void aMemberHasTheBytesThatAreDrawn() throws WireException {
    String drawn = "01" + "026731" + "1268747470733a2f2f5b3a3a315d3a39353030" + "047261636b";
    assertThat(HexFormat.of().formatHex(FORM.toBytes())).isEqualTo(drawn);
    assertThat(MemberForm.fromBytes(HexFormat.of().parseHex(drawn))).isEqualTo(FORM);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "g1:9500",
        "http://g1",
        "http://:9500",
        "http://g1:0",
        "ftp://g1:21",
        "file:///etc/passwd",
        "http://a b:1",
        "//g1:9500"
      })
  void anAddressThatIsNoneOfHttpIsRefused(String address) {
    assertThatThrownBy(() -> MemberForm.fromBytes(bytes(1, "g1", address)))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("its address is ");
  }

  @Test
  void aMemberWithoutAnIdOrOfAnotherVersionIsRefused() {
    assertThatThrownBy(() -> MemberForm.fromBytes(bytes(1, " ", "http://g1:9500")))
        .isInstanceOf(WireException.class)
        .hasMessage("a gateway without an id");
    assertThatThrownBy(() -> MemberForm.fromBytes(bytes(2, "g1", "http://g1:9500")))
        .isInstanceOf(WireException.class)
        .hasMessage("a gateway of format version 2, this program reads 1");
  }

  @Test
  void bytesThatAreCutOffOrLongerAreRefused() {
    byte[] whole = FORM.toBytes();
    for (int length = 0; length <= whole.length + 1; length++) {
      byte[] other = Arrays.copyOf(whole, length);
      if (length != whole.length) {
        assertThatThrownBy(() -> MemberForm.fromBytes(other)).isInstanceOf(WireException.class);
      }
    }
  }
}
