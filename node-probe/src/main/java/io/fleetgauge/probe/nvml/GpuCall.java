package io.fleetgauge.probe.nvml;

import jnr.ffi.Pointer;

/**
 * The calls of one reading, in the order in which they are made: cheap and harmless ones first.
 * Each names the metrics that it reads, which {@link io.fleetgauge.sample.prometheus.KnownMetrics}
 * describes.
 */
enum GpuCall {
  UTILIZATION {
    @Override
    int call(NvmlLibrary nvml, Pointer device, Pointer out) {
      return nvml.nvmlDeviceGetUtilizationRates(device, out);
    }

    @Override
    void take(Pointer out, Readings readings) {
      readings.add("DCGM_FI_DEV_GPU_UTIL", unsigned(out, 0));
      readings.add("DCGM_FI_DEV_MEM_COPY_UTIL", unsigned(out, 4));
    }
  },
  MEMORY {
    @Override
    int call(NvmlLibrary nvml, Pointer device, Pointer out) {
      out.putInt(0, MEMORY_V2);
      return nvml.nvmlDeviceGetMemoryInfo_v2(device, out);
    }

    @Override
    void take(Pointer out, Readings readings) {
      readings.add("DCGM_FI_DEV_FB_TOTAL", out.getLong(8) >>> MIB);
      readings.add("DCGM_FI_DEV_FB_RESERVED", out.getLong(16) >>> MIB);
      readings.add("DCGM_FI_DEV_FB_FREE", out.getLong(24) >>> MIB);
      readings.add("DCGM_FI_DEV_FB_USED", out.getLong(32) >>> MIB);
    }
  },
  /** For drivers before R510, made only where {@link #MEMORY} is not supported. */
  MEMORY_V1 {
    @Override
    int call(NvmlLibrary nvml, Pointer device, Pointer out) {
      return nvml.nvmlDeviceGetMemoryInfo(device, out);
    }

    @Override
    void take(Pointer out, Readings readings) {
      readings.add("DCGM_FI_DEV_FB_TOTAL", out.getLong(0) >>> MIB);
      readings.add("DCGM_FI_DEV_FB_FREE", out.getLong(8) >>> MIB);
      readings.add("DCGM_FI_DEV_FB_USED", out.getLong(16) >>> MIB);
    }
  },
  TEMPERATURE {
    @Override
    int call(NvmlLibrary nvml, Pointer device, Pointer out) {
      return nvml.nvmlDeviceGetTemperature(device, 0, out);
    }

    @Override
    void take(Pointer out, Readings readings) {
      readings.add("DCGM_FI_DEV_GPU_TEMP", unsigned(out, 0));
    }
  },
  SM_CLOCK {
    @Override
    int call(NvmlLibrary nvml, Pointer device, Pointer out) {
      return nvml.nvmlDeviceGetClockInfo(device, 1, out);
    }

    @Override
    void take(Pointer out, Readings readings) {
      readings.add("DCGM_FI_DEV_SM_CLOCK", unsigned(out, 0));
    }
  },
  MEMORY_CLOCK {
    @Override
    int call(NvmlLibrary nvml, Pointer device, Pointer out) {
      return nvml.nvmlDeviceGetClockInfo(device, 2, out);
    }

    @Override
    void take(Pointer out, Readings readings) {
      readings.add("DCGM_FI_DEV_MEM_CLOCK", unsigned(out, 0));
    }
  },
  POWER {
    @Override
    int call(NvmlLibrary nvml, Pointer device, Pointer out) {
      return nvml.nvmlDeviceGetPowerUsage(device, out);
    }

    @Override
    void take(Pointer out, Readings readings) {
      readings.add("DCGM_FI_DEV_POWER_USAGE", unsigned(out, 0) / 1000.0);
    }
  },
  ENERGY {
    @Override
    int call(NvmlLibrary nvml, Pointer device, Pointer out) {
      return nvml.nvmlDeviceGetTotalEnergyConsumption(device, out);
    }

    @Override
    void take(Pointer out, Readings readings) {
      readings.add("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", out.getLong(0));
    }
  };

  /** Where a call puts what it read. */
  interface Readings {
    void add(String metric, double value);
  }

  /** sizeof(nvmlMemory_v2_t) | 2 << 24, as the driver wants it. */
  static final int MEMORY_V2 = 0x02000028;

  private static final int MIB = 20;

  abstract int call(NvmlLibrary nvml, Pointer device, Pointer out);

  abstract void take(Pointer out, Readings readings);

  static long unsigned(Pointer out, int at) {
    return Integer.toUnsignedLong(out.getInt(at));
  }
}
