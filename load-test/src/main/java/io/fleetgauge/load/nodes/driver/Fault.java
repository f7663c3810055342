package io.fleetgauge.load.nodes.driver;

/** Faults of a GPU or its node, and the XID that the driver reports; 0 for none. */
public enum Fault {
  /** The GPU has fallen off the bus. */
  LOST(79),
  /** A call of the driver does not return. */
  HUNG_DRIVER(0),
  /** Calls for one GPU take longer than a second. */
  SLOW_DRIVER(0),
  /** The probe of the node sends nothing. */
  SILENT(0),
  /** Kernels of the job access memory that they do not have. */
  PAGE_FAULTS(31),
  /** Every job on this GPU fails, whichever it is. */
  EXCEPTIONS(13),
  /** The GPU's system processor does not answer. */
  GSP_TIMEOUT(119),
  /** The driver asks for a reset of the GPU. */
  RESET_NEEDED(154),
  /** Memory errors that cannot be corrected. */
  UNCORRECTABLE(48),
  /** Memory errors that are corrected, several a second. */
  CORRECTABLE(0),
  /** A memory row could not be replaced. */
  REMAP_FAILED(64),
  /** A memory row is replaced at the next reset. */
  REMAP_PENDING(63),
  /** Few spare memory rows are left. */
  REMAP_LOW(0),
  /** The hardware slows the GPU down because it is too hot. */
  THERMAL_SLOWDOWN(0),
  /** The driver slows the GPU down because it is too hot. */
  SOFTWARE_THERMAL(0),
  /** The power supply asks for less. */
  POWER_BRAKE(0),
  /** The die is near its limit. */
  HOT(0),
  /** The memory is near its limit. */
  MEMORY_HOT(0),
  /** The PCIe link has half of its lanes. */
  NARROW_LINK(0),
  /** PCIe packets are sent again. */
  REPLAYS(0),
  /** Errors on NVLinks. */
  LINK_ERRORS(74),
  /** The GPU does not become part of the fabric. */
  FABRIC(0),
  /** Kernels wait for each other for ever. */
  HANG(0),
  /** Memory of a process that ended is not given back. */
  MEMORY_HELD(0),
  /** A job holds the GPU and does nothing. */
  IDLE_ALLOCATION(0),
  /** The GPU is slower than the others of its job. */
  STRAGGLER(0),
  /** The GPU holds far less data than the others of its job. */
  UNEVEN_MEMORY(0);

  private final int xid;

  Fault(int xid) {
    this.xid = xid;
  }

  public int xid() {
    return xid;
  }
}
