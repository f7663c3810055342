package io.fleetgauge.cluster.member;

import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Seals what a member publishes, and opens what others do: proves that an entry comes from a
 * process of this cluster and was made for the place where it lies. The package draws the bytes.
 *
 * @param cluster the cluster's name
 */
record Seal(ClusterKey key, String cluster) {
  /** Versions above this one are written by newer programs and are not read here. */
  static final int VERSION = 1;

  /**
   * A published entry.
   *
   * @param session of the member that wrote it
   * @param sequence rises with each entry that the member writes
   */
  record Entry(String session, long sequence, byte[] body) {}

  /** Content found in a place. */
  sealed interface Opened {
    record Sealed(Entry entry) implements Opened {}

    /** Proven, and of a form that only a newer version of this program reads. */
    record Newer(int version) implements Opened {}

    record Refused(String reason) implements Opened {}
  }

  byte[] seal(String map, String name, Entry entry) {
    byte[] body = entry.body();
    byte[] bytes =
        new WireWriter(64 + body.length)
            .u8(VERSION)
            .string(entry.session())
            .uvar(entry.sequence())
            .raw(body, 0, body.length)
            .toBytes();
    return key.seal(Purpose.ENTRY, bytes, utf8(cluster), utf8(map), utf8(name));
  }

  Opened open(String map, String name, byte[] sealed) {
    if (sealed.length <= (key.isSet() ? ClusterKey.SIGNATURE_BYTES : 0)) {
      return new Opened.Refused("it has " + sealed.length + " bytes");
    }
    Optional<byte[]> opened = key.open(Purpose.ENTRY, sealed, utf8(cluster), utf8(map), utf8(name));
    if (opened.isEmpty()) {
      return new Opened.Refused(
          "it is not signed with the secret of this cluster, or was made for another place");
    }
    byte[] bytes = opened.get();
    int version = bytes[0] & 0xff;
    if (version > VERSION) {
      return new Opened.Newer(version);
    }
    try {
      WireReader in = new WireReader(bytes);
      in.u8("the entry's version");
      String session = in.string("a session");
      long sequence = in.uvar("a sequence");
      byte[] body = in.raw(in.left(), "the body");
      return new Opened.Sealed(new Entry(session, sequence, body));
    } catch (WireException e) {
      return new Opened.Refused(e.getMessage());
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
