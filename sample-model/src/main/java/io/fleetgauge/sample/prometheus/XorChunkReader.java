package io.fleetgauge.sample.prometheus;

import io.fleetgauge.sample.wire.WireException;

/**
 * Reads samples as Prometheus packs numbers, in the form that {@link XorChunk} draws. Not for
 * several threads.
 */
final class XorChunkReader {
  private final byte[] bytes;
  private final int end;
  private int at;
  private int bitsLeft;
  private int current;

  private XorChunkReader(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.at = from;
    this.end = to;
  }

  /**
   * Reads a chunk.
   *
   * @param into takes its samples
   * @throws WireException if the bytes are no chunk, or have more samples than may be taken
   */
  static void read(byte[] bytes, int from, int to, SampleList into) throws WireException {
    new XorChunkReader(bytes, from, to).read(into);
  }

  private void read(SampleList into) throws WireException {
    int count = (int) bits(16);
    long time = 0;
    long difference = 0;
    long value = 0;
    int leading = 0;
    int trailing = 0;
    for (int i = 0; i < count; i++) {
      if (i == 0) {
        long zigzag = uvar();
        time = (zigzag >>> 1) ^ -(zigzag & 1);
        value = bits(64);
      } else {
        difference = i == 1 ? uvar() : difference + change();
        time += difference;
        if (bits(1) == 1) {
          if (bits(1) == 1) {
            leading = (int) bits(5);
            int length = (int) bits(6);
            length = length == 0 ? 64 : length;
            trailing = 64 - leading - length;
            if (trailing < 0) {
              throw new WireException("a chunk's number has more than 64 bits");
            }
          }
          value ^= bits(64 - leading - trailing) << trailing;
        }
      }
      into.add(time, Double.longBitsToDouble(value));
    }
  }

  /** The difference of two differences of times. */
  private long change() throws WireException {
    if (bits(1) == 0) {
      return 0;
    }
    if (bits(1) == 0) {
      return signed(14);
    }
    if (bits(1) == 0) {
      return signed(17);
    }
    return bits(1) == 0 ? signed(20) : bits(64);
  }

  private long signed(int width) throws WireException {
    long number = bits(width);
    return number > 1L << width - 1 ? number - (1L << width) : number;
  }

  private long uvar() throws WireException {
    long number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      long part = bits(8);
      number |= (part & 0x7f) << shift;
      if (part < 0x80) {
        return number;
      }
    }
    throw new WireException("a chunk's time has more than 64 bits");
  }

  private long bits(int width) throws WireException {
    long number = 0;
    int wanted = width;
    while (wanted > 0) {
      if (bitsLeft == 0) {
        if (at == end) {
          throw new WireException("a chunk ends within a sample");
        }
        current = bytes[at++] & 0xff;
        bitsLeft = 8;
      }
      int now = Math.min(wanted, bitsLeft);
      number = number << now | current >>> bitsLeft - now & (1 << now) - 1;
      bitsLeft -= now;
      wanted -= now;
    }
    return number;
  }
}
