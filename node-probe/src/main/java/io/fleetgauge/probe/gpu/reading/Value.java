package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetrics;

/**
 * A value in the answer of a call, and the series that it becomes.
 *
 * @param own labels that tell it from other series of the metric on the same GPU
 * @param at its first byte
 * @param divisor what the value is divided by to be in the metric's unit
 * @param most above it the value cannot be right
 */
record Value(GpuMetric metric, Labels own, Form form, int at, double divisor, double most) {
  /** The form in which bytes are a value. */
  enum Form {
    U8,
    U32,
    I32,
    U64,
    /** Bytes, told in whole MiB. */
    MIB,
    /** 1 if a bit of the mask at {@code at} is set; the bit's number is the divisor. */
    BIT,
    /** The used part of nvmlMemory_v2_t: used / (total - reserved). */
    USED_RATIO
  }

  private static final double MOST_COUNT = 1L << 62;
  private static final double MOST_MIB = 1 << 28;
  private static final int MIB = 20;

  static Value u32(String metric, int at, double most) {
    return new Value(GpuMetrics.of(metric), Labels.EMPTY, Form.U32, at, 1, most);
  }

  static Value i32(String metric, int at, double most) {
    return new Value(GpuMetrics.of(metric), Labels.EMPTY, Form.I32, at, 1, most);
  }

  static Value u8(String metric, int at) {
    return new Value(GpuMetrics.of(metric), Labels.EMPTY, Form.U8, at, 1, 0xff);
  }

  static Value u64(String metric, int at) {
    return new Value(GpuMetrics.of(metric), Labels.EMPTY, Form.U64, at, 1, MOST_COUNT);
  }

  static Value mib(String metric, int at) {
    return new Value(GpuMetrics.of(metric), Labels.EMPTY, Form.MIB, at, 1, MOST_MIB);
  }

  static Value bit(String metric, int bit, String... own) {
    return new Value(GpuMetrics.of(metric), Labels.of(own), Form.BIT, 0, bit, 1);
  }

  static Value usedRatio(String metric) {
    return new Value(GpuMetrics.of(metric), Labels.EMPTY, Form.USED_RATIO, 0, 1, 1);
  }

  Value over(double by) {
    return new Value(metric, own, form, at, by, most);
  }

  Value with(String... labels) {
    return new Value(metric, Labels.of(labels), form, at, divisor, most);
  }

  /** The value in the metric's unit; NaN when it was never set or cannot be right. */
  double read(NativeMemory out) {
    double value =
        switch (form) {
          case U8 -> out.u8(at);
          case U32 -> out.i32(at) == -1 ? Double.NaN : out.u32(at) / divisor;
          case I32 -> Math.abs((double) out.i32(at)) > most ? Double.NaN : out.i32(at) / divisor;
          case U64 -> out.i64(at) < 0 ? Double.NaN : out.i64(at) / divisor;
          case MIB -> out.i64(at) < 0 ? Double.NaN : out.i64(at) >>> MIB;
          case BIT -> out.i64(at) == -1 ? Double.NaN : out.i64(at) >>> (int) divisor & 1;
          case USED_RATIO -> usedRatio(out.i64(8), out.i64(16), out.i64(32));
        };
    return value <= most ? value : Double.NaN;
  }

  private static double usedRatio(long total, long reserved, long used) {
    boolean sane = used >= 0 && reserved >= 0 && total > reserved;
    return sane ? used / (double) (total - reserved) : Double.NaN;
  }
}
