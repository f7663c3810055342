package io.fleetgauge.cluster.member;

import io.fleetgauge.runtime.trust.Seal;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Optional;

/**
 * A published entry, sealed for the place where it lies. The package draws the bytes.
 *
 * @param session of the member that wrote it
 * @param sequence rises with each entry that the member writes
 */
record Entry(String session, long sequence, byte[] body) {
  /** Versions above this one are written by newer programs and are not read here. */
  static final int VERSION = 1;

  /** Content of a place. */
  sealed interface Found {
    record Nothing() implements Found {}

    /**
     * @param bytes as they lie there
     */
    record Proven(byte[] bytes, Entry entry) implements Found {}

    /** An entry of a form that only a newer version of this program reads. */
    record Newer(int version) implements Found {}

    /** Not to be used. */
    record Other(String reason) implements Found {}
  }

  byte[] sealed(Seal seal, String... place) {
    return seal.seal(
        new WireWriter(64 + body.length)
            .u8(VERSION)
            .string(session)
            .uvar(sequence)
            .raw(body, 0, body.length)
            .toBytes(),
        place);
  }

  /** Content of a place in which bytes lie. */
  static Found open(byte[] sealed, Seal seal, String... place) {
    Optional<byte[]> bytes = seal.open(sealed, place);
    if (bytes.isEmpty()) {
      return new Found.Other(
          "it is not signed with the secret of this cluster, or was signed for another entry");
    }
    try {
      WireReader in = new WireReader(bytes.get());
      int version = in.u8("the entry's version");
      if (version > VERSION) {
        return new Found.Newer(version);
      }
      String session = in.string("a session");
      long sequence = in.uvar("a sequence");
      return new Found.Proven(sealed, new Entry(session, sequence, in.raw(in.left(), "the body")));
    } catch (WireException e) {
      return new Found.Other(e.getMessage());
    }
  }
}
