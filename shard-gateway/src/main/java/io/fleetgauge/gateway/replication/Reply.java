package io.fleetgauge.gateway.replication;

/** What a copy answers to what an owner sends. */
public enum Reply {
  /** It has it, and all that was acknowledged before. */
  WHOLE,
  /** It has it, and is still fetching what was before. */
  KEPT,
  /** The session is not one that it knows the beginning of: begin another. */
  BROKEN,
  /** By a newer table than the sender's it is no copy of the sender's. */
  STRANGER,
  /** It cannot tell yet, or has no room now: send it again soon. */
  LATER,
  /** There was no answer. */
  FAILED
}
