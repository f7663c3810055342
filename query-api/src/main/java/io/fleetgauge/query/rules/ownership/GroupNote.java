package io.fleetgauge.query.rules.ownership;

import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Map;
import java.util.TreeMap;

/**
 * Note on rule groups in the heartbeats of a query API, as the package draws it.
 *
 * @param serving true if it takes groups; not while it stops, and not before it has heard from the
 *     others
 * @param groups those that it knows, by {@link GroupHash#of}
 */
public record GroupNote(boolean serving, Map<Long, Known> groups) {
  /** The topic in heartbeats. */
  public static final String TOPIC = "rules";

  private static final int VERSION = 1;

  /** Fewest bytes of a group. */
  private static final int GROUP_BYTES = 18;

  public GroupNote {
    groups = Map.copyOf(groups);
  }

  /**
   * A group that a query API knows.
   *
   * @param definition as {@link GroupHash#ofDefinition}
   * @param weight its work
   * @param slot of the newest state that can be fetched, ms; 0 if there is none
   */
  public record Known(long definition, int weight, long slot) {}

  public byte[] toBytes() {
    WireWriter out =
        new WireWriter(16 + 32 * groups.size()).u8(VERSION).u8(serving ? 1 : 0).uvar(groups.size());
    new TreeMap<>(groups)
        .forEach(
            (group, known) ->
                out.u64(group).u64(known.definition()).uvar(known.weight()).svar(known.slot()));
    return out.toBytes();
  }

  /**
   * @throws WireException if the bytes are not a note of this version
   */
  public static GroupNote fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    int version = in.u8("the version");
    if (version != VERSION) {
      throw new WireException("a note of version " + version + ", this program reads " + VERSION);
    }
    boolean serving = in.u8("whether it serves") == 1;
    Map<Long, Known> groups = new TreeMap<>();
    for (int i = in.count(GROUP_BYTES, "the number of groups"); i > 0; i--) {
      groups.put(
          in.u64("a group"),
          new Known(
              in.u64("a definition"), in.uint(Integer.MAX_VALUE, "a weight"), in.svar("a slot")));
    }
    in.end("the note");
    return new GroupNote(serving, groups);
  }
}
