package io.fleetgauge.load.nodes.driver;

/**
 * What a GPU does at a time. Without a job all but the clock are 0, and its memory is refreshed.
 *
 * @param held whether a process holds the GPU
 * @param busy share of time in which a kernel runs, 0 to 1
 * @param active share of the multiprocessors' time with work
 * @param tensor share of the tensor cores' time
 * @param dram share of the memory's bandwidth
 * @param power part of what the board can draw above its idle power, 0 to 1
 * @param clock part of the highest clock, 1 for all of it
 * @param memory share of the memory that is used
 * @param links part of what its NVLinks carry under full load
 * @param pcie bytes/s from the host
 */
public record Work(
    boolean held,
    double busy,
    double active,
    double tensor,
    double dram,
    double power,
    double clock,
    double memory,
    double links,
    double pcie) {
  public static final Work NONE = new Work(false, 0, 0, 0, 3.8e-6, 0, 1, 0, 0, 0);

  /** A process holds the GPU and computes nothing: 122 W of an H200, and 79 W without it. */
  public static Work idle(double memory) {
    return new Work(true, 0, 0, 0, 5e-6, 0.07, 1, memory, 0, 0);
  }

  /**
   * Waits on the GPU for other GPUs: a kernel that does nothing else but poll a flag in the host's
   * memory, as NCCL 2.28 does on an H200.
   */
  public static Work waiting(double power, double memory) {
    return new Work(true, 1, 0.0142, 0, 4.4e-6, power, 1, memory, 0, 6.7e7);
  }

  /**
   * The same work at another pace: the GPU waits for the rest of the time.
   *
   * @param pace 0 to 1
   */
  public Work slowed(double pace, double newPower, double newClock) {
    return new Work(
        held,
        busy,
        active * pace,
        tensor * pace,
        dram * pace,
        power * newPower,
        clock * newClock,
        memory,
        links * pace,
        pcie * pace);
  }

  public Work withBusy(double newBusy) {
    return new Work(held, newBusy, active, tensor, dram, power, clock, memory, links, pcie);
  }

  public Work withMemory(double newMemory) {
    return new Work(held, busy, active, tensor, dram, power, clock, newMemory, links, pcie);
  }
}
