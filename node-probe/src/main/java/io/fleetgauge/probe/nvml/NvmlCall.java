package io.fleetgauge.probe.nvml;

import java.util.Locale;

/** The driver's calls by name, as they are counted. Some structures begin with a version. */
public enum NvmlCall {
  INIT,
  SHUTDOWN,
  COUNT,
  HANDLE,
  DRIVER_VERSION,
  NVML_VERSION,
  CUDA_VERSION,
  UUID,
  MINOR,
  NAME,
  SERIAL,
  VBIOS,
  PART_NUMBER,
  ARCHITECTURE,
  PCI,
  FIELDS,
  UTILIZATION,
  ENCODER,
  DECODER,
  JPG,
  OFA,
  MEMORY_V2(0x02000028),
  MEMORY,
  BAR1,
  TEMPERATURE_V(0x0100000C),
  TEMPERATURE,
  MARGIN(0x01000008),
  THRESHOLD,
  CLOCK,
  MAX_CLOCK,
  EVENT_REASONS,
  THROTTLE_REASONS,
  POWER,
  POWER_LIMIT_ENFORCED,
  POWER_LIMIT,
  POWER_LIMIT_DEFAULT,
  POWER_LIMIT_RANGE,
  ENERGY,
  PSTATE,
  FAN,
  PCIE_REPLAYS,
  PCIE_GENERATION,
  PCIE_WIDTH,
  PCIE_MAX_GENERATION,
  PCIE_MAX_WIDTH,
  PERSISTENCE,
  ECC_MODE,
  ECC_MEMORY,
  ECC_SRAM(0x01000068),
  ROW_REMAP_BANKS,
  FABRIC(0x03000028),
  FABRIC_V2(0x02000024),
  FABRIC_V1,
  COMPUTE_PROCESSES,
  COMPUTE_PROCESSES_V2,
  GRAPHICS_PROCESSES,
  GRAPHICS_PROCESSES_V2,
  MPS_PROCESSES,
  MPS_PROCESSES_V2,
  PROCESS_DETAILS(0x01000018),
  PROTECTED_MEMORY,
  PROCESS_UTILIZATION,
  MIG_MODE,
  MIG_COUNT,
  MIG_HANDLE,
  GPU_INSTANCE,
  COMPUTE_INSTANCE,
  ATTRIBUTES,
  GPM_SUPPORT(1),
  GPM_ALLOC,
  GPM_FREE,
  GPM_SAMPLE,
  GPM_MIG_SAMPLE,
  GPM_METRICS(1),
  EVENT_SET,
  EVENT_SET_FREE,
  EVENT_TYPES,
  EVENT_REGISTER,
  EVENT_WAIT;

  /** The version in front of the call's structure; 0 for none. */
  final int version;

  private final String label = name().toLowerCase(Locale.ROOT);

  NvmlCall() {
    this(0);
  }

  NvmlCall(int version) {
    this.version = version;
  }

  /** As labels of series name the call. */
  public String label() {
    return label;
  }
}
