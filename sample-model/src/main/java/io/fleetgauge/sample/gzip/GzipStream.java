package io.fleetgauge.sample.gzip;

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Writes one gzip stream: bytes, which it compresses, and pieces, which are. To be closed, which
 * does not close what it writes to. Not for several threads.
 */
public final class GzipStream extends OutputStream {
  private static final byte[] HEADER = {31, (byte) 139, 8, 0, 0, 0, 0, 0, 0, (byte) 255};

  private final OutputStream out;
  private final Deflater deflater = new Deflater(GzipPiece.Compressor.LEVEL, true);
  private final byte[] packed = new byte[16 << 10];

  /** Checksum of the bytes since the last piece. */
  private final CRC32 crc = new CRC32();

  private long bytes;

  /** Checksum of all bytes before them. */
  private int crcBefore;

  private long bytesBefore;

  public GzipStream(OutputStream out) throws IOException {
    this.out = out;
    out.write(HEADER);
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] some, int from, int length) throws IOException {
    crc.update(some, from, length);
    bytes += length;
    deflater.setInput(some, from, length);
    deflate(Deflater.NO_FLUSH);
  }

  /** Puts a piece behind what was written. */
  public void write(GzipPiece piece) throws IOException {
    if (bytes > 0) {
      // The bytes that come next refer to nothing before, because there is more between than is
      // known here.
      deflate(Deflater.FULL_FLUSH);
      crcBefore = Crc32Sums.together(crcBefore, (int) crc.getValue(), bytes);
      bytesBefore += bytes;
      crc.reset();
      bytes = 0;
    }
    out.write(piece.bytes(), piece.from(), piece.length());
    crcBefore = Crc32Sums.together(crcBefore, piece.crc(), piece.plainLength());
    bytesBefore += piece.plainLength();
  }

  private void deflate(int flush) throws IOException {
    int count;
    do {
      count = deflater.deflate(packed, 0, packed.length, flush);
      out.write(packed, 0, count);
    } while (count == packed.length);
  }

  @Override
  public void close() throws IOException {
    try {
      deflater.finish();
      deflate(Deflater.NO_FLUSH);
      int all = Crc32Sums.together(crcBefore, (int) crc.getValue(), bytes);
      long length = bytesBefore + bytes;
      byte[] trailer = new byte[8];
      for (int i = 0; i < 4; i++) {
        trailer[i] = (byte) (all >>> 8 * i);
        trailer[4 + i] = (byte) (length >>> 8 * i);
      }
      out.write(trailer);
    } finally {
      deflater.end();
    }
  }
}
