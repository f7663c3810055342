package io.fleetgauge.query.admission;

/** Who asks: each lane has places of its own, so that none keeps the other waiting. */
public enum QueryLane {
  /** Whoever waits for an answer. */
  QUERIES,
  /** Rules, which are evaluated whether or not anybody looks. */
  RULES,
  /** The evaluation of faults, which reads the samples of all hosts at each step. */
  FAULTS
}
