package io.fleetgauge.cluster.table;

import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The assignment of hosts to gateways at one epoch. Immutable.
 *
 * @param epoch counts the tables, from 0 for the empty one
 * @param owners gateway id by host name
 */
public record OwnershipTable(long epoch, SortedMap<String, String> owners) {
  public static final OwnershipTable EMPTY = new OwnershipTable(0, new TreeMap<>());

  private static final int VERSION = 1;

  public OwnershipTable {
    owners = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(owners));
  }

  public Optional<String> owner(String host) {
    return Optional.ofNullable(owners.get(host));
  }

  /** How many hosts each gateway has; gateways without a host are not in it. */
  public Map<String, Long> load() {
    return owners.values().stream()
        .collect(Collectors.groupingBy(gateway -> gateway, Collectors.counting()));
  }

  /** The form in which members share it; equal tables have equal bytes. */
  public byte[] toBytes() {
    WireWriter out = new WireWriter(64 + 32 * owners.size());
    out.u8(VERSION).uvar(epoch).uvar(owners.size());
    owners.forEach((host, gateway) -> out.string(host).string(gateway));
    return out.toBytes();
  }

  /**
   * @throws WireException if the bytes are not a table of this version
   */
  public static OwnershipTable fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    int version = in.u8("the table's version");
    if (version != VERSION) {
      throw new WireException("a table of version " + version + ", this program reads " + VERSION);
    }
    long epoch = in.uvar("the epoch");
    int count = in.count(2, "hosts");
    SortedMap<String, String> owners = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      owners.put(in.string("a host"), in.string("a gateway"));
    }
    in.end("the table");
    return new OwnershipTable(epoch, owners);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof OwnershipTable that
        && epoch == that.epoch
        && owners.equals(that.owners);
  }

  @Override
  public int hashCode() {
    return Objects.hash(epoch, owners);
  }
}
