package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.probe.gpu.snapshot.ValueCounts;
import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.nvml.NvmlDevice;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.sample.Labels;
import java.util.List;

/** The calls that are made of one GPU or MIG device, with their series and what is unsupported. */
final class CallPlan {
  private final GpuCall[] asks;
  private final Labels[][] series;
  private final Support[] support;

  /** For each call the one that it replaces, by place; -1 for none. */
  private final int[] instead;

  private final Value[][] values;
  private final NativeMemory out;

  CallPlan(List<GpuCall> asks, Labels of, SupportedMetrics supported, NativeMemory out) {
    this.asks = asks.toArray(GpuCall[]::new);
    this.out = out;
    this.series = new Labels[this.asks.length][];
    this.values = new Value[this.asks.length][];
    this.support = new Support[this.asks.length];
    this.instead = new int[this.asks.length];
    for (int i = 0; i < this.asks.length; i++) {
      GpuCall ask = this.asks[i];
      values[i] = ask.values().toArray(Value[]::new);
      series[i] = new Labels[values[i].length];
      for (int k = 0; k < values[i].length; k++) {
        Value value = values[i][k];
        series[i][k] = of.with(value.own()).with(Labels.NAME, value.metric().name());
      }
      support[i] =
          supported.question(ask.values().stream().map(value -> value.metric().name()).toList());
      instead[i] = place(ask.instead());
    }
  }

  private int place(NvmlCall call) {
    for (int i = 0; call != null && i < asks.length; i++) {
      if (asks[i].call() == call) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Makes the calls that are due.
   *
   * @return the code that ends the reading of this GPU, or success
   */
  int read(Nvml nvml, NvmlDevice device, GpuSnapshot readings, ValueCounts counts, long now) {
    for (int i = 0; i < asks.length; i++) {
      GpuCall ask = asks[i];
      boolean replaced = instead[i] >= 0 && !support[instead[i]].isUnsupported();
      if (!readings.isDue(ask.tier()) || replaced || !support[i].isWorthAsking(now)) {
        continue;
      }
      int code = nvml.ask(ask.call(), device, out, ask.a(), ask.b(), ask.c());
      support[i].answered(code, now);
      if (code == NvmlReturn.SUCCESS) {
        take(i, readings, counts);
      } else if (code == NvmlReturn.GPU_IS_LOST || NvmlReturn.isLibraryWide(code)) {
        return code;
      }
    }
    return NvmlReturn.SUCCESS;
  }

  private void take(int i, GpuSnapshot readings, ValueCounts counts) {
    for (int k = 0; k < values[i].length; k++) {
      double value = values[i][k].read(out);
      if (Double.isNaN(value)) {
        counts.dropped(asks[i].call());
      } else {
        readings.add(asks[i].tier(), series[i][k], value);
      }
    }
  }
}
