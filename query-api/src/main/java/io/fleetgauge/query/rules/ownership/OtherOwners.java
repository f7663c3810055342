package io.fleetgauge.query.rules.ownership;

import io.fleetgauge.cluster.peers.Peer;
import io.fleetgauge.cluster.peers.PeerList;
import io.fleetgauge.sample.wire.WireException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The other query APIs that take rule groups, by the list of peers and what each tells. */
final class OtherOwners {
  private final Map<String, Read> read = new HashMap<>();
  private PeerList list = new PeerList(0, "", List.of(), Optional.empty(), 1);
  private SortedMap<String, Read> live = new TreeMap<>();

  /** A note as it came, and what it says. */
  record Read(byte[] bytes, GroupNote note, Map<Deal.Entry, Integer> weights) {
    Optional<GroupNote.Known> group(long key) {
      return Optional.ofNullable(note.groups().get(key));
    }
  }

  void list(PeerList now) {
    list = now;
    live = new TreeMap<>();
    read.keySet().removeIf(name -> now.of(name).isEmpty());
    for (Peer peer : now.others()) {
      byte[] bytes = peer.note(GroupNote.TOPIC).orElse(new byte[0]);
      Read known = read.get(peer.name());
      if (known == null || known.bytes != bytes) {
        known = read(bytes);
        read.put(peer.name(), known);
      }
      if (peer.isLive() && known.note.serving()) {
        live.put(peer.name(), known);
      }
    }
  }

  private static Read read(byte[] bytes) {
    GroupNote note = new GroupNote(false, Map.of());
    if (bytes.length > 0) {
      try {
        note = GroupNote.fromBytes(bytes);
      } catch (WireException e) {
        // It takes no groups, as far as this one understands.
      }
    }
    Map<Deal.Entry, Integer> weights = new HashMap<>();
    note.groups()
        .forEach(
            (group, known) ->
                weights.put(new Deal.Entry(group, known.definition()), known.weight()));
    return new Read(bytes, note, weights);
  }

  /** Those that are live and take groups, by name. */
  SortedMap<String, Read> live() {
    return live;
  }

  /** Returns true if each one that is listed is live and takes groups. */
  boolean seesAll() {
    return list.listed().filter(names -> live.keySet().containsAll(names)).isPresent();
  }

  /** Returns true if each one that is listed has heard this one since then. */
  boolean haveHeardSince(long steady) {
    return list.haveHeardSince(steady);
  }

  /** Returns true if one that is live knows a group. */
  boolean isKnown(long group) {
    return live.values().stream().anyMatch(each -> each.group(group).isPresent());
  }

  /** Returns true if one that knew a group is not live any more, and so may have evaluated it. */
  boolean hasLost(long group) {
    return read.entrySet().stream()
        .anyMatch(
            each -> !live.containsKey(each.getKey()) && each.getValue().group(group).isPresent());
  }
}
