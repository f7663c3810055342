package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.Fault;

/**
 * A fault for a while.
 *
 * @param host number of the node
 * @param gpu of the node; {@link #ALL} for all of them, and for the node itself
 * @param from ms since the epoch
 * @param to ms since the epoch; the fault has ended then
 */
public record Incident(Fault fault, int host, int gpu, long from, long to) {
  public static final int ALL = -1;

  boolean isOf(int ofHost, int ofGpu, long time) {
    return host == ofHost && (gpu == ALL || gpu == ofGpu) && time >= from && time < to;
  }
}
