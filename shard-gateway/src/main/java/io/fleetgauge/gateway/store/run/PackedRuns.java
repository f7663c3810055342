package io.fleetgauge.gateway.store.run;

import io.fleetgauge.gateway.store.chunk.Bits;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Arrays;

/**
 * The runs of a series in memory. Immutable.
 *
 * @param bytes runs up to {@code length}, and {@link Bits#SLACK} bytes more
 * @param base the number from which the column of the first run is counted
 * @param column the number of the last run's column; {@code base} if there is no run
 * @param before the number from which the column of the last run is counted
 * @param lastAt position of the last run
 * @param lastFrom index of its first time in its column
 * @param lastCount number of its samples; 0 if there is no run
 */
public record PackedRuns(
    byte[] bytes,
    int length,
    int base,
    int column,
    int before,
    int lastAt,
    int lastFrom,
    int lastCount) {
  /** Maximum samples of a run. Longer runs are smaller, but a run is encoded again as it grows. */
  public static final int RUN = 64;

  private static final byte[] NOTHING = new byte[0];

  public static PackedRuns none(int base) {
    return new PackedRuns(NOTHING, 0, base, base, base, 0, 0, 0);
  }

  /** These runs and a page more: added to the last run if it continues there, else a new run. */
  public PackedRuns with(
      Page.Maker lane, int number, int from, double[] values, Histogram[] histograms, int count) {
    boolean goesOn =
        lastCount > 0
            && number == column
            && from == lastFrom + lastCount
            && lastCount + count <= RUN;
    return goesOn
        ? grown(lane, values, histograms, count)
        : appended(lane, number, from, values, histograms, count);
  }

  private PackedRuns grown(Page.Maker lane, double[] values, Histogram[] histograms, int count) {
    double[] all = new double[lastCount + count];
    Histogram[] allHistograms = new Histogram[all.length];
    lane.chunks().at(lastAt);
    lane.chunks().svar(bytes);
    if (RunFormat.hasOffset(lane.chunks().u8(bytes))) {
      lane.chunks().u8(bytes);
    }
    lane.chunks()
        .decode(bytes, lastCount, all, 0, (index, histogram) -> allHistograms[index] = histogram);
    System.arraycopy(values, 0, all, lastCount, count);
    if (histograms != null) {
      System.arraycopy(histograms, 0, allHistograms, lastCount, count);
    }
    return written(lane, lastAt, before, column, lastFrom, all, allHistograms, all.length);
  }

  private PackedRuns appended(
      Page.Maker lane, int number, int from, double[] values, Histogram[] histograms, int count) {
    return written(lane, length, column, number, from, values, histograms, count);
  }

  private PackedRuns written(
      Page.Maker lane,
      int at,
      int columnBefore,
      int number,
      int from,
      double[] values,
      Histogram[] histograms,
      int count) {
    WireWriter out = lane.scratch().clear();
    RunFormat.write(out, number - columnBefore, from, count);
    lane.chunks().encode(values, histograms, 0, count, out);
    byte[] grown = new byte[at + out.size() + Bits.SLACK];
    System.arraycopy(bytes, 0, grown, 0, at);
    System.arraycopy(out.array(), 0, grown, at, out.size());
    return new PackedRuns(grown, at + out.size(), base, number, columnBefore, at, from, count);
  }

  /** The runs after a cut. */
  public PackedRuns from(RunCut cut) {
    int left = length - cut.bytes();
    if (left == 0) {
      return none(cut.column());
    }
    if (cut.bytes() == 0) {
      return this;
    }
    byte[] rest = Arrays.copyOfRange(bytes, cut.bytes(), length + Bits.SLACK);
    boolean first = lastAt == cut.bytes();
    return new PackedRuns(
        rest,
        left,
        cut.column(),
        column,
        first ? cut.column() : before,
        lastAt - cut.bytes(),
        lastFrom,
        lastCount);
  }
}
