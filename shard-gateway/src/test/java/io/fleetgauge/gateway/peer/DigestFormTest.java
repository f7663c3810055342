package io.fleetgauge.gateway.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.gateway.ingest.host.RunProgress;
import io.fleetgauge.gateway.ingest.host.Sequences;
import io.fleetgauge.gateway.store.Digests;
import io.fleetgauge.sample.wire.WireException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Gateways of two versions read each other's digests, or say why not. */
class DigestFormTest {
  private static final DigestForm DIGEST = digest();

  private static final String BYTES =
      "01" // version
          + "01" // intact
          + "02" // two runs
          + "0700000000000000"
          + "ac02" // run 7 up to sequence 300
          + "020501"
          + "c80100" // without 5 and 6, and 200
          + "010100" // and perhaps without 1
          + "ffffffffffffffff"
          + "000000" // run 2^64 - 1, nothing yet
          + "02" // two slots
          + "13"
          + "d00f"
          + "05"
          + "efcdab8967452301" // from -10 ms to 1000 ms, 5 samples, their hash
          + "d20f"
          + "e22d"
          + "8001"
          + "0100000000000000"; // from 1001 ms to 2929 ms, 128 samples, their hash

  private static DigestForm digest() {
    Map<Long, RunProgress> progress = new LinkedHashMap<>();
    Sequences missing =
        new Sequences(List.of(new Sequences.Range(5, 6), new Sequences.Range(200, 200)));
    Sequences unproven = new Sequences(List.of(new Sequences.Range(1, 1)));
    progress.put(7L, new RunProgress(300, missing, unproven));
    progress.put(-1L, RunProgress.NOTHING);
    TreeMap<Long, Digests.Slot> slots = new TreeMap<>();
    slots.put(-10L, new Digests.Slot(1_000, 5, 0x0123456789abcdefL));
    slots.put(1_001L, new Digests.Slot(2_929, 128, 1));
    return new DigestForm(true, progress, slots);
  }

  @Test
  void aDigestHasTheBytesThatAreDrawn() throws WireException {
    assertThat(HexFormat.of().formatHex(DIGEST.toBytes())).isEqualTo(BYTES);
    assertThat(DigestForm.fromBytes(HexFormat.of().parseHex(BYTES))).isEqualTo(DIGEST);
  }

  @Test
  void aHostWithoutSamplesHasADigest() throws WireException {
    DigestForm none = new DigestForm(false, Map.of(), new TreeMap<>());
    assertThat(none.toBytes()).containsExactly(1, 0, 0, 0);
    assertThat(DigestForm.fromBytes(none.toBytes())).isEqualTo(none);
  }

  @Test
  void anUnknownVersionIsNamed() {
    for (int version : new int[] {0, 2, 3, 4, 255}) {
      byte[] bytes = DIGEST.toBytes();
      bytes[0] = (byte) version;
      assertThatThrownBy(() -> DigestForm.fromBytes(bytes))
          .isInstanceOf(WireException.class)
          .hasMessage("a digest of format version " + version + ", this program reads 1");
    }
  }

  @Test
  void whetherAnythingIsDamagedIsYesOrNo() {
    byte[] bytes = DIGEST.toBytes();
    bytes[1] = 2;
    assertThatThrownBy(() -> DigestForm.fromBytes(bytes))
        .isInstanceOf(WireException.class)
        .hasMessage("whether nothing is damaged is 2, allowed are 0 and 1");
  }

  @Test
  void aDigestThatIsCutOffOrTooLongIsRefused() {
    byte[] bytes = DIGEST.toBytes();
    for (int length = 0; length < bytes.length; length++) {
      byte[] part = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> DigestForm.fromBytes(part)).isInstanceOf(WireException.class);
    }
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThatThrownBy(() -> DigestForm.fromBytes(longer)).isInstanceOf(WireException.class);
  }

  @Test
  void noBytesMakeReadingThrowAnythingElse() {
    SplittableRandom random = new SplittableRandom(11);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = DIGEST.toBytes();
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      try {
        assertThat(DigestForm.fromBytes(bytes)).isNotNull();
      } catch (WireException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }
}
