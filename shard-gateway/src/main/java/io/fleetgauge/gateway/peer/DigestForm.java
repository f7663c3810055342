package io.fleetgauge.gateway.peer;

import io.fleetgauge.gateway.store.Digests;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The digest of one host's samples on one gateway, as bytes. The package draws them.
 *
 * @param kept by run, the sequence up to which the gateway has its ticks
 * @param slots by their first time, ms since the epoch
 */
record DigestForm(Map<Long, Long> kept, SortedMap<Long, Digests.Slot> slots) {
  /** Other versions are not read. */
  static final int VERSION = 1;

  byte[] toBytes() {
    WireWriter out = new WireWriter(64 + 24 * slots.size());
    out.u8(VERSION).uvar(kept.size());
    kept.forEach((run, sequence) -> out.u64(run).uvar(sequence));
    out.uvar(slots.size());
    slots.forEach(
        (from, slot) -> out.svar(from).svar(slot.to()).uvar(slot.count()).u64(slot.hash()));
    return out.toBytes();
  }

  /**
   * @throws WireException if the bytes are not a digest of this version
   */
  static DigestForm fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    int version = in.u8("the digest's version");
    if (version != VERSION) {
      throw new WireException(
          "a digest of format version " + version + ", this program reads " + VERSION);
    }
    Map<Long, Long> kept = new LinkedHashMap<>();
    for (int i = in.count(9, "runs"); i > 0; i--) {
      kept.put(in.u64("a run"), in.uvar("a sequence"));
    }
    SortedMap<Long, Digests.Slot> slots = new TreeMap<>();
    for (int i = in.count(11, "slots"); i > 0; i--) {
      slots.put(
          in.svar("where a slot begins"),
          new Digests.Slot(
              in.svar("where a slot ends"), in.uvar("a count"), in.u64("the hash of a slot")));
    }
    in.end("the digest");
    return new DigestForm(kept, slots);
  }
}
