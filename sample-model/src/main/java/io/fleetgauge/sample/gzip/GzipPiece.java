package io.fleetgauge.sample.gzip;

import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * A piece of a stream, compressed by itself: deflated blocks (RFC 1951) that refer to nothing
 * before them, end with a byte and are not the last. The bytes stay in the array that they came in.
 *
 * @param from where in {@code bytes} it begins
 * @param length how many bytes it is
 * @param plainLength how many bytes are in it
 * @param crc the CRC-32 of those
 */
public record GzipPiece(byte[] bytes, int from, int length, int plainLength, int crc) {

  /** Compresses pieces one after the other. To be closed. Not for several threads. */
  public static final class Compressor implements AutoCloseable {
    // A third of the work of the usual level for a tenth more bytes.
    static final int LEVEL = 1;

    private final Deflater deflater = new Deflater(LEVEL, true);
    private final CRC32 crc = new CRC32();

    public GzipPiece of(byte[] plain, int from, int length) {
      crc.reset();
      crc.update(plain, from, length);
      deflater.reset();
      deflater.setInput(plain, from, length);
      byte[] packed = new byte[length / 8 + 256];
      int size = 0;
      while (true) {
        size += deflater.deflate(packed, size, packed.length - size, Deflater.SYNC_FLUSH);
        if (size < packed.length) {
          return new GzipPiece(packed, 0, size, length, (int) crc.getValue());
        }
        packed = Arrays.copyOf(packed, 2 * packed.length);
      }
    }

    @Override
    public void close() {
      deflater.end();
    }
  }
}
