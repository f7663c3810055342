package io.fleetgauge.probe.xid;

/** Takes critical errors of GPUs as they happen, on the threads that learn of them. */
@FunctionalInterface
public interface XidListener {
  /**
   * Must not wait.
   *
   * @param address of the GPU, as NVML writes it: 00000000:3B:00.0
   * @param time ms since the epoch
   */
  void happened(String address, int code, long time);
}
