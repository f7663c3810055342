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

  int nvmlSystemGetDriverVersion(Pointer text, int length);

  int nvmlSystemGetNVMLVersion(Pointer text, int length);

  /** i32: 1000 * major + 10 * minor. */
  int nvmlSystemGetCudaDriverVersion(Pointer version);

  int nvmlDeviceGetCount_v2(Pointer count);

  int nvmlDeviceGetHandleByIndex_v2(int index, Pointer device);

  int nvmlDeviceGetUUID(Pointer device, Pointer text, int length);

  int nvmlDeviceGetName(Pointer device, Pointer text, int length);

  int nvmlDeviceGetSerial(Pointer device, Pointer text, int length);

  int nvmlDeviceGetVbiosVersion(Pointer device, Pointer text, int length);

  int nvmlDeviceGetBoardPartNumber(Pointer device, Pointer text, int length);

  int nvmlDeviceGetArchitecture(Pointer device, Pointer architecture);

  /** 68 bytes; the bus id is the text at byte 36. */
  int nvmlDeviceGetPciInfo_v3(Pointer device, Pointer pciInfo);

  /** Two u32: percent of time with a kernel running, percent of time with memory traffic. */
  int nvmlDeviceGetUtilizationRates(Pointer device, Pointer rates);

  int nvmlDeviceGetEncoderUtilization(Pointer device, Pointer percent, Pointer micros);

  int nvmlDeviceGetDecoderUtilization(Pointer device, Pointer percent, Pointer micros);

  int nvmlDeviceGetJpgUtilization(Pointer device, Pointer percent, Pointer micros);

  int nvmlDeviceGetOfaUtilization(Pointer device, Pointer percent, Pointer micros);

  /** 40 bytes: version u32, then from byte 8 total, reserved, free, used as u64 bytes. */
  int nvmlDeviceGetMemoryInfo_v2(Pointer device, Pointer memory);

  /** 24 bytes: total, free, used as u64 bytes; used contains what the driver reserves. */
  int nvmlDeviceGetMemoryInfo(Pointer device, Pointer memory);

  /** 24 bytes: total, free, used as u64 bytes. */
  int nvmlDeviceGetBAR1MemoryInfo(Pointer device, Pointer memory);

  /** u32 milliwatts. */
  int nvmlDeviceGetPowerUsage(Pointer device, Pointer milliwatts);

  int nvmlDeviceGetEnforcedPowerLimit(Pointer device, Pointer milliwatts);

  int nvmlDeviceGetPowerManagementLimit(Pointer device, Pointer milliwatts);

  int nvmlDeviceGetPowerManagementDefaultLimit(Pointer device, Pointer milliwatts);

  int nvmlDeviceGetPowerManagementLimitConstraints(Pointer device, Pointer min, Pointer max);

  /** u64 millijoules since the driver was loaded. */
  int nvmlDeviceGetTotalEnergyConsumption(Pointer device, Pointer millijoules);

  /** u32 degrees Celsius; sensor 0 is the GPU's die. */
  int nvmlDeviceGetTemperature(Pointer device, int sensor, Pointer celsius);

  /** 12 bytes: version, sensor, i32 degrees Celsius. */
  int nvmlDeviceGetTemperatureV(Pointer device, Pointer temperature);

  /** 8 bytes: version, i32 degrees left before the nearest slowdown. */
  int nvmlDeviceGetMarginTemperature(Pointer device, Pointer margin);

  /** 0 shutdown, 1 slowdown, 2 memory, 3 GPU. */
  int nvmlDeviceGetTemperatureThreshold(Pointer device, int threshold, Pointer celsius);

  /** u32 MHz; type 1 is the SM clock, 2 the memory clock, 3 the video clock. */
  int nvmlDeviceGetClockInfo(Pointer device, int type, Pointer megahertz);

  int nvmlDeviceGetMaxClockInfo(Pointer device, int type, Pointer megahertz);

  /** u64 bit mask. */
  int nvmlDeviceGetCurrentClocksEventReasons(Pointer device, Pointer mask);

  /** The older name of {@link #nvmlDeviceGetCurrentClocksEventReasons}. */
  int nvmlDeviceGetCurrentClocksThrottleReasons(Pointer device, Pointer mask);

  int nvmlDeviceGetPerformanceState(Pointer device, Pointer state);

  int nvmlDeviceGetFanSpeed(Pointer device, Pointer percent);

  int nvmlDeviceGetPcieReplayCounter(Pointer device, Pointer count);

  int nvmlDeviceGetCurrPcieLinkGeneration(Pointer device, Pointer generation);

  int nvmlDeviceGetCurrPcieLinkWidth(Pointer device, Pointer lanes);

  int nvmlDeviceGetMaxPcieLinkGeneration(Pointer device, Pointer generation);

  int nvmlDeviceGetMaxPcieLinkWidth(Pointer device, Pointer lanes);

  int nvmlDeviceGetMinorNumber(Pointer device, Pointer minor);

  int nvmlDeviceGetPersistenceMode(Pointer device, Pointer mode);

  int nvmlDeviceGetEccMode(Pointer device, Pointer current, Pointer pending);

  int nvmlDeviceGetMemoryErrorCounter(
      Pointer device, int error, int counter, int location, Pointer count);

  /** 104 bytes; whether the threshold is exceeded is the u32 at 96. */
  int nvmlDeviceGetSramEccErrorStatus(Pointer device, Pointer status);

  /** Five u32: banks with max, high, partial, low, none of their spare rows. */
  int nvmlDeviceGetRowRemapperHistogram(Pointer device, Pointer banks);

  /**
   * 36 bytes (v2) or 40 (v3): UUID of the cluster, 16 bytes at 4, status i32 at 20, clique u32 at
   * 24, state u8 at 28, health mask u32 at 32, summary u8 at 36.
   */
  int nvmlDeviceGetGpuFabricInfoV(Pointer device, Pointer fabric);

  /**
   * As {@code V}, of drivers before R550, 28 bytes: UUID of the cluster at 0, status i32 at 16,
   * clique u32 at 20, state u8 at 24.
   */
  int nvmlDeviceGetGpuFabricInfo(Pointer device, Pointer fabric);

  /** Entries of 40 bytes, see {@link FieldValues}. */
  int nvmlDeviceGetFieldValues(Pointer device, int count, Pointer values);

  /** The count before and after, and entries of 24 bytes. */
  int nvmlDeviceGetComputeRunningProcesses_v3(Pointer device, Pointer count, Pointer processes);

  /** As {@code _v3}, of drivers before R510. */
  int nvmlDeviceGetComputeRunningProcesses_v2(Pointer device, Pointer count, Pointer processes);

  int nvmlDeviceGetGraphicsRunningProcesses_v3(Pointer device, Pointer count, Pointer processes);

  int nvmlDeviceGetGraphicsRunningProcesses_v2(Pointer device, Pointer count, Pointer processes);

  int nvmlDeviceGetMPSComputeRunningProcesses_v3(Pointer device, Pointer count, Pointer processes);

  int nvmlDeviceGetMPSComputeRunningProcesses_v2(Pointer device, Pointer count, Pointer processes);

  /** 24 bytes: version, mode, count, pointer to entries. */
  int nvmlDeviceGetRunningProcessDetailList(Pointer device, Pointer list);

  /** 16 bytes: protected and unprotected memory, u64 KiB. */
  int nvmlDeviceGetConfComputeMemSizeInfo(Pointer device, Pointer sizes);

  /** Entries of 32 bytes: pid u32, time u64 in microseconds at 8, from 16 u32 percent of SMs. */
  int nvmlDeviceGetProcessUtilization(Pointer device, Pointer samples, Pointer count, long after);

  int nvmlDeviceGetMigMode(Pointer device, Pointer current, Pointer pending);

  int nvmlDeviceGetMaxMigDeviceCount(Pointer device, Pointer count);

  int nvmlDeviceGetMigDeviceHandleByIndex(Pointer device, int index, Pointer instance);

  int nvmlDeviceGetGpuInstanceId(Pointer instance, Pointer id);

  int nvmlDeviceGetComputeInstanceId(Pointer instance, Pointer id);

  /** 40 bytes: OFA engines u32 at 20, slices of the GPU instance u32 at 24, MB u64 at 32. */
  int nvmlDeviceGetAttributes_v2(Pointer instance, Pointer attributes);

  /** 8 bytes: version 1, whether it is supported. */
  int nvmlGpmQueryDeviceSupport(Pointer device, Pointer support);

  int nvmlGpmSampleAlloc(Pointer sample);

  int nvmlGpmSampleFree(Pointer sample);

  int nvmlGpmSampleGet(Pointer device, Pointer sample);

  int nvmlGpmMigSampleGet(Pointer device, int gpuInstance, Pointer sample);

  int nvmlGpmMetricsGet(Pointer metrics);

  int nvmlEventSetCreate(Pointer set);

  int nvmlEventSetFree(Pointer set);

  int nvmlDeviceGetSupportedEventTypes(Pointer device, Pointer mask);

  int nvmlDeviceRegisterEvents(Pointer device, long mask, Pointer set);

  /** 32 bytes: device, u64 type, u64 data, u32 GPU instance, u32 compute instance. */
  int nvmlEventSetWait_v2(Pointer set, Pointer data, int millis);
}
