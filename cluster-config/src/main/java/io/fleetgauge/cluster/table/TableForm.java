package io.fleetgauge.cluster.table;

import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.Holders.Stay;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** A table as bytes, as the package draws them. Equal tables have equal bytes. */
public final class TableForm {
  /** Versions above this one are written by newer programs and are not read here. */
  public static final int VERSION = 1;

  /** Content of the table's place in the registry. */
  public sealed interface Shared {
    record Nothing() implements Shared {}

    record Table(OwnershipTable table) implements Shared {}

    /** A table of a form that only a newer version of this program reads. */
    record Newer(int version) implements Shared {}

    /** Bytes that are not a table. */
    record Damaged(String reason) implements Shared {}
  }

  private TableForm() {}

  public static byte[] toBytes(OwnershipTable table) {
    WireWriter out = new WireWriter(64 + 48 * table.holders().size());
    out.u8(VERSION).u64(table.generation()).uvar(table.epoch()).uvar(table.members().size());
    table.members().forEach(id -> out.string(id).u64(table.starts().getOrDefault(id, 0L)));
    out.uvar(table.holders().size());
    table
        .holders()
        .forEach(
            (host, each) -> {
              out.string(host).string(each.owner()).uvar(each.since()).uvar(each.behind().size());
              new TreeSet<>(each.behind()).forEach(out::string);
              out.string(each.next().orElse("")).uvar(each.copies().size());
              for (Holders.Copy copy : each.copies()) {
                out.string(copy.gateway()).uvar(copy.since()).u8(copy.synced() ? 1 : 0);
              }
              out.u8(each.stay().ordinal());
              out.string(each.admission().tenant()).uvar(each.admission().at());
            });
    out.uvar(table.removals().size());
    table.removals().forEach((host, at) -> out.string(host).uvar(at));
    return out.toBytes();
  }

  /**
   * @throws WireException if the bytes are not a table of this version
   */
  public static OwnershipTable fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    in.version(VERSION, "a table");
    long generation = in.u64("the generation");
    long epoch = in.uvar("the epoch");
    if (epoch < 0 || generation == 0 && epoch > 0) {
      throw new WireException("epoch " + epoch + " of generation " + generation);
    }
    List<String> members = new ArrayList<>();
    SortedMap<String, Long> starts = new TreeMap<>();
    for (int i = in.count(9, "members"); i > 0; i--) {
      String member = in.string("a member");
      members.add(member);
      long start = in.u64("a member's start");
      if (start != 0) {
        starts.put(member, start);
      }
    }
    SortedMap<String, Holders> holders = new TreeMap<>();
    for (int i = in.count(9, "hosts"); i > 0; i--) {
      holders.put(in.string("a host"), holders(in));
    }
    SortedMap<String, Long> removals = new TreeMap<>();
    for (int i = in.count(2, "removals"); i > 0; i--) {
      removals.put(in.string("a removed host"), in.uvar("when a host was removed"));
    }
    in.end("the table");
    return new OwnershipTable(generation, epoch, members, starts, holders, removals);
  }

  /**
   * Content of the table's place in the registry. Never fails.
   *
   * @param bytes null when there are none
   */
  public static Shared shared(byte[] bytes) {
    if (bytes == null) {
      return new Shared.Nothing();
    }
    if (bytes.length > 0 && (bytes[0] & 0xff) > VERSION) {
      return new Shared.Newer(bytes[0] & 0xff);
    }
    try {
      return new Shared.Table(fromBytes(bytes));
    } catch (WireException e) {
      return new Shared.Damaged(e.getMessage());
    }
  }

  private static Holders holders(WireReader in) throws WireException {
    String owner = in.string("an owner");
    long since = in.uvar("the owner's first epoch");
    Set<String> behind = ReportForm.strings(in, "a gateway");
    String next = in.string("the next owner");
    List<Holders.Copy> copies = new ArrayList<>();
    for (int i = in.count(3, "copies"); i > 0; i--) {
      copies.add(
          new Holders.Copy(
              in.string("a gateway"),
              in.uvar("a copy's first epoch"),
              in.flag("whether a copy is synced")));
    }
    int stay = in.u8("whether a host stays");
    if (stay >= Stay.values().length) {
      throw new WireException("a host whose stay is " + stay);
    }
    return new Holders(
        owner,
        since,
        behind,
        copies,
        next.isEmpty() ? Optional.empty() : Optional.of(next),
        Stay.values()[stay],
        new Admission(in.string("a tenant"), in.uvar("when a host was admitted")));
  }
}
