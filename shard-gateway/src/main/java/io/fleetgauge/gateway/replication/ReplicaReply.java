package io.fleetgauge.gateway.replication;

/** The answer of a replica to its owner. */
public enum ReplicaReply {
  /** It has the bodies and everything that was acknowledged before. */
  WHOLE,
  /** It has the bodies and is still fetching what is older. */
  KEPT,
  /** It does not know the beginning of the session: a new one has to begin. */
  BROKEN,
  /** By a newer table than the sender's it has no copy of the sender's host. */
  STRANGER,
  /** It cannot decide yet, or is short of memory: the same request has to come again soon. */
  LATER,
  /** There was no answer. */
  FAILED
}
