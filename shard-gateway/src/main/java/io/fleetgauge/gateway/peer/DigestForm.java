package io.fleetgauge.gateway.peer;

import io.fleetgauge.gateway.ingest.host.Peers;
import io.fleetgauge.gateway.ingest.host.RunProgress;
import io.fleetgauge.gateway.ingest.host.Sequences;
import io.fleetgauge.gateway.store.Digests;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The digest of one host's samples on one gateway, as bytes. The package draws them.
 *
 * @param intact as {@link Peers.PullResult#intact}
 * @param progress by run, which of its ticks the gateway has
 * @param slots by their first time, ms since the epoch
 */
record DigestForm(
    boolean intact, Map<Long, RunProgress> progress, SortedMap<Long, Digests.Slot> slots) {
  /** Other versions are not read. */
  static final int VERSION = 1;

  byte[] toBytes() {
    WireWriter out = new WireWriter(64 + 24 * slots.size());
    out.u8(VERSION).u8(intact ? 1 : 0).uvar(progress.size());
    progress.forEach(
        (run, has) -> {
          out.u64(run).uvar(has.kept());
          write(has.missing(), out);
          write(has.unproven(), out);
        });
    out.uvar(slots.size());
    slots.forEach(
        (from, slot) -> out.svar(from).svar(slot.to()).uvar(slot.count()).u64(slot.hash()));
    return out.toBytes();
  }

  private static void write(Sequences sequences, WireWriter out) {
    out.uvar(sequences.ranges().size());
    sequences.ranges().forEach(each -> out.uvar(each.first()).uvar(each.last() - each.first()));
  }

  private static Sequences sequences(WireReader in) throws WireException {
    List<Sequences.Range> ranges = new ArrayList<>();
    for (int i = in.count(2, "ranges of sequences"); i > 0; i--) {
      long first = in.uvar("where a range begins");
      ranges.add(new Sequences.Range(first, first + in.uvar("the length of a range")));
    }
    return new Sequences(ranges);
  }

  /**
   * @throws WireException if the bytes are not a digest of this version
   */
  static DigestForm fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    in.version(VERSION, "a digest");
    boolean intact = in.flag("whether nothing is damaged");
    Map<Long, RunProgress> progress = new LinkedHashMap<>();
    for (int i = in.count(11, "runs"); i > 0; i--) {
      long run = in.u64("a run");
      try {
        progress.put(run, new RunProgress(in.uvar("a sequence"), sequences(in), sequences(in)));
      } catch (IllegalArgumentException e) {
        throw new WireException("a digest with " + e.getMessage());
      }
    }
    SortedMap<Long, Digests.Slot> slots = new TreeMap<>();
    for (int i = in.count(11, "slots"); i > 0; i--) {
      slots.put(
          in.svar("where a slot begins"),
          new Digests.Slot(
              in.svar("where a slot ends"), in.uvar("a count"), in.u64("the hash of a slot")));
    }
    in.end("the digest");
    return new DigestForm(intact, progress, slots);
  }
}
