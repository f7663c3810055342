package io.fleetgauge.query.rules.running;

import io.fleetgauge.query.rules.ownership.Beat;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** The bytes of beats and of questions for states, as the package draws them. */
final class BeatForm {
  private static final int VERSION = 1;

  /** Fewest bytes of a group in a beat. */
  private static final int GROUP_BYTES = 18;

  private static final int KEY_BYTES = 8;

  private BeatForm() {}

  static byte[] toBytes(Beat beat) {
    WireWriter out =
        new WireWriter(64 + 32 * beat.groups().size())
            .u8(VERSION)
            .string(beat.from())
            .u64(beat.life())
            .uvar(beat.sequence())
            .u64(beat.answers())
            .uvar(beat.answered())
            .u8(beat.serving() ? 1 : 0)
            .uvar(beat.groups().size());
    for (Beat.Known group : beat.groups()) {
      out.u64(group.group()).u64(group.definition()).uvar(group.weight()).svar(group.slot());
    }
    return out.toBytes();
  }

  /**
   * @throws WireException if the bytes are not a beat of this version
   */
  static Beat fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    int version = in.u8("the version");
    if (version != VERSION) {
      throw new WireException("a beat of version " + version + ", this program reads " + VERSION);
    }
    String from = in.string("a name");
    long life = in.u64("a life");
    long sequence = in.uvar("a sequence");
    long answers = in.u64("whom it answers");
    long answered = in.uvar("what it answers");
    boolean serving = in.u8("whether it serves") == 1;
    int count = in.count(GROUP_BYTES, "the number of groups");
    List<Beat.Known> groups = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      groups.add(
          new Beat.Known(
              in.u64("a group"),
              in.u64("a definition"),
              in.uint(Integer.MAX_VALUE, "a weight"),
              in.svar("a slot")));
    }
    in.end("the beat");
    return new Beat(from, life, sequence, answers, answered, serving, groups);
  }

  static byte[] keys(List<Long> groups) {
    WireWriter out = new WireWriter(8 + KEY_BYTES * groups.size()).uvar(groups.size());
    groups.forEach(out::u64);
    return out.toBytes();
  }

  static List<Long> keys(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    int count = in.count(KEY_BYTES, "the number of groups");
    List<Long> groups = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      groups.add(in.u64("a group"));
    }
    in.end("the groups");
    return groups;
  }

  static byte[] parts(List<byte[]> parts) {
    WireWriter out = new WireWriter(1024).uvar(parts.size());
    for (byte[] part : parts) {
      out.uvar(part.length).raw(part, 0, part.length);
    }
    return out.toBytes();
  }

  static List<byte[]> parts(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    int count = in.count(1, "the number of states");
    List<byte[]> parts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int length = in.uint(in.left(), "a length");
      parts.add(in.raw(length, "a state"));
    }
    in.end("the states");
    return parts;
  }
}
