package io.fleetgauge.gateway.remotewrite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.bouncycastle.crypto.params.KeyParameter;
import org.junit.jupiter.api.Test;

class SipHashTest {
  /** Bytes 0, 1, 2, ... under the key 0, 1, ..., 15, as in the tests of Rust's standard library. */
  @Test
  void itIsSipHash13OfTheReferenceVectors() {
    SipHash hash = new SipHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
    byte[] bytes = new byte[64];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    assertThat(hash.hash(bytes, 0, 0)).isEqualTo(0xabac0158050fc4dcL);
    assertThat(hash.hash(bytes, 0, 1)).isEqualTo(0xc9f49bf37d57ca93L);
  }

  @Test
  void bytesOfAnyLengthAndPlaceHaveTheHashThatAnotherImplementationGives() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 2_000; i++) {
      byte[] key = new byte[16];
      random.nextBytes(key);
      byte[] bytes = new byte[random.nextInt(1, 200)];
      random.nextBytes(bytes);
      int from = random.nextInt(bytes.length);
      int to = random.nextInt(from, bytes.length + 1);
      org.bouncycastle.crypto.macs.SipHash other = new org.bouncycastle.crypto.macs.SipHash(1, 3);
      other.init(new KeyParameter(key));
      other.update(bytes, from, to - from);
      SipHash hash = new SipHash(half(key, 0), half(key, 8));
      assertThat(hash.hash(bytes, from, to))
          .as("bytes %d to %d of %s", from, to, Arrays.toString(bytes))
          .isEqualTo(other.doFinal());
    }
  }

  private static long half(byte[] key, int from) {
    long half = 0;
    for (int i = 7; i >= 0; i--) {
      half = half << 8 | key[from + i] & 0xff;
    }
    return half;
  }
}
