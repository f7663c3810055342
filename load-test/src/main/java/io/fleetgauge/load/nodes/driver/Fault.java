package io.fleetgauge.load.nodes.driver;

import static io.fleetgauge.sample.gpu.FaultKind.DRIVER_HANG;
import static io.fleetgauge.sample.gpu.FaultKind.DRIVER_SLOW;
import static io.fleetgauge.sample.gpu.FaultKind.ECC_UNCORRECTED;
import static io.fleetgauge.sample.gpu.FaultKind.GPU_MISSING;
import static io.fleetgauge.sample.gpu.FaultKind.HOT;
import static io.fleetgauge.sample.gpu.FaultKind.IDLE_ALLOCATION;
import static io.fleetgauge.sample.gpu.FaultKind.NIC_ERRORS;
import static io.fleetgauge.sample.gpu.FaultKind.NIC_SLOW;
import static io.fleetgauge.sample.gpu.FaultKind.NVLINK_ERRORS;
import static io.fleetgauge.sample.gpu.FaultKind.NVLINK_TREND;
import static io.fleetgauge.sample.gpu.FaultKind.STRAGGLER;
import static io.fleetgauge.sample.gpu.FaultKind.UTILISATION_DROP;
import static io.fleetgauge.sample.gpu.FaultKind.XID;
import static io.fleetgauge.sample.gpu.FaultKind.XID_APPLICATION;

import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Faults that can be played: the XID that the driver reports (0 for none), what should be told of
 * it, and what may be told besides.
 */
public enum Fault {
  // --- of a node ---
  /** The probe of the node sends nothing. */
  SILENT(0, FaultKind.HOST_SILENT, ""),
  /** A call of the driver does not return. */
  HUNG_DRIVER(0, DRIVER_HANG, "", DRIVER_SLOW),
  /** Calls for one GPU take longer than a second. */
  SLOW_DRIVER(0, DRIVER_SLOW, "", DRIVER_HANG),
  /** A port of a network adapter is down. */
  PORT_DOWN(0, FaultKind.NIC_DOWN, ""),
  /** A port counts symbol errors and recoveries; the amount is errors a second. */
  PORT_ERRORS(0, FaultKind.NIC_ERRORS, ""),
  /** A port restarts its sending; the amount is restarts a second. */
  PORT_SLOW(0, NIC_SLOW, ""),

  // --- of a GPU ---
  /** The GPU has fallen off the bus. */
  LOST(79, FaultKind.GPU_LOST, "", GPU_MISSING),
  /** The same, and no code is reported. */
  LOST_SILENTLY(0, FaultKind.GPU_LOST, "", GPU_MISSING),
  /** Kernels of the job access memory that they do not have. */
  PAGE_FAULTS(31, XID_APPLICATION, "31"),
  /** Every job on this GPU fails, whichever it is. */
  EXCEPTIONS(13, XID_APPLICATION, "13"),
  /** A memory error that hits one job only. */
  CONTAINED(94, XID, "94", ECC_UNCORRECTED),
  /** A memory error that hits all jobs. */
  UNCONTAINED(95, XID, "95", ECC_UNCORRECTED),
  /** A context switch takes too long. */
  SWITCH_TIMEOUT(109, XID, "109"),
  /** The GPU's system processor does not answer. */
  GSP_TIMEOUT(119, XID, "119"),
  /** The driver asks for a reset of the GPU. */
  RESET_NEEDED(154, FaultKind.RECOVERY_ACTION, ""),
  /** Memory errors that cannot be corrected. */
  UNCORRECTABLE(48, ECC_UNCORRECTED, ""),
  /** Memory errors that are corrected; the amount is errors a second. */
  CORRECTABLE(0, FaultKind.ECC_STORM, ""),
  /** A memory row could not be replaced. */
  REMAP_FAILED(64, FaultKind.ROW_REMAP_FAILED, ""),
  /** A memory row is replaced at the next reset. */
  REMAP_PENDING(63, FaultKind.ROW_REMAP_PENDING, ""),
  /** Few spare memory rows are left. */
  REMAP_LOW(0, FaultKind.ROW_SPARE_LOW, ""),
  /** The hardware slows the GPU down because it is too hot. */
  THERMAL_SLOWDOWN(0, FaultKind.THERMAL_SLOWDOWN, "", HOT, STRAGGLER),
  /** The driver slows the GPU down because it is too hot. */
  SOFTWARE_THERMAL(0, FaultKind.THERMAL_SOFTWARE, "", HOT),
  /** The power supply asks for less. */
  POWER_BRAKE(0, FaultKind.POWER_BRAKE, "", STRAGGLER),
  /** The die is near its limit. */
  HOT_DIE(0, HOT, ""),
  /** The memory is near its limit. */
  HOT_MEMORY(0, FaultKind.MEMORY_HOT, ""),
  /** The board says that it draws more than it can. */
  WRONG_POWER(0, FaultKind.POWER_RANGE, ""),
  /** The GPU stays in a performance state for idleness. */
  STUCK_STATE(0, FaultKind.PSTATE_STUCK, "", STRAGGLER),
  /** The PCIe link has half of its lanes. */
  NARROW_LINK(0, FaultKind.PCIE_NARROW, ""),
  /** The PCIe link has the speed of the first generation. */
  SLOW_PCIE(0, FaultKind.PCIE_SLOW, ""),
  /** PCIe packets are sent again. */
  REPLAYS(0, FaultKind.PCIE_REPLAYS, ""),
  /** Errors on an NVLink. */
  LINK_ERRORS(74, NVLINK_ERRORS, ""),
  /** An NVLink recovers more often from day to day; the amount is the growth in a day. */
  LINK_TREND(0, NVLINK_TREND, "", NVLINK_ERRORS),
  /** An NVLink is down. */
  LINK_DOWN(74, FaultKind.NVLINK_DOWN, "", NVLINK_ERRORS, NVLINK_TREND),
  /** The GPU does not become part of the fabric; the amount is the condition that is not met. */
  FABRIC(0, FaultKind.FABRIC, ""),
  /** Memory of a process that ended is not given back. */
  MEMORY_HELD(0, FaultKind.MEMORY_UNOWNED, ""),
  /** A process takes more and more memory; the amount is MiB an hour. */
  MEMORY_LEAK(0, FaultKind.MEMORY_LEAK, ""),
  /** A job holds the GPU and does nothing. */
  IDLE(0, IDLE_ALLOCATION, "", UTILISATION_DROP, STRAGGLER),

  // --- of a job ---
  /** Kernels of all GPUs of a job wait for each other for ever. */
  HANG(0, FaultKind.HANG, "symmetric"),
  /** A kernel on one GPU does not end, and the others wait. */
  KERNEL_HANG(0, FaultKind.HANG, "kernel", UTILISATION_DROP),
  /** A rank has not begun the operation for which the others wait. */
  COLLECTIVE_HANG(0, FaultKind.HANG, "collective", UTILISATION_DROP),
  /** A rank gets no data from its loader, and the others wait. */
  LOADER_STALL(0, FaultKind.HANG, "data_loader", UTILISATION_DROP),
  /** The processes of a node wait for storage, and the others wait for them. */
  STORAGE_STALL(0, FaultKind.HANG, "storage", UTILISATION_DROP),
  /** The GPU has a lower clock than the others of its job; the amount is the part that lacks. */
  STRAGGLER_CLOCK(0, STRAGGLER, "clock"),
  /** Its NVLinks have errors and are slower. */
  STRAGGLER_LINK(0, STRAGGLER, "link", NVLINK_ERRORS),
  /** The CPUs of its node have no time for its job. */
  STRAGGLER_HOST(0, STRAGGLER, "host_cpu", UTILISATION_DROP),
  /** The network of its node is slower. */
  STRAGGLER_NETWORK(0, STRAGGLER, "nic", NIC_SLOW, NIC_ERRORS),
  /** The GPU has far less to do than it had; the amount is the part that lacks. */
  DROP(0, UTILISATION_DROP, "", STRAGGLER),
  /** The driver has been loaded again when it begins: it counts energy from 0. */
  DRIVER_LOADED(0, null, ""),
  /** The job has ended because of another fault. */
  ENDED(0, null, ""),
  /** The GPU holds far less data than the others of its job. */
  UNEVEN_MEMORY(0, null, "");

  private static final Set<Fault> OF_NODE =
      Set.of(SILENT, HUNG_DRIVER, PORT_DOWN, PORT_ERRORS, PORT_SLOW);
  private static final Set<Fault> OF_ALL_GPUS =
      Set.of(HANG, STORAGE_STALL, STRAGGLER_HOST, STRAGGLER_NETWORK, ENDED);

  private final int xid;
  private final FaultKind kind;
  private final String cause;
  private final List<FaultKind> companions;

  Fault(int xid, FaultKind kind, String cause, FaultKind... companions) {
    this.xid = xid;
    this.kind = kind;
    this.cause = cause;
    List<FaultKind> all = new ArrayList<>(List.of(companions));
    if (xid > 0 && kind != XID && kind != XID_APPLICATION) {
      all.add(XID);
    }
    this.companions = List.copyOf(all);
  }

  public int xid() {
    return xid;
  }

  /** The kind that should be told. */
  public Optional<FaultKind> kind() {
    return Optional.ofNullable(kind);
  }

  public String cause() {
    return cause;
  }

  /** Kinds whose signs it has too: they may be told. */
  public List<FaultKind> companions() {
    return companions;
  }

  /** Tells whether it is of a whole node or of all its GPUs. */
  public boolean isOfNode() {
    return OF_NODE.contains(this) || OF_ALL_GPUS.contains(this);
  }

  /** The amount that such faults often have. */
  public double usualAmount() {
    return switch (this) {
      case STRAGGLER_CLOCK -> 0.32;
      case STRAGGLER_LINK, STRAGGLER_HOST, STRAGGLER_NETWORK -> 0.25;
      case CORRECTABLE -> 3;
      case PORT_ERRORS -> 0.2;
      case PORT_SLOW -> 40;
      case LINK_TREND -> 2;
      case MEMORY_LEAK -> 2_000;
      case DROP -> 0.8;
      default -> 1;
    };
  }
}
