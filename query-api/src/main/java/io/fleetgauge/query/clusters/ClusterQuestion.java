package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;

/**
 * A question to all gateways of another cluster, and its bytes.
 *
 * @param timeoutMillis after this time nobody waits for the answer
 * @param since the position of an earlier look for changes, since which the answer is to tell them;
 *     {@link #NOT_ASKED}, or {@link #START} before any look
 * @param without hosts that are not read, because another cluster has newer samples of them
 */
record ClusterQuestion(long timeoutMillis, long since, List<String> without, Question<?> question) {
  /** The version that this program speaks. */
  static final int VERSION = 1;

  static final long NOT_ASKED = 0;
  static final long START = 1;

  byte[] encode() {
    byte[] fragment = FragmentCodec.encode(new Fragment(Load.OWN, 0, without, question));
    WireWriter out = new WireWriter(fragment.length + 32);
    out.u8('C').u8('Q').u8(VERSION).uvar(timeoutMillis).u64(since).uvar(fragment.length);
    return out.raw(fragment, 0, fragment.length).toBytes();
  }

  static ClusterQuestion decode(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    header(in, 'Q');
    long timeout = in.uvar("the timeout");
    long since = in.u64("the position");
    Fragment fragment =
        FragmentCodec.decode(in.raw(in.uint(in.left(), "the question's length"), "the question"));
    in.end("the question");
    return new ClusterQuestion(timeout, since, fragment.hosts(), fragment.question());
  }

  static void header(WireReader in, char letter) throws WireException {
    if (in.u8("the first byte") != 'C' || in.u8("the second byte") != letter) {
      throw new WireException("it is no read of another cluster");
    }
    in.version(VERSION, "a read of another cluster");
  }
}
