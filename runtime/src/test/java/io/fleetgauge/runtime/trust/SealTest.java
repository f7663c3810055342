package io.fleetgauge.runtime.trust;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SealTest {
  private static final String SECRET = "0123456789abcdef";
  private static final String NEXT = "fedcba9876543210";

  private final AtomicReference<List<String>> secrets = new AtomicReference<>(List.of(SECRET));
  private final ClusterKey key = ClusterKey.of(secrets::get);
  private final Seal seal = new Seal(key, Purpose.ENTRY);

  private static Seal with(String... secrets) {
    return new Seal(ClusterKey.of(() -> List.of(secrets)), Purpose.ENTRY);
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
    "STREAM, 958659fc24fce14f172bdaae6bbafd12318690772967ad6a8d7d7a1f05357aa8",
  })
  void theSignatureOfAPurposeIsThatOfTheDrawing(Purpose purpose, String golden) {
    Seal of = new Seal(key, purpose);
    for (int i = 0; i < 2; i++) {
      assertThat(HexFormat.of().formatHex(of.sign(bytes("ab"), bytes(""), bytes("c"))))
          .isEqualTo(golden);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSignatureVerifiesForItsPurposeAndForNoOther(Purpose purpose) {
    byte[] signature = new Seal(key, purpose).sign(bytes("a"));
    assertThat(signature).hasSize(ClusterKey.SIGNATURE_BYTES);
    for (Purpose other : Purpose.values()) {
      assertThat(new Seal(key, other).verifies(signature, bytes("a"))).isEqualTo(other == purpose);
    }
  }

  @Test
  void everyChangedBitOfASignatureOrOfWhatIsSignedIsNoticed() {
    byte[] signed = bytes("a part");
    byte[] signature = seal.sign(signed);
    for (int i = 0; i < 8 * signature.length; i++) {
      assertThat(seal.verifies(flipped(signature, i), signed)).isFalse();
    }
    for (int i = 0; i < 8 * signed.length; i++) {
      assertThat(seal.verifies(signature, flipped(signed, i))).isFalse();
    }
    assertThat(seal.verifies(signature, signed)).isTrue();
    assertThat(seal.verifies(new byte[0], signed)).isFalse();
    assertThat(seal.verifies(new byte[33], signed)).isFalse();
  }

  private static byte[] flipped(byte[] bytes, int bit) {
    byte[] changed = bytes.clone();
    changed[bit >> 3] ^= (byte) (1 << (bit & 7));
    return changed;
  }

  @Test
  void partsThatAreDividedAtOtherPlacesDoNotVerify() {
    byte[] signature = seal.sign(bytes("ab"), bytes("c"));
    assertThat(seal.verifies(signature, bytes("ab"), bytes("c"))).isTrue();
    assertThat(seal.verifies(signature, bytes("a"), bytes("bc"))).isFalse();
    assertThat(seal.verifies(signature, bytes("abc"))).isFalse();
    assertThat(seal.verifies(signature, bytes("ab"), bytes("c"), bytes(""))).isFalse();
  }

  // Computed with Python's hmac and hashlib from the drawing in package-info.
  @Test
  void sealedBytesAreThoseOfTheDrawing() {
    assertThat(HexFormat.of().formatHex(with(SECRET).seal(bytes("ab"), "é", "c")))
        .isEqualTo("61625998bde1e5be57bbe023ca9fcfbc265f4859dc447008473194ac6e40bcf44541");
  }

  @Test
  void sealedBytesAreOpenedInTheirPlaceAndInNoOther() {
    byte[] sealed = seal.seal(bytes("a body"), "map", "entry");
    assertThat(seal.open(sealed, "map", "entry")).contains(bytes("a body"));
    assertThat(seal.open(sealed, "map", "other")).isEmpty();
    assertThat(seal.open(sealed, "mape", "ntry")).isEmpty();
    assertThat(seal.open(sealed, "map")).isEmpty();
    assertThat(seal.open(sealed)).isEmpty();
    assertThat(new Seal(key, Purpose.MESSAGE).open(sealed, "map", "entry")).isEmpty();
  }

  @Test
  void forgedOrTruncatedBytesAreNotOpened() {
    byte[] sealed = seal.seal(bytes("a body"), "map");
    for (int i = 0; i < 8 * sealed.length; i++) {
      assertThat(seal.open(flipped(sealed, i), "map")).isEmpty();
    }
    for (int length = 0; length < sealed.length; length++) {
      assertThat(seal.open(Arrays.copyOf(sealed, length), "map")).isEmpty();
    }
    assertThat(seal.open(Arrays.copyOf(sealed, sealed.length + 1), "map")).isEmpty();
  }

  @Test
  void anotherSecretDoesNotVerify() {
    assertThat(seal.verifies(with(NEXT).sign(bytes("a")), bytes("a"))).isFalse();
    assertThat(seal.open(with(NEXT).seal(bytes("a")))).isEmpty();
  }

  @Test
  void theFirstOfTwoSecretsSignsAndBothVerify() {
    Seal old = with(SECRET);
    Seal changing = with(SECRET, NEXT);
    Seal changed = with(NEXT, SECRET);
    Seal fresh = with(NEXT);
    byte[] part = bytes("a");
    byte[] byOld = changing.sign(part);
    byte[] byNew = changed.sign(part);
    assertThat(byOld).isEqualTo(old.sign(part));
    assertThat(byNew).isEqualTo(fresh.sign(part));
    for (Seal both : List.of(changing, changed)) {
      assertThat(both.verifies(byOld, part)).isTrue();
      assertThat(both.verifies(byNew, part)).isTrue();
    }
    assertThat(old.verifies(byNew, part)).isFalse();
    assertThat(fresh.verifies(byOld, part)).isFalse();
  }

  @Test
  void aChangedSecretHoldsFromTheNextCallOn() {
    byte[] before = seal.sign(bytes("a"));
    byte[] sealed = seal.seal(bytes("a"));
    secrets.set(List.of(NEXT));
    assertThat(seal.verifies(before, bytes("a"))).isFalse();
    assertThat(seal.open(sealed)).isEmpty();
    assertThat(seal.sign(bytes("a"))).isEqualTo(with(NEXT).sign(bytes("a")));
    assertThat(key.isSet()).isTrue();
    secrets.set(List.of());
    assertThat(seal.sign(bytes("a"))).isEmpty();
    assertThat(key.isSet()).isFalse();
  }

  @Test
  void withoutASecretNothingIsSignedAndNoSignatureVerifies() {
    byte[] part = bytes("a");
    Seal open = new Seal(ClusterKey.NONE, Purpose.ENTRY);
    assertThat(ClusterKey.NONE.isSet()).isFalse();
    assertThat(open.sign(part)).isEmpty();
    assertThat(open.seal(part, "map")).isEqualTo(part);
    assertThat(open.verifies(new byte[0], part)).isTrue();
    assertThat(open.verifies(seal.sign(part), part)).isFalse();
    assertThat(seal.open(open.seal(part))).isEmpty();
  }
}
