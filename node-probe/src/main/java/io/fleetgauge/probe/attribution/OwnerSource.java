package io.fleetgauge.probe.attribution;

import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import java.util.List;
import java.util.OptionalLong;

/** One way to find out who owns GPUs. Safe for all threads. */
public interface OwnerSource {
  /** Names it in metrics and logs; it never changes. */
  String name();

  Basis basis();

  /** All that it knows now. Never waits: a source reads on a thread and at a pace of its own. */
  Knowledge newest();

  /** Tells whether the node has it at all; without it there are no series of it. */
  default boolean isThere() {
    return true;
  }

  /** Adds series that only this source has. Never waits. */
  default void addTo(Readings out, TickClass core) {}

  /**
   * The knowledge of a source.
   *
   * @param claims of all GPUs that it knows an owner of; those that it does not name are free, as
   *     far as it knows
   * @param isUp whether it knows anything now; without it there are no claims
   * @param ageMillis time since it last read; empty before it did
   * @param errors how often it could not read
   * @param unresolved claims of devices that are no GPUs of this node
   */
  record Knowledge(
      List<Claim> claims, boolean isUp, OptionalLong ageMillis, long errors, long unresolved) {
    public Knowledge {
      claims = List.copyOf(claims);
    }

    /** It has not read yet, or what it read is too old. */
    public static Knowledge unknown(OptionalLong ageMillis, long errors) {
      return new Knowledge(List.of(), false, ageMillis, errors, 0);
    }
  }
}
