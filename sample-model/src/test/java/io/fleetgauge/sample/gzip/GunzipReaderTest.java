package io.fleetgauge.sample.gzip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class GunzipReaderTest {
  private static byte[] packed(byte[]... streams) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] stream : streams) {
      try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
        gzip.write(stream);
      }
    }
    return out.toByteArray();
  }

  private static byte[] unpacked(byte[] packed, int piece) throws DataFormatException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GunzipReader reader = new GunzipReader()) {
      for (int from = 0; from < packed.length; from += piece) {
        reader.take(
            packed,
            from,
            Math.min(packed.length, from + piece),
            (bytes, begin, end) -> out.write(bytes, begin, end - begin));
      }
      reader.end();
    }
    return out.toByteArray();
  }

  @Test
  void whatWasPackedComesOutWhateverThePieces() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    byte[] one = new byte[100_000];
    for (int i = 0; i < one.length; i++) {
      one[i] = (byte) random.nextInt(10);
    }
    byte[] packed = packed(one, new byte[0], new byte[50_000]);
    byte[] expected = Arrays.copyOf(one, 150_000);
    for (int piece : new int[] {1, 7, 1_000, packed.length}) {
      assertThat(unpacked(packed, piece)).isEqualTo(expected);
    }
    assertThat(unpacked(new byte[0], 1)).isEmpty();
  }

  @Test
  void aHeaderMayHaveAllOfItsParts() throws Exception {
    byte[] plain = {1, 2, 3};
    byte[] packed = packed(plain);
    ByteArrayOutputStream full = new ByteArrayOutputStream();
    full.write(new byte[] {31, (byte) 139, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 0});
    full.write(new byte[] {2, 0, 9, 9, 'n', 0, 'c', 'c', 0, 7, 7});
    full.write(packed, 10, packed.length - 10);
    assertThat(unpacked(full.toByteArray(), 1)).isEqualTo(plain);
  }

  @Test
  void aStreamThatIsDamagedOrCutOffIsRefusedOrIsAnother() throws Exception {
    byte[] plain = new byte[3_000];
    byte[] packed = packed(plain);
    for (int length = 1; length < packed.length; length++) {
      byte[] cut = Arrays.copyOf(packed, length);
      assertThatThrownBy(() -> unpacked(cut, 5)).isInstanceOf(DataFormatException.class);
    }
    for (int bit = 0; bit < 8 * packed.length; bit++) {
      byte[] damaged = packed.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      try {
        assertThat(unpacked(damaged, 5)).as("bit %d is of no meaning", bit).isEqualTo(plain);
      } catch (DataFormatException e) {
        assertThat(e).hasMessageMatching("(?s).+");
      }
    }
  }
}
