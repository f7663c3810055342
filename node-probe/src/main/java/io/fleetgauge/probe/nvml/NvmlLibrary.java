package io.fleetgauge.probe.nvml;

import jnr.ffi.Pointer;

/**
 * The driver's functions as C declares them; each answers an {@code nvmlReturn_t}. Names carry the
 * version suffix that the library exports. A function that an older driver lacks fails with {@link
 * UnsatisfiedLinkError} when it is called.
 *
 * @see <a href="https://docs.nvidia.com/deploy/nvml-api/">NVML API reference</a>
 */
public interface NvmlLibrary {
  int nvmlInit_v2();

  int nvmlShutdown();

  int nvmlDeviceGetCount_v2(Pointer count);

  int nvmlDeviceGetHandleByIndex_v2(int index, Pointer device);

  int nvmlDeviceGetUUID(Pointer device, Pointer text, int length);

  int nvmlDeviceGetName(Pointer device, Pointer text, int length);

  /** 68 bytes; the bus id is the text at byte 36. */
  int nvmlDeviceGetPciInfo_v3(Pointer device, Pointer pciInfo);

  /** Two u32: percent of time with a kernel running, percent of time with memory traffic. */
  int nvmlDeviceGetUtilizationRates(Pointer device, Pointer rates);

  /** 40 bytes: version u32, then from byte 8 total, reserved, free, used as u64 bytes. */
  int nvmlDeviceGetMemoryInfo_v2(Pointer device, Pointer memory);

  /** 24 bytes: total, free, used as u64 bytes; used contains what the driver reserves. */
  int nvmlDeviceGetMemoryInfo(Pointer device, Pointer memory);

  /** u32 milliwatts. */
  int nvmlDeviceGetPowerUsage(Pointer device, Pointer milliwatts);

  /** u64 millijoules since the driver was loaded. */
  int nvmlDeviceGetTotalEnergyConsumption(Pointer device, Pointer millijoules);

  /** u32 degrees Celsius; sensor 0 is the GPU's die. */
  int nvmlDeviceGetTemperature(Pointer device, int sensor, Pointer celsius);

  /** u32 MHz; type 1 is the SM clock, type 2 the memory clock. */
  int nvmlDeviceGetClockInfo(Pointer device, int type, Pointer megahertz);
}
