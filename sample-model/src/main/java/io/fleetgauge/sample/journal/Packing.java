package io.fleetgauge.sample.journal;

import java.io.IOException;
import java.util.List;

/** A form of the records of a closed segment that takes fewer bytes. Safe for all threads. */
public interface Packing {
  /** For a journal whose segments stay as they are. */
  Packing NONE =
      new Packing() {
        @Override
        public List<Part> pack(List<byte[]> records) {
          throw new UnsupportedOperationException("the segments of this journal are not packed");
        }

        @Override
        public List<byte[]> unpack(byte[] part) throws IOException {
          throw new IOException("it is packed, and this program does not pack such records");
        }
      };

  /**
   * Some of the records of a segment, in order.
   *
   * @param name what they are of, for whoever has to know what is lost when it is damaged
   * @param records how many there are
   */
  record Part(String name, int records, byte[] bytes) {}

  /** Packs all records of a segment. Records that build on each other are in one part. */
  List<Part> pack(List<byte[]> records);

  /**
   * The records of a part, byte for byte.
   *
   * @throws IOException if the bytes are no part
   */
  List<byte[]> unpack(byte[] part) throws IOException;
}
