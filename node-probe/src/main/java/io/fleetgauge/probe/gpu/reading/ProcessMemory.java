package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlReturn;

/**
 * The memory that lists of processes are written to: their number, and entries from byte 8. It
 * grows with the longest list. Not for several threads.
 */
final class ProcessMemory {
  /** The longest entry that any driver writes. */
  static final int ENTRY = 32;

  static final int FIRST_ENTRY = 8;
  private static final int ROOM = 128;

  /** A longer list is counted and not read. */
  static final int MOST_ENTRIES = 8_192;

  private static final int ATTEMPTS = 3;

  private NativeMemory memory;
  private int entries = ROOM;

  /** A call that is given the room there is, and answers the number there are. */
  interface Call {
    int make(NativeMemory memory);
  }

  ProcessMemory(Nvml nvml) {
    memory = nvml.allocate(FIRST_ENTRY + ROOM * ENTRY);
  }

  NativeMemory memory() {
    return memory;
  }

  /** Tells whether so many entries can have been written. */
  boolean holds(long count) {
    return count <= entries;
  }

  /** Makes a call, again with more room where there was too little. */
  int ask(Nvml nvml, Call call) {
    int code = NvmlReturn.INSUFFICIENT_SIZE;
    for (int i = 0; i < ATTEMPTS; i++) {
      memory.put32(0, entries);
      code = call.make(memory);
      if (code != NvmlReturn.INSUFFICIENT_SIZE || !grow(nvml, memory.u32(0))) {
        return code;
      }
    }
    return code;
  }

  private boolean grow(Nvml nvml, long wanted) {
    if (wanted <= entries || wanted > MOST_ENTRIES) {
      return false;
    }
    // Others may begin before the next call.
    entries = (int) Math.min(MOST_ENTRIES, 2 * wanted);
    memory = nvml.allocate(FIRST_ENTRY + entries * ENTRY);
    return true;
  }
}
