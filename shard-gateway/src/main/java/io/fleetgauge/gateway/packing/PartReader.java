package io.fleetgauge.gateway.packing;

import io.fleetgauge.gateway.store.chunk.Bits;
import io.fleetgauge.gateway.store.chunk.Pieces;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Reads a part. One use. */
final class PartReader {
  /** A part of more bytes when inflated is none: a segment's records take less. */
  private static final int MAX_BYTES = 1 << 30;

  private final byte[] bytes;
  private final WireReader in;
  private final List<Run> runs = new ArrayList<>();

  /** A run in the part, as of its tick before. */
  private static final class Run {
    final long number;
    final Map<Integer, PackedColumn> columns = new TreeMap<>();
    long sequence;
    long time;
    int knownSymbols;
    int knownSeries;
    int[] ids = {};

    Run(long number) {
      this.number = number;
    }
  }

  /** A frame, whose values come after all frames. */
  private sealed interface Item {
    /** As it is. */
    record Bytes(byte[] bytes) implements Item {}

    record Tick(Run run, long sequence, long time, Frame.Additions additions, int[] ids)
        implements Item {}
  }

  private PartReader(byte[] bytes, int length) {
    this.bytes = bytes;
    this.in = new WireReader(bytes, 0, length);
  }

  /** The records of a part. */
  static List<byte[]> read(byte[] part) throws WireException {
    WireReader head = new WireReader(part);
    int length = head.uint(MAX_BYTES, "the length of a part");
    byte[] raw = new byte[length + Bits.SLACK];
    try (Inflater inflater = new Inflater(true)) {
      inflater.setInput(part, head.position(), head.left());
      int at = 0;
      while (at < length) {
        int more = inflater.inflate(raw, at, length - at);
        if (more == 0) {
          throw new WireException("a part is shorter than it says");
        }
        at += more;
      }
    } catch (DataFormatException e) {
      throw new WireException("a part cannot be inflated: " + e.getMessage());
    }
    return new PartReader(raw, length).records();
  }

  private List<byte[]> records() throws WireException {
    String host = in.string("the host");
    List<List<Item>> records = new ArrayList<>();
    for (int left = in.count(1, "records"); left > 0; left--) {
      List<Item> items = new ArrayList<>();
      for (int more = in.count(1, "frames"); more > 0; more--) {
        items.add(item());
      }
      records.add(items);
    }
    Pieces pieces = new Pieces();
    for (Run run : runs) {
      for (PackedColumn column : run.columns.values()) {
        int length = in.uint(in.left(), "the length of a column");
        column.read(pieces, bytes, in.position(), length);
        in.skip(length, "a column");
      }
    }
    in.end("the columns");
    List<byte[]> found = new ArrayList<>();
    for (List<Item> items : records) {
      WireWriter record = new WireWriter();
      for (Item item : items) {
        byte[] frame =
            switch (item) {
              case Item.Bytes asItIs -> asItIs.bytes;
              case Item.Tick tick -> encode(host, tick);
            };
        record.raw(frame, 0, frame.length);
      }
      found.add(record.toBytes());
    }
    return found;
  }

  private Item item() throws WireException {
    int kind = in.uint(PartWriter.TICK, "the kind of a frame");
    return kind == PartWriter.AS_IT_IS
        ? new Item.Bytes(in.raw(in.uint(in.left(), "the length of a frame"), "a frame"))
        : tick();
  }

  private Item tick() throws WireException {
    int place = in.uint(runs.size(), "a run");
    if (place == runs.size()) {
      runs.add(new Run(in.u64("the number of a run")));
    }
    Run run = runs.get(place);
    run.sequence += in.svar("a sequence");
    run.time += in.svar("a time");
    run.knownSymbols += (int) in.svar("the known strings");
    List<String> symbols = new ArrayList<>();
    for (int left = in.count(1, "strings"); left > 0; left--) {
      symbols.add(in.string("a string"));
    }
    run.knownSeries += (int) in.svar("the known label sets");
    List<int[]> series = new ArrayList<>();
    for (int left = in.count(1, "label sets"); left > 0; left--) {
      int[] labels = new int[in.count(1, "labels")];
      for (int i = 0; i < labels.length; i++) {
        labels[i] = in.uint(Integer.MAX_VALUE, "a string's number");
      }
      series.add(labels);
    }
    if (in.uint(PartWriter.OTHERS, "the kind of ids") == PartWriter.OTHERS) {
      run.ids = new int[in.count(1, "ids")];
      int before = -1;
      for (int i = 0; i < run.ids.length; i++) {
        before += 1 + in.uint(Integer.MAX_VALUE - 1 - Math.max(0, before), "an id");
        run.ids[i] = before;
      }
    }
    for (int id : run.ids) {
      run.columns.computeIfAbsent(id, none -> new PackedColumn()).size++;
    }
    return new Item.Tick(
        run,
        run.sequence,
        run.time,
        new Frame.Additions(run.knownSymbols, symbols, run.knownSeries, series),
        run.ids);
  }

  /** Takes the next value of each of a tick's columns. */
  private static byte[] encode(String host, Item.Tick tick) {
    int[] ids = tick.ids;
    double[] values = new double[ids.length];
    Histogram[] histograms = null;
    for (int i = 0; i < ids.length; i++) {
      PackedColumn column = tick.run.columns.get(ids[i]);
      int at = column.next++;
      values[i] = column.values[at];
      if (column.histograms != null && column.histograms[at] != null) {
        histograms = histograms == null ? new Histogram[ids.length] : histograms;
        histograms[i] = column.histograms[at];
      }
    }
    return FrameEncoder.encode(
        new Frame.Tick(
            host,
            tick.run.number,
            tick.sequence,
            tick.time,
            tick.additions,
            ids,
            values,
            histograms));
  }
}
