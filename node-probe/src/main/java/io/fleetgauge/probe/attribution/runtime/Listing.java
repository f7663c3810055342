package io.fleetgauge.probe.attribution.runtime;

import java.util.HashMap;
import java.util.Map;

/** The answer of a runtime: names by the id of their container. Not for several threads. */
final class Listing {
  private final Map<String, ContainerName> names = new HashMap<>();
  private int lost;
  private String first = "";

  void add(String id, ContainerName name) {
    names.put(id, name);
  }

  /** An entry cannot be read, which costs no other. */
  void lose(String why) {
    first = lost++ == 0 ? why : first;
  }

  Map<String, ContainerName> names() {
    return names;
  }

  /** The number of entries that could not be read. */
  int lost() {
    return lost;
  }

  /** Why the first of them could not; empty if all could. */
  String first() {
    return first;
  }
}
