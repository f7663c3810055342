package io.fleetgauge.query.faults.reading;

import java.util.List;

/** What a reading is of, and the labels that tell two of a host apart. */
public enum Entity {
  HOST(List.of()),
  GPU(List.of("UUID")),
  /** An NVLink of a GPU. */
  LINK(List.of("UUID", "nvlink")),
  /** A code of an XID that a GPU reported. */
  CODE(List.of("UUID", "xid")),
  /** A rank of a communicator of NCCL: a GPU takes part in several of them. */
  RANK(List.of("UUID", "communicator")),
  /** A port of a network adapter. */
  PORT(List.of("device", "port"));

  private final List<String> key;

  Entity(List<String> key) {
    this.key = key;
  }

  List<String> key() {
    return key;
  }

  /** Returns true if it belongs to a GPU. */
  boolean isOfGpu() {
    return key.contains("UUID");
  }
}
