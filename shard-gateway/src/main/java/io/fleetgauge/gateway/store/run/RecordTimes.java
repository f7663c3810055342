package io.fleetgauge.gateway.store.run;

import io.fleetgauge.gateway.store.chunk.Chunks;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Arrays;

/** Which times of which columns the samples of a record have; many records share them. */
public final class RecordTimes {
  private final SampleColumns columns;
  private final int[] numbers;
  private final int[] froms;
  private final int[] counts;
  private final int size;

  private RecordTimes(SampleColumns columns, int[] numbers, int[] froms, int[] counts) {
    this.columns = columns;
    this.numbers = numbers;
    this.froms = froms;
    this.counts = counts;
    this.size = Arrays.stream(counts).sum();
  }

  /**
   * Writes the heads of packed runs up to a cut.
   *
   * @param base the number from which the column of the first run is counted in what is written
   * @return the number of their samples
   */
  public static int write(PackedRuns packed, RunCut cut, int base, WireWriter out) {
    byte[] bytes = packed.bytes();
    Chunks chunks = new Chunks().at(0);
    int before = packed.base() - base;
    int size = 0;
    while (chunks.position() < cut.bytes()) {
      int distance = before + (int) chunks.svar(bytes);
      int head = chunks.u8(bytes);
      int count = RunFormat.count(head);
      int from = RunFormat.hasOffset(head) ? chunks.u8(bytes) : 0;
      RunFormat.write(out, distance, from, count);
      chunks.skip(bytes, count);
      before = 0;
      size += count;
    }
    return size;
  }

  /**
   * @param heads of runs, one after the other
   * @throws WireException if they are none
   */
  public static RecordTimes read(byte[] heads, SampleColumns columns) throws WireException {
    int[] numbers = new int[heads.length / 2];
    int[] froms = new int[heads.length / 2];
    int[] counts = new int[heads.length / 2];
    int runs = 0;
    int number = 0;
    WireReader in = new WireReader(heads);
    while (in.left() > 1) {
      number += (int) in.svar("a column");
      int head = in.u8("a run's head");
      numbers[runs] = number;
      counts[runs] = RunFormat.count(head);
      froms[runs++] = RunFormat.hasOffset(head) ? in.u8("a run's first time") : 0;
    }
    in.end("the heads of runs");
    return new RecordTimes(
        columns,
        Arrays.copyOf(numbers, runs),
        Arrays.copyOf(froms, runs),
        Arrays.copyOf(counts, runs));
  }

  public int size() {
    return size;
  }

  /** The times, one for each sample. */
  long[] times(SampleReader reader) {
    long[] times = new long[size];
    int at = 0;
    for (int i = 0; i < numbers.length; i++) {
      System.arraycopy(reader.times(columns, numbers[i]), froms[i], times, at, counts[i]);
      at += counts[i];
    }
    return times;
  }
}
