package io.fleetgauge.gateway.rollup;

import io.fleetgauge.gateway.store.chunk.Bits;
import io.fleetgauge.gateway.store.chunk.Chunks;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Arrays;
import java.util.List;

/** The byte form of pages, as the package draws it. */
public final class RollupForm {
  private static final int SINGLE = 1;
  private static final int CARRY = 2;
  private static final int REST = 4;
  private static final int SAME = 0;
  private static final int VARYING = 1;
  private static final int CHUNK = 120;
  private static final int MAX_STEPS = 1 << 24;

  private RollupForm() {}

  public static byte[] encode(RollupPage page) {
    WireWriter out = new WireWriter(1024);
    Chunks chunks = new Chunks();
    out.svar(page.first()).uvar(page.steps()).uvar(page.others().size());
    page.others().forEach(out::string);
    out.uvar(page.groups().size());
    for (RollupPage.Group group : page.groups()) {
      Labels labels = group.labels();
      out.uvar(labels.size());
      for (int i = 0; i < labels.size(); i++) {
        out.string(labels.name(i)).string(labels.value(i));
      }
      boolean single = Arrays.stream(group.count()).allMatch(count -> count <= 1);
      out.u8(
          (single ? SINGLE : 0)
              | (group.carry() == null ? 0 : CARRY)
              | (group.rest() == null ? 0 : REST));
      counts(out, group.count());
      row(out, group.sum(), chunks);
      if (group.carry() != null) {
        row(out, group.carry(), chunks);
      }
      if (group.rest() != null) {
        row(out, group.rest(), chunks);
      }
      if (!single) {
        row(out, group.min(), chunks);
        row(out, group.max(), chunks);
      }
    }
    return out.toBytes();
  }

  private static void counts(WireWriter out, int[] counts) {
    int first = counts[0];
    if (Arrays.stream(counts).allMatch(count -> count == first)) {
      out.u8(SAME).uvar(first);
      return;
    }
    out.u8(VARYING);
    int before = 0;
    for (int count : counts) {
      out.svar(count - before);
      before = count;
    }
  }

  private static void row(WireWriter out, double[] numbers, Chunks chunks) {
    WireWriter bytes = new WireWriter(numbers.length);
    for (int at = 0; at < numbers.length; at += CHUNK) {
      chunks.encode(numbers, null, at, Math.min(CHUNK, numbers.length - at), bytes);
    }
    out.uvar(bytes.size()).raw(bytes.array(), 0, bytes.size());
  }

  /**
   * @throws WireException if the bytes are not a page
   */
  public static RollupPage decode(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    byte[] padded = Arrays.copyOf(bytes, bytes.length + Bits.SLACK);
    try {
      long first = in.svar("the first step");
      int steps = in.uint(MAX_STEPS, "the number of steps");
      List<String> others = in.list(1, "labels", each -> each.string("a label"));
      List<RollupPage.Group> groups = in.list(4, "groups", each -> group(each, padded, steps));
      in.end("the page");
      return new RollupPage(first, steps, List.copyOf(others), List.copyOf(groups));
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new WireException("these bytes are not a page of rollups: " + e.getMessage());
    }
  }

  private static RollupPage.Group group(WireReader in, byte[] padded, int steps)
      throws WireException {
    String[] flat = new String[2 * in.count(2, "labels")];
    for (int i = 0; i < flat.length; i++) {
      flat[i] = in.string("a label");
    }
    Labels labels = Labels.of(flat);
    int flags = in.uint(SINGLE | CARRY | REST, "the flags of a group");
    int[] count = new int[steps];
    if (in.uint(VARYING, "the form of counts") == SAME) {
      Arrays.fill(count, in.uint(Integer.MAX_VALUE, "a count"));
    } else {
      int before = 0;
      for (int i = 0; i < steps; i++) {
        before += (int) in.svar("a count");
        count[i] = before;
      }
    }
    Chunks chunks = new Chunks();
    double[] sum = row(in, padded, steps, chunks);
    double[] carry = (flags & CARRY) == 0 ? null : row(in, padded, steps, chunks);
    double[] rest = (flags & REST) == 0 ? null : row(in, padded, steps, chunks);
    boolean single = (flags & SINGLE) != 0;
    double[] min = single ? sum : row(in, padded, steps, chunks);
    double[] max = single ? sum : row(in, padded, steps, chunks);
    return new RollupPage.Group(labels, count, sum, carry, rest, min, max);
  }

  private static double[] row(WireReader in, byte[] padded, int steps, Chunks chunks)
      throws WireException {
    int length = in.uint(in.left(), "a row's length");
    chunks.at(in.position());
    double[] numbers = new double[steps];
    for (int at = 0; at < steps; at += CHUNK) {
      chunks.decode(padded, Math.min(CHUNK, steps - at), numbers, at, null);
    }
    if (chunks.position() != in.position() + length) {
      throw new WireException("a row is longer or shorter than its length says");
    }
    in.skip(length, "a row");
    return numbers;
  }
}
