package io.fleetgauge.load.nodes;

import io.fleetgauge.sample.gpu.FaultKind;
import java.time.Duration;
import java.util.Optional;

/**
 * Says which trace is wanted.
 *
 * @param hosts number of nodes
 * @param length of the trace
 * @param faults which faults it has
 */
public record TraceSpec(long seed, int hosts, Duration length, Faults faults) {
  /**
   * The faults of a trace.
   *
   * @param kind the only kind; empty for the mix of the Llama 3 report
   * @param factor on the rate of one fault for 50,700 GPU-hours; 0 for none at all. A single kind
   *     is there several times, whatever the factor
   */
  public record Faults(Optional<FaultKind> kind, double factor) {
    public static final Faults NONE = new Faults(Optional.empty(), 0);
  }

  /** A trace without any fault, of jobs of all kinds. */
  public static TraceSpec healthy(long seed, int hosts, Duration length) {
    return new TraceSpec(seed, hosts, length, Faults.NONE);
  }

  /** A trace with faults of one kind. */
  public static TraceSpec of(long seed, int hosts, Duration length, FaultKind kind) {
    return new TraceSpec(seed, hosts, length, new Faults(Optional.of(kind), 1));
  }

  /**
   * A trace with faults of all kinds.
   *
   * @param factor on the rate of one fault for 50,700 GPU-hours
   */
  public static TraceSpec mix(long seed, int hosts, Duration length, double factor) {
    return new TraceSpec(seed, hosts, length, new Faults(Optional.empty(), factor));
  }
}
