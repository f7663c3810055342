package io.fleetgauge.promql.fragment;

import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;

/** The changes since the last such question, of all hosts of the gateway. */
public record ChangesQuestion(Since since) implements Question<ChangesQuestion.Answer> {
  /**
   * The point up to which a gateway has reported.
   *
   * @param incarnation of the gateway, as it said last; 0 at first
   * @param cursor that it gave last
   */
  public record Since(long incarnation, long cursor) {
    /** Before any report. */
    public static final Since START = new Since(0, 0);

    static Since read(WireReader in) throws WireException {
      return new Since(in.u64("the incarnation"), in.uvar("the cursor"));
    }

    void write(WireWriter out) {
      out.u64(incarnation).uvar(cursor);
    }
  }

  /**
   * @param incarnation another one than the asker's says that everything may have changed
   * @param cursor to ask with the next time
   * @param watermark the time up to which all hosts that send ticks have sent them, ms
   */
  public record Answer(long incarnation, long cursor, long watermark, List<OfHost> hosts)
      implements Result {
    static Answer read(WireReader in) throws WireException {
      long incarnation = in.u64("the incarnation");
      long cursor = in.uvar("the cursor");
      long watermark = in.svar("the watermark");
      return new Answer(incarnation, cursor, watermark, in.list(3, "hosts", OfHost::read));
    }

    @Override
    public void write(WireWriter out, WireWriter body) {
      write(out);
    }

    void write(WireWriter out) {
      out.u64(incarnation).uvar(cursor).svar(watermark);
      out.list(
          hosts, host -> out.string(host.host).u8(host.all ? 1 : 0).list(host.buckets, out::svar));
    }
  }

  /**
   * The changes of a host.
   *
   * @param all whether everything may have changed
   * @param buckets of time in which something has, when not all, as {@link
   *     io.fleetgauge.promql.lookup.TimeBucket} numbers them
   */
  public record OfHost(String host, boolean all, List<Long> buckets) {
    private static OfHost read(WireReader in) throws WireException {
      return new OfHost(
          in.string("a host"),
          in.uint(1, "whether all has changed") == 1,
          in.list(1, "buckets", each -> each.svar("a bucket")));
    }
  }

  static ChangesQuestion read(WireReader in) throws WireException {
    return new ChangesQuestion(Since.read(in));
  }

  @Override
  public void write(WireWriter out) {
    since.write(out);
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    return Answer.read(in);
  }

  @Override
  public Answer answer(Holdings holdings) {
    return holdings.changes(since);
  }

  @Override
  public boolean isWork() {
    return false;
  }
}
