package io.fleetgauge.probe.sampling;

import java.util.Set;

/** Reads one part of a node, such as its GPUs or its network devices. */
public interface Reader {
  /** Names it in logs, metrics and the configuration; it never changes. */
  String name();

  /** The classes of its series; they never change. */
  Set<TickClass> classes();

  /**
   * Tells that {@link #read} follows in this tick. All readers are told before any of them reads,
   * so that one that asks others can ask now. It must neither block nor fail.
   *
   * @param time of the tick, ms
   */
  default void begin(Set<TickClass> due, long time) {}

  /**
   * Reads the series of all classes that are due. A series of such a class that is not added has
   * ended. The call may block: the sampler waits for half a tick, throws away what comes later, and
   * does not call again before this call has returned. No two calls overlap, but each may come on
   * another thread.
   *
   * @throws NotYet if it is to be asked again at the next tick
   * @throws Exception if nothing can be said of the due classes: their series are then neither
   *     repeated nor ended
   */
  void read(Set<TickClass> due, Readings out) throws Exception;
}
