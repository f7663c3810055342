package io.fleetgauge.load.nodes.driver;

/**
 * A fault for a while.
 *
 * @param host number of the node
 * @param gpu of the node; {@link #ALL} for all of them, and for the node itself
 * @param part number of an NVLink or of a port; 0 for faults without one
 * @param amount how bad it is; what it counts depends on the fault
 * @param from ms since the epoch
 * @param to ms since the epoch; the fault has ended then
 */
public record Incident(
    Fault fault, int host, int gpu, int part, double amount, long from, long to) {
  public static final int ALL = -1;

  /** With an amount that such faults often have. */
  public Incident(Fault fault, int host, int gpu, long from, long to) {
    this(fault, host, gpu, 0, fault.usualAmount(), from, to);
  }

  /** Tells whether a GPU of a node has it at a time. */
  public boolean isOf(int ofHost, int ofGpu, long time) {
    return host == ofHost && (gpu == ALL || gpu == ofGpu) && isAt(time);
  }

  public boolean isAt(long time) {
    return time >= from && time < to;
  }
}
