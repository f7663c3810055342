package io.fleetgauge.probe.host.reading;

import java.io.IOException;

/** Reads one subject of the node. One thread reads. */
public interface Collector {
  /**
   * Adds one reading.
   *
   * @param files the same object at each reading
   * @throws MissingSource if the node does not have the subject
   * @throws IOException if it has it and it cannot be read
   */
  void read(NodeFiles files, CollectorReadings out) throws IOException;
}
