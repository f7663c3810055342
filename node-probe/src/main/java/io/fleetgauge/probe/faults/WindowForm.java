package io.fleetgauge.probe.faults;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuEvent;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** The bytes of a window in its file, as the package draws them. */
final class WindowForm {
  static final int MAX_BYTES = 64 << 20;

  private static final int MAGIC = 'F' | 'G' << 8 | 'F' << 16 | 'W' << 24;
  private static final int VERSION = 1;
  private static final int MOST_ROWS = 1 << 16;
  private static final int HEAD = 9;
  private static final GpuEvent[] KINDS = GpuEvent.values();

  private WindowForm() {}

  static byte[] write(FaultWindow window) {
    Window readings = window.readings();
    WireWriter out = new WireWriter(4 * readings.rows() * readings.series().size() + 4_096);
    out.u32(MAGIC).u8(VERSION).u32(0).string(window.id()).uvar(window.faults().size());
    for (GpuFault fault : window.faults()) {
      out.string(fault.kind().name()).uvar(fault.xid()).svar(fault.time());
      labels(out, fault.gpu());
    }
    out.svar(readings.first()).uvar(readings.step()).uvar(readings.rows());
    out.uvar(readings.series().size());
    for (int i = 0; i < readings.series().size(); i++) {
      labels(out, readings.series().get(i));
      for (float value : readings.values()[i]) {
        out.u32(Float.floatToIntBits(value));
      }
    }
    return out.setU32(HEAD - 4, check(out.array(), out.size())).toBytes();
  }

  private static void labels(WireWriter out, Labels labels) {
    out.uvar(labels.size());
    for (int i = 0; i < labels.size(); i++) {
      out.string(labels.name(i)).string(labels.value(i));
    }
  }

  private static int check(byte[] bytes, int length) {
    CRC32C check = new CRC32C();
    check.update(bytes, HEAD, length - HEAD);
    return (int) check.getValue();
  }

  /**
   * @throws WireException if these are not the bytes of a window
   */
  static FaultWindow read(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    if (in.u32("the magic") != MAGIC || in.u8("the version") != VERSION) {
      throw new WireException("it is no window of a fault in version " + VERSION);
    }
    if (in.u32("the checksum") != check(bytes, bytes.length)) {
      throw new WireException("its checksum is wrong");
    }
    String id = in.string("the id");
    List<GpuFault> faults = new ArrayList<>();
    int count = in.count(4, "faults");
    for (int i = 0; i < count; i++) {
      GpuEvent kind = kind(in.string("a kind"));
      int xid = in.uint(Integer.MAX_VALUE, "an XID");
      long time = in.svar("a time");
      faults.add(new GpuFault(kind, xid, labels(in), time));
    }
    long first = in.svar("the first time");
    long step = in.uvar("the step");
    int rows = in.uint(MOST_ROWS, "the number of rows");
    List<Labels> series = new ArrayList<>();
    int columns = in.count(1 + 4 * rows, "series");
    float[][] values = new float[columns][rows];
    for (int i = 0; i < columns; i++) {
      series.add(labels(in));
      for (int row = 0; row < rows; row++) {
        values[i][row] = Float.intBitsToFloat(in.u32("a value"));
      }
    }
    in.end("the window");
    if (faults.isEmpty() || step <= 0) {
      throw new WireException("it has no fault, or no step");
    }
    return new FaultWindow(
        id, List.copyOf(faults), new Window(first, step, rows, List.copyOf(series), values));
  }

  private static GpuEvent kind(String name) throws WireException {
    for (GpuEvent kind : KINDS) {
      if (kind.name().equals(name)) {
        return kind;
      }
    }
    throw new WireException("it has a fault of the unknown kind " + name);
  }

  private static Labels labels(WireReader in) throws WireException {
    String[] texts = new String[2 * in.count(2, "labels")];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = in.string("a label");
    }
    try {
      return Labels.of(texts);
    } catch (IllegalArgumentException e) {
      throw new WireException("it has labels that cannot be: " + e.getMessage());
    }
  }
}
