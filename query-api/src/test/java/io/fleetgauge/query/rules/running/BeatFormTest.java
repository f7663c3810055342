package io.fleetgauge.query.rules.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.query.rules.ownership.Beat;
import io.fleetgauge.sample.wire.WireException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BeatFormTest {
  private static final Beat BEAT =
      new Beat(
          "q1", 2, 3, 4, 5, true, List.of(new Beat.Known(6, 7, 8, -9), new Beat.Known(1, 2, 3, 4)));

  private static final String BYTES =
      "01" // version
          + "027131" // from
          + "0200000000000000" // life
          + "03" // sequence
          + "0400000000000000" // answers
          + "05" // answered
          + "01" // serving
          + "02" // groups
          + "06000000000000000700000000000000" // group, definition
          + "0811" // weight, slot
          + "01000000000000000200000000000000"
          + "0308";

  @Test
  void theBytesAreThoseOfTheDrawing() throws WireException {
    assertThat(HexFormat.of().formatHex(BeatForm.toBytes(BEAT))).isEqualTo(BYTES);
    assertThat(BeatForm.fromBytes(BeatForm.toBytes(BEAT))).isEqualTo(BEAT);
    Beat silent = new Beat("", -1, 0, -2, 0, false, List.of());
    assertThat(BeatForm.fromBytes(BeatForm.toBytes(silent))).isEqualTo(silent);
  }

  @Test
  void anotherVersionOrBytesAfterTheEndAreRefused() {
    byte[] bytes = BeatForm.toBytes(BEAT);
    bytes[0] = 2;
    assertThatThrownBy(() -> BeatForm.fromBytes(bytes))
        .hasMessage("a beat of version 2, this program reads 1");
    byte[] longer = Arrays.copyOf(BeatForm.toBytes(BEAT), bytes.length + 1);
    assertThatThrownBy(() -> BeatForm.fromBytes(longer)).isInstanceOf(WireException.class);
  }

  @Test
  void keysAndStatesReadBackAndNothingMayFollow() throws WireException {
    assertThat(BeatForm.keys(BeatForm.keys(List.of(5L, -1L)))).containsExactly(5L, -1L);
    assertThat(BeatForm.keys(BeatForm.keys(List.of()))).isEmpty();
    List<byte[]> parts = BeatForm.parts(BeatForm.parts(List.of(new byte[] {1, 2}, new byte[0])));
    assertThat(parts).containsExactly(new byte[] {1, 2}, new byte[0]);
    for (byte[] whole : List.of(BeatForm.keys(List.of(5L)), BeatForm.parts(List.of(new byte[3])))) {
      byte[] longer = Arrays.copyOf(whole, whole.length + 1);
      assertThatThrownBy(() -> BeatForm.keys(longer)).isInstanceOf(WireException.class);
      assertThatThrownBy(() -> BeatForm.parts(longer)).isInstanceOf(WireException.class);
    }
  }

  @Test
  void damagedBytesAreRefusedOrAreABeat() {
    byte[] whole = BeatForm.toBytes(BEAT);
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      try {
        assertThat(BeatForm.fromBytes(damaged)).isNotNull();
      } catch (WireException e) {
        assertThat(e).hasMessageNotContaining("null");
      }
    }
  }
}
