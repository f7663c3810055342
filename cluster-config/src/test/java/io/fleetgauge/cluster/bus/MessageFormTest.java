package io.fleetgauge.cluster.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.cluster.bus.BusMessage.TableChanged;
import io.fleetgauge.cluster.bus.BusMessage.TenantsChanged;
import io.fleetgauge.cluster.bus.MessageForm.Envelope;
import io.fleetgauge.sample.wire.WireException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MessageFormTest {
  private static final long LIFE = 0x1112131415161718L;

  /** Every kind, with the bytes of its message behind the envelope's head. */
  private record Golden(BusMessage message, String hex) {}

  private static final String HEAD =
      "01" // version
          + "1817161514131211" // life
          + "ac02" // sequence 300
          + "efcdab8967452301"; // sent

  private static List<Golden> goldens() {
    return List.of(
        new Golden(new TableChanged(65_537), "01818004"), new Golden(new TenantsChanged(), "02"));
  }

  private static Envelope envelope(BusMessage message) {
    return new Envelope(LIFE, 300, 0x0123456789abcdefL, message);
  }

  @ParameterizedTest
  @MethodSource("goldens")
  void everyKindHasTheBytesThatAreDrawn(Golden golden) throws WireException {
    byte[] bytes = HexFormat.of().parseHex(HEAD + golden.hex());
    assertThat(MessageForm.toBytes(envelope(golden.message()))).isEqualTo(bytes);
    assertThat(MessageForm.fromBytes(bytes)).isEqualTo(envelope(golden.message()));
  }

  @ParameterizedTest
  @MethodSource("goldens")
  void aMessageThatIsCutOffOrGoesOnIsNotRead(Golden golden) {
    byte[] bytes = MessageForm.toBytes(envelope(golden.message()));
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> MessageForm.fromBytes(cut)).isInstanceOf(WireException.class);
    }
    assertThatThrownBy(() -> MessageForm.fromBytes(Arrays.copyOf(bytes, bytes.length + 1)))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("1 bytes are left");
  }

  @Test
  void otherVersionsAndKindsAreNotRead() {
    byte[] bytes = MessageForm.toBytes(envelope(new TenantsChanged()));
    bytes[0] = 2;
    assertThatThrownBy(() -> MessageForm.fromBytes(bytes))
        .hasMessage("a message of format version 2, this program reads 1");
    bytes[0] = 1;
    bytes[bytes.length - 1] = 10;
    assertThatThrownBy(() -> MessageForm.fromBytes(bytes))
        .hasMessage("a message has the unknown kind 10");
  }

  @Test
  void damagedBytesAreAnErrorOrAMessageAndNothingElse() {
    Random random = new Random(20_261_123);
    for (Golden golden : goldens()) {
      for (int i = 0; i < 2_000; i++) {
        byte[] bytes = MessageForm.toBytes(envelope(golden.message()));
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        try {
          assertThat(MessageForm.fromBytes(bytes)).isNotNull();
        } catch (WireException e) {
          assertThat(e).hasMessageNotContaining("null");
        }
      }
    }
  }
}
