package io.fleetgauge.gateway.packing;

import io.fleetgauge.gateway.store.chunk.Pieces;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.Deflater;

/** Writes the records of one host as a part. One use. */
final class PartWriter {
  static final int AS_IT_IS = 0;
  static final int TICK = 1;
  static final int SAME = 0;
  static final int OTHERS = 1;

  private final String host;
  private final Map<Long, Run> runs = new LinkedHashMap<>();
  private final WireWriter out = new WireWriter(1 << 16);

  /** A run in the part, as of its tick before. */
  private static final class Run {
    final int place;
    final Map<Integer, PackedColumn> columns = new TreeMap<>();
    long sequence;
    long time;
    int knownSymbols;
    int knownSeries;
    int[] ids = {};

    Run(int place) {
      this.place = place;
    }
  }

  PartWriter(String host) {
    this.host = host;
  }

  byte[] write(List<byte[]> records) {
    out.string(host).uvar(records.size());
    records.forEach(this::record);
    Pieces pieces = new Pieces();
    WireWriter values = new WireWriter();
    for (Run run : runs.values()) {
      for (PackedColumn column : run.columns.values()) {
        column.write(pieces, values.clear());
        out.uvar(values.size()).raw(values.array(), 0, values.size());
      }
    }
    return deflated();
  }

  private void record(byte[] record) {
    WireWriter frames = new WireWriter(256);
    FrameDecoder decoder = new FrameDecoder(record);
    int count = 0;
    int at = 0;
    while (at < record.length) {
      Frame frame = next(decoder);
      int end = frame == null ? record.length : decoder.position();
      if (frame instanceof Frame.Tick tick && comesBack(tick, record, at, end)) {
        tick(tick, frames);
      } else {
        frames.u8(AS_IT_IS).uvar(end - at).raw(record, at, end - at);
      }
      at = end;
      count++;
    }
    out.uvar(count).raw(frames.array(), 0, frames.size());
  }

  /** Null if the rest of the record is no frame. */
  private static Frame next(FrameDecoder decoder) {
    try {
      return decoder.next();
    } catch (WireException e) {
      return null;
    }
  }

  private boolean comesBack(Frame.Tick tick, byte[] record, int from, int to) {
    byte[] again = FrameEncoder.encode(tick);
    return tick.host().equals(host) && Arrays.equals(again, 0, again.length, record, from, to);
  }

  private void tick(Frame.Tick tick, WireWriter frames) {
    boolean isNew = !runs.containsKey(tick.run());
    Run run = runs.computeIfAbsent(tick.run(), none -> new Run(runs.size()));
    frames.u8(TICK).uvar(run.place);
    if (isNew) {
      frames.u64(tick.run());
    }
    frames.svar(tick.sequence() - run.sequence).svar(tick.time() - run.time);
    Frame.Additions more = tick.additions();
    frames.svar(more.knownSymbols() - run.knownSymbols).uvar(more.symbols().size());
    more.symbols().forEach(frames::string);
    frames.svar(more.knownSeries() - run.knownSeries).uvar(more.series().size());
    for (int[] labels : more.series()) {
      frames.uvar(labels.length);
      for (int symbol : labels) {
        frames.uvar(symbol);
      }
    }
    int[] ids = tick.ids();
    if (Arrays.equals(ids, run.ids)) {
      frames.u8(SAME);
    } else {
      frames.u8(OTHERS).uvar(ids.length);
      int before = -1;
      for (int id : ids) {
        frames.uvar(id - before - 1);
        before = id;
      }
    }
    for (int i = 0; i < ids.length; i++) {
      run.columns
          .computeIfAbsent(ids[i], none -> new PackedColumn())
          .add(tick.values()[i], tick.histograms() == null ? null : tick.histograms()[i]);
    }
    run.sequence = tick.sequence();
    run.time = tick.time();
    run.knownSymbols = more.knownSymbols();
    run.knownSeries = more.knownSeries();
    run.ids = ids;
  }

  private byte[] deflated() {
    WireWriter part = new WireWriter(out.size() / 2 + 64).uvar(out.size());
    byte[] chunk = new byte[1 << 14];
    try (Deflater deflater = new Deflater(Deflater.BEST_SPEED, true)) {
      deflater.setInput(out.array(), 0, out.size());
      deflater.finish();
      while (!deflater.finished()) {
        part.raw(chunk, 0, deflater.deflate(chunk));
      }
    }
    return part.toBytes();
  }
}
