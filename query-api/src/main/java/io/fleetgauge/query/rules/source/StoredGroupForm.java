package io.fleetgauge.query.rules.source;

import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.zip.CRC32C;

/** The bytes of groups on disk and between query APIs; the package's page draws them. */
final class StoredGroupForm {
  static final int VERSION = 1;

  private static final int CHECK = 4;

  private StoredGroupForm() {}

  /** The bytes of a file. */
  static byte[] toFile(StoredGroup group) {
    WireWriter out = new WireWriter();
    write(out, group);
    return out.u32(check(out.array(), out.size())).toBytes();
  }

  /**
   * @throws WireException if the bytes are damaged, or of a newer program
   */
  static StoredGroup ofFile(byte[] bytes) throws WireException {
    int length = bytes.length - CHECK;
    if (length < 0
        || new WireReader(bytes, length, bytes.length).u32("check") != check(bytes, length)) {
      throw new WireException("the checksum is wrong");
    }
    WireReader in = new WireReader(bytes, 0, length);
    StoredGroup group = read(in);
    in.end("the group");
    return group;
  }

  private static int check(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  static byte[] groups(Collection<StoredGroup> groups) {
    WireWriter out = new WireWriter();
    out.uvar(groups.size());
    groups.forEach(group -> write(out, group));
    return out.toBytes();
  }

  static List<StoredGroup> groups(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    int count = in.count(7, "groups");
    List<StoredGroup> groups = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      groups.add(read(in));
    }
    in.end("the groups");
    return groups;
  }

  static byte[] versions(Collection<StoredGroup.Version> versions) {
    WireWriter out = new WireWriter();
    out.uvar(versions.size());
    for (StoredGroup.Version each : versions) {
      id(out, each.id());
      out.uvar(each.version()).u32(each.check());
    }
    return out.toBytes();
  }

  static List<StoredGroup.Version> versions(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    int count = in.count(8, "versions");
    List<StoredGroup.Version> versions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      versions.add(new StoredGroup.Version(id(in), in.uvar("version"), in.u32("check")));
    }
    in.end("the versions");
    return versions;
  }

  private static void write(WireWriter out, StoredGroup group) {
    out.u8(VERSION);
    id(out, group.id());
    out.uvar(group.version()).u8(group.isDeleted() ? 1 : 0).string(group.text());
  }

  private static StoredGroup read(WireReader in) throws WireException {
    int version = in.u8("format version");
    if (version != VERSION) {
      throw new WireException(
          "the format version is " + version + "; this program reads " + VERSION);
    }
    return new StoredGroup(id(in), in.uvar("version"), in.u8("deleted") == 1, in.string("text"));
  }

  private static void id(WireWriter out, RuleGroup.Id id) {
    out.string(id.tenant()).string(id.file()).string(id.name());
  }

  private static RuleGroup.Id id(WireReader in) throws WireException {
    return new RuleGroup.Id(in.string("tenant"), in.string("namespace"), in.string("group"));
  }
}
