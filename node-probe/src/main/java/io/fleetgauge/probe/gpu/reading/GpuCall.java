package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.sample.gpu.Tier;
import java.util.List;

/**
 * A call that a reading makes, and what it reads from the answer.
 *
 * @param instead the call that this one replaces where the driver lacks it; null for none
 * @param a arguments of the call, where it has some
 */
record GpuCall(
    Tier tier, NvmlCall call, NvmlCall instead, int a, int b, int c, List<Value> values) {
  static GpuCall of(Tier tier, NvmlCall call, Value... values) {
    return new GpuCall(tier, call, null, 0, 0, 0, List.of(values));
  }

  GpuCall instead(NvmlCall of) {
    return new GpuCall(tier, call, of, a, b, c, values);
  }

  GpuCall with(int first) {
    return with(first, 0, 0);
  }

  GpuCall with(int first, int second, int third) {
    return new GpuCall(tier, call, instead, first, second, third, values);
  }
}
