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
 * What a gateway has of a host, as the package draws it.
 *
 * @param kept up to which sequence the ticks of each run
 * @param slots by their first time
 */
record DigestForm(Map<Long, Long> kept, SortedMap<Long, Digests.Slot> slots) {
  byte[] toBytes() {
    WireWriter out = new WireWriter(64 + 24 * slots.size());
    out.uvar(kept.size());
    kept.forEach((run, sequence) -> out.u64(run).uvar(sequence));
    out.uvar(slots.size());
    slots.forEach(
        (from, slot) -> out.svar(from).svar(slot.to()).uvar(slot.count()).u64(slot.hash()));
    return out.toBytes();
  }

  static DigestForm fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
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
