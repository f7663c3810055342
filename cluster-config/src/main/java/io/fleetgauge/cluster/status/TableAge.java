package io.fleetgauge.cluster.status;

import io.fleetgauge.cluster.table.ClusterView;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** Since when this process knows the table that it knows. Safe for all threads. */
public final class TableAge {
  private final LongSupplier clock;
  private long generation;
  private long epoch;
  private OptionalLong since = OptionalLong.empty();

  /**
   * @param clock ms since the epoch
   */
  public TableAge(LongSupplier clock) {
    this.clock = clock;
  }

  /** Takes notice of the newest view. */
  public synchronized void look(ClusterView view) {
    boolean isNew = view.table().generation() != generation || view.table().epoch() != epoch;
    if (view.table().generation() != 0 && (isNew || since.isEmpty())) {
      generation = view.table().generation();
      epoch = view.table().epoch();
      since = OptionalLong.of(clock.getAsLong());
    }
  }

  /** When the table that is known now came, ms since the epoch; empty while none is known. */
  public synchronized OptionalLong since() {
    return since;
  }
}
