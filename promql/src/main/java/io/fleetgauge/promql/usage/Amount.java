package io.fleetgauge.promql.usage;

import java.util.EnumSet;
import java.util.Set;

/** What is summed up of a device, in whole numbers. */
public enum Amount {
  /** Allocated time, millionths of a device times ms. */
  BUSY,
  /** Allocated, little activity at high power. */
  EXECUTION_IDLE,
  /** Allocated, little activity at low power. */
  IDLE,
  /** Allocated, and its activity is not known. */
  UNKNOWN,
  /** Energy that the energy counter has counted, mJ. */
  ENERGY,
  /**
   * Energy that is an estimate, mW times ms (which is a thousandth of a mJ): the integral of power
   * where the counter is missing, and an owner's part of a GPU that several share.
   */
  ENERGY_ESTIMATED,
  /**
   * Memory, bytes times ms; and for how long it was known, millionths of a device times ms, which
   * its owners share as they share the allocated time.
   */
  MEMORY,
  MEMORY_TIME,
  /** Activities, millionths times ms; and for how long each was known, as for memory. */
  ACTIVITY,
  ACTIVITY_TIME,
  SM,
  SM_TIME,
  TENSOR,
  TENSOR_TIME,
  DRAM,
  DRAM_TIME,
  /** Bytes over NVLink, both directions. */
  NVLINK,
  /** Bytes over PCIe, both directions. */
  PCIE,
  /** CPU time of the owner's processes, ms. */
  CPU,
  /** Bytes that the owner's processes read and wrote. */
  IO,
  /** Memory of the host, bytes times ms; and for how long it was known, millionths times ms. */
  HOST_MEMORY,
  HOST_MEMORY_TIME;

  /** Those that are counted: they may be known and zero. */
  private static final Set<Amount> COUNTED =
      EnumSet.of(ENERGY, ENERGY_ESTIMATED, NVLINK, PCIE, CPU, IO);

  /** All that are counted, as bits. */
  static final int ALL_COUNTED = COUNTED.stream().mapToInt(Amount::bit).sum();

  /** The bit of it in a set of amounts. */
  public int bit() {
    return 1 << ordinal();
  }
}
