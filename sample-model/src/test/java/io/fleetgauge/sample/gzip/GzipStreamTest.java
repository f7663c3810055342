package io.fleetgauge.sample.gzip;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GzipStreamTest {
  private static final byte[] LINE =
      "temperature{host=\"n1\",gpu=\"0\"} 61 1700000000000\n".getBytes();

  /** Some bytes; lines that compress well, or noise that does not. */
  private static byte[] some(SplittableRandom random) {
    byte[] bytes = new byte[random.nextInt(10) == 0 ? 0 : random.nextInt(100_000)];
    boolean lines = random.nextBoolean();
    random.nextBytes(bytes);
    for (int i = 0; lines && i < bytes.length; i++) {
      bytes[i] = random.nextInt(50) == 0 ? bytes[i] : LINE[i % LINE.length];
    }
    return bytes;
  }

  private static byte[] unpacked(byte[] gzip) throws IOException {
    return new GZIPInputStream(new ByteArrayInputStream(gzip)).readAllBytes();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void unpackedItIsWhatWentInByBytesAndByPieces(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    ByteArrayOutputStream gzip = new ByteArrayOutputStream();
    try (GzipStream stream = new GzipStream(gzip);
        GzipPiece.Compressor compressor = new GzipPiece.Compressor()) {
      for (int i = 0; i < 40; i++) {
        byte[] next = some(random);
        int from = random.nextInt(next.length + 1);
        int length = random.nextInt(next.length - from + 1);
        plain.write(next, from, length);
        if (random.nextBoolean()) {
          stream.write(next, from, length);
        } else {
          GzipPiece piece = compressor.of(next, from, length);
          byte[] elsewhere = new byte[piece.length() + 7];
          System.arraycopy(piece.bytes(), piece.from(), elsewhere, 3, piece.length());
          stream.write(
              new GzipPiece(elsewhere, 3, piece.length(), piece.plainLength(), piece.crc()));
        }
      }
    }
    assertThat(unpacked(gzip.toByteArray())).isEqualTo(plain.toByteArray());
  }

  @Test
  void nothingIsAStreamToo() throws IOException {
    ByteArrayOutputStream gzip = new ByteArrayOutputStream();
    new GzipStream(gzip).close();
    assertThat(unpacked(gzip.toByteArray())).isEmpty();
  }

  @Test
  void linesThatAreAlikeBecomeShort() {
    byte[] lines = new byte[1_000 * LINE.length];
    for (int i = 0; i < lines.length; i++) {
      lines[i] = LINE[i % LINE.length];
    }
    try (GzipPiece.Compressor compressor = new GzipPiece.Compressor()) {
      assertThat(compressor.of(lines, 0, lines.length).length()).isLessThan(lines.length / 50);
    }
  }

  @Test
  void theCrcOfPartsIsThatOfTheWhole() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 200; i++) {
      byte[] all = some(random);
      int middle = random.nextInt(all.length + 1);
      assertThat(
              Crc32Sums.together(
                  crc(all, 0, middle), crc(all, middle, all.length), all.length - middle))
          .isEqualTo(crc(all, 0, all.length));
    }
  }

  private static int crc(byte[] bytes, int from, int to) {
    CRC32 crc = new CRC32();
    crc.update(bytes, from, to - from);
    return (int) crc.getValue();
  }
}
