package io.fleetgauge.probe.attribution;

import java.util.Locale;

/** The basis of a source. The first wins over the second, and the second over the third. */
public enum Basis {
  /** The record of a scheduler. */
  ALLOCATION,
  /** The processes that use a GPU. */
  PROCESS,
  /** The configuration of the node. */
  CONFIGURATION;

  /** As labels of series name it. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
