package io.fleetgauge.query.inventory;

import java.util.OptionalInt;

/**
 * A host that should be there, as a file or a scheduler says.
 *
 * @param gpus how many GPUs it has, if that is said
 * @param links how many active NVLinks each of them has, if that is said
 * @param domain name of its NVLink domain; empty if it is not said
 * @param rack empty if it is not said
 */
public record PlannedHost(
    String name, OptionalInt gpus, OptionalInt links, String domain, String rack) {
  /** A host of which nothing else is said. */
  static PlannedHost of(String name) {
    return new PlannedHost(name, OptionalInt.empty(), OptionalInt.empty(), "", "");
  }
}
