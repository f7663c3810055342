package io.fleetgauge.sample.gzip;

import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Unpacks gzip streams, one behind the other, while they arrive: a fixed number of bytes at a time,
 * however much a few of them unpack to. To be closed. Not for several threads.
 */
public final class GunzipReader implements AutoCloseable {
  private static final int HEADER_BYTES = 10;
  private static final int TRAILER_BYTES = 8;
  private static final int CHECKSUM = 2;
  private static final int EXTRA = 4;
  private static final int NAME = 8;
  private static final int REMARK = 16;
  private static final int RESERVED = 0xe0;

  /**
   * Takes what was unpacked.
   *
   * @param <E> says that no more is wanted
   */
  public interface Out<E extends Exception> {
    void take(byte[] bytes, int from, int to) throws E;
  }

  /** Where the next byte is. */
  private enum Place {
    HEADER,
    EXTRA_LENGTH,
    EXTRA_BYTES,
    NAME,
    REMARK,
    CHECKSUM,
    DATA,
    TRAILER
  }

  private final Inflater inflater = new Inflater(true);
  private final CRC32 crc = new CRC32();
  private final byte[] unpacked = new byte[16 << 10];
  private final byte[] fixed = new byte[HEADER_BYTES];
  private Place place = Place.HEADER;
  private int flags;
  private int filled;
  private int extra;

  /**
   * Unpacks the next bytes.
   *
   * @throws DataFormatException if they are not gzip
   */
  public <E extends Exception> void take(byte[] bytes, int from, int to, Out<E> out)
      throws DataFormatException, E {
    int at = from;
    while (at < to) {
      at = place == Place.DATA ? data(bytes, at, to, out) : around(bytes, at);
    }
  }

  /**
   * The bytes are over.
   *
   * @throws DataFormatException if a stream is not
   */
  public void end() throws DataFormatException {
    if (place != Place.HEADER || filled > 0) {
      throw new DataFormatException("the gzip stream is cut off");
    }
  }

  private <E extends Exception> int data(byte[] bytes, int from, int to, Out<E> out)
      throws DataFormatException, E {
    inflater.setInput(bytes, from, to - from);
    while (true) {
      int count = inflater.inflate(unpacked);
      if (count > 0) {
        crc.update(unpacked, 0, count);
        out.take(unpacked, 0, count);
      } else if (inflater.finished()) {
        go(Place.TRAILER);
        return to - inflater.getRemaining();
      } else if (inflater.needsDictionary()) {
        throw new DataFormatException("the gzip stream needs a dictionary");
      } else if (inflater.needsInput()) {
        return to;
      }
    }
  }

  /** Takes one byte of what is around the data. */
  private int around(byte[] bytes, int at) throws DataFormatException {
    byte one = bytes[at];
    switch (place) {
      case HEADER -> {
        fixed[filled++] = one;
        if (filled == HEADER_BYTES) {
          header();
        }
      }
      case EXTRA_LENGTH -> {
        extra |= (one & 0xff) << 8 * filled++;
        if (filled == 2) {
          go(extra > 0 ? Place.EXTRA_BYTES : after(Place.EXTRA_BYTES));
        }
      }
      case EXTRA_BYTES -> {
        if (++filled == extra) {
          go(after(Place.EXTRA_BYTES));
        }
      }
      case NAME, REMARK -> {
        if (one == 0) {
          go(after(place));
        }
      }
      case CHECKSUM -> {
        if (++filled == 2) {
          go(Place.DATA);
        }
      }
      case TRAILER -> {
        fixed[filled++] = one;
        if (filled == TRAILER_BYTES) {
          trailer();
        }
      }
      case DATA -> throw new IllegalStateException();
    }
    return at + 1;
  }

  private void header() throws DataFormatException {
    flags = fixed[3];
    if (fixed[0] != 31 || fixed[1] != (byte) 139 || fixed[2] != 8 || (flags & RESERVED) != 0) {
      throw new DataFormatException("the bytes are not gzip");
    }
    extra = 0;
    go((flags & EXTRA) != 0 ? Place.EXTRA_LENGTH : after(Place.EXTRA_BYTES));
  }

  private Place after(Place done) {
    if (done.compareTo(Place.NAME) < 0 && (flags & NAME) != 0) {
      return Place.NAME;
    }
    if (done.compareTo(Place.REMARK) < 0 && (flags & REMARK) != 0) {
      return Place.REMARK;
    }
    return (flags & CHECKSUM) != 0 ? Place.CHECKSUM : Place.DATA;
  }

  private void go(Place next) {
    place = next;
    filled = 0;
  }

  private void trailer() throws DataFormatException {
    if (little(0) != (int) crc.getValue() || little(4) != (int) inflater.getBytesWritten()) {
      throw new DataFormatException("the checksum of the gzip stream is wrong");
    }
    inflater.reset();
    crc.reset();
    go(Place.HEADER);
  }

  private int little(int at) {
    int number = 0;
    for (int i = 3; i >= 0; i--) {
      number = number << 8 | fixed[at + i] & 0xff;
    }
    return number;
  }

  @Override
  public void close() {
    inflater.end();
  }
}
