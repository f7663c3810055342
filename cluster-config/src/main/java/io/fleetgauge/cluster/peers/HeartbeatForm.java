package io.fleetgauge.cluster.peers;

import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The bytes of heartbeats, as the package draws them. */
public final class HeartbeatForm {
  private static final int VERSION = 1;
  private static final int MAX_NAME = 300;

  /** Fewest bytes of a note. */
  private static final int NOTE_BYTES = 2;

  private HeartbeatForm() {}

  public static byte[] toBytes(Heartbeat beat) {
    WireWriter out =
        new WireWriter(256)
            .u8(VERSION)
            .string(beat.from())
            .u64(beat.life())
            .uvar(beat.sent())
            .u64(beat.answers())
            .uvar(beat.answered())
            .u8(beat.leaving() ? 1 : 0)
            .uvar(beat.notes().size());
    new TreeMap<>(beat.notes())
        .forEach((topic, note) -> out.string(topic).uvar(note.length).raw(note, 0, note.length));
    return out.toBytes();
  }

  /**
   * @throws WireException if the bytes are not a heartbeat of this version
   */
  public static Heartbeat fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    in.version(VERSION, "a heartbeat");
    String from = in.string("a name");
    if (from.length() > MAX_NAME) {
      throw new WireException("a name of " + from.length() + " characters; at most " + MAX_NAME);
    }
    long life = in.u64("a life");
    long sent = in.uvar("when it was sent");
    long answers = in.u64("whom it answers");
    long answered = in.uvar("what it answers");
    boolean leaving = in.flag("whether it leaves");
    Map<String, byte[]> notes = new HashMap<>();
    for (int i = in.count(NOTE_BYTES, "the number of notes"); i > 0; i--) {
      String topic = in.string("a topic");
      notes.put(topic, in.raw(in.uint(in.left(), "a length"), "a note"));
    }
    in.end("the heartbeat");
    return new Heartbeat(from, life, sent, answers, answered, leaving, notes);
  }
}
