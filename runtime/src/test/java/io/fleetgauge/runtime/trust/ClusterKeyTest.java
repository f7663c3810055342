package io.fleetgauge.runtime.trust;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ClusterKeyTest {
  private static final String SECRET = "0123456789abcdef";
  private static final String NEXT = "fedcba9876543210";

  private final AtomicReference<List<String>> secrets = new AtomicReference<>(List.of(SECRET));
  private final ClusterKey key = ClusterKey.of(secrets::get);

  private static ClusterKey with(String... secrets) {
    return ClusterKey.of(() -> List.of(secrets));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  // Computed with Python's hmac and hashlib from the drawing in package-info.
  @ParameterizedTest
  @CsvSource({
    "REQUEST, ce27738517453029cb4e4af7d790ef9f5ed21ea1908f69ed5311b0a56be2ca37",
    "ENTRY, b1fd781f60ce70c309d2bbfd4fd4943ab51646c7e9626d5d990c1482c0a455ad",
    "MESSAGE, 1734221f011e6eca22a0ed1f340f31243ccf5cac0a17955b0655e4d949e78500",
    "CONNECTION, 7766362cdb638e8c3d50a5639e849423c3c0867d13f363f6eb503d00e3adb378",
  })
  void theSignatureOfAPurposeIsThatOfTheDrawing(Purpose purpose, String golden) {
    assertThat(HexFormat.of().formatHex(key.sign(purpose, bytes("ab"), bytes(""), bytes("c"))))
        .isEqualTo(golden);
  }

  @ParameterizedTest
  @EnumSource
  void aSignatureVerifiesForItsPurposeAndForNoOther(Purpose purpose) {
    byte[] signature = key.sign(purpose, bytes("a"));
    assertThat(signature).hasSize(ClusterKey.SIGNATURE_BYTES);
    for (Purpose other : Purpose.values()) {
      assertThat(key.verifies(signature, other, bytes("a"))).isEqualTo(other == purpose);
    }
  }

  @Test
  void everyChangedBitOfASignatureOrOfWhatIsSignedIsNoticed() {
    byte[] signed = bytes("a part");
    byte[] signature = key.sign(Purpose.ENTRY, signed);
    for (int i = 0; i < 8 * signature.length; i++) {
      assertThat(key.verifies(flipped(signature, i), Purpose.ENTRY, signed)).isFalse();
    }
    for (int i = 0; i < 8 * signed.length; i++) {
      assertThat(key.verifies(signature, Purpose.ENTRY, flipped(signed, i))).isFalse();
    }
    assertThat(key.verifies(signature, Purpose.ENTRY, signed)).isTrue();
    assertThat(key.verifies(new byte[0], Purpose.ENTRY, signed)).isFalse();
    assertThat(key.verifies(new byte[33], Purpose.ENTRY, signed)).isFalse();
  }

  private static byte[] flipped(byte[] bytes, int bit) {
    byte[] changed = bytes.clone();
    changed[bit >> 3] ^= (byte) (1 << (bit & 7));
    return changed;
  }

  @Test
  void partsThatAreDividedAtOtherPlacesDoNotVerify() {
    byte[] signature = key.sign(Purpose.REQUEST, bytes("ab"), bytes("c"));
    assertThat(key.verifies(signature, Purpose.REQUEST, bytes("ab"), bytes("c"))).isTrue();
    assertThat(key.verifies(signature, Purpose.REQUEST, bytes("a"), bytes("bc"))).isFalse();
    assertThat(key.verifies(signature, Purpose.REQUEST, bytes("abc"))).isFalse();
    assertThat(key.verifies(signature, Purpose.REQUEST, bytes("ab"), bytes("c"), bytes("")))
        .isFalse();
  }

  @Test
  void anotherSecretDoesNotVerify() {
    assertThat(key.verifies(with(NEXT).sign(Purpose.ENTRY, bytes("a")), Purpose.ENTRY, bytes("a")))
        .isFalse();
  }

  @Test
  void theFirstOfTwoSecretsSignsAndBothVerify() {
    ClusterKey old = with(SECRET);
    ClusterKey changing = with(SECRET, NEXT);
    ClusterKey changed = with(NEXT, SECRET);
    ClusterKey fresh = with(NEXT);
    byte[] part = bytes("a");
    byte[] byOld = changing.sign(Purpose.ENTRY, part);
    byte[] byNew = changed.sign(Purpose.ENTRY, part);
    assertThat(byOld).isEqualTo(old.sign(Purpose.ENTRY, part));
    assertThat(byNew).isEqualTo(fresh.sign(Purpose.ENTRY, part));
    for (ClusterKey both : List.of(changing, changed)) {
      assertThat(both.verifies(byOld, Purpose.ENTRY, part)).isTrue();
      assertThat(both.verifies(byNew, Purpose.ENTRY, part)).isTrue();
    }
    assertThat(old.verifies(byNew, Purpose.ENTRY, part)).isFalse();
    assertThat(fresh.verifies(byOld, Purpose.ENTRY, part)).isFalse();
  }

  @Test
  void aChangedSecretHoldsFromTheNextCallOn() {
    byte[] before = key.sign(Purpose.ENTRY, bytes("a"));
    secrets.set(List.of(NEXT));
    assertThat(key.verifies(before, Purpose.ENTRY, bytes("a"))).isFalse();
    assertThat(key.sign(Purpose.ENTRY, bytes("a")))
        .isEqualTo(with(NEXT).sign(Purpose.ENTRY, bytes("a")));
    assertThat(key.isSet()).isTrue();
  }

  @Test
  void withoutASecretNothingIsSignedAndNoSignatureVerifies() {
    byte[] part = bytes("a");
    assertThat(ClusterKey.NONE.isSet()).isFalse();
    assertThat(ClusterKey.NONE.sign(Purpose.ENTRY, part)).isEmpty();
    assertThat(ClusterKey.NONE.verifies(new byte[0], Purpose.ENTRY, part)).isTrue();
    assertThat(ClusterKey.NONE.verifies(key.sign(Purpose.ENTRY, part), Purpose.ENTRY, part))
        .isFalse();
  }
}
