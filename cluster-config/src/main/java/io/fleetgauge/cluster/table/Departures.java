package io.fleetgauge.cluster.table;

import io.fleetgauge.cluster.table.Holders.Copy;
import io.fleetgauge.cluster.table.Holders.Stay;
import io.fleetgauge.cluster.table.Situation.Report;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which hosts leave the table. One leaves in two steps, so that no sample is taken in
 * between.
 *
 * <p>When the owner has no sample of it within retention, and all copies are equal to the owner's,
 * the host is {@link Stay#EXPIRING}: from then on its owner takes nothing in. When that owner says,
 * knowing this table, that it still has no sample, the host leaves. A sender or another gateway
 * that has a sample is told to come again; the owner then reports that the host is not idle, and it
 * is kept.
 *
 * <p>A host that an operator removes is {@link Stay#REMOVED} until its owner has no sample, and for
 * so long that every gateway has seen it and has removed what it has.
 */
final class Departures {
  private Departures() {}

  /**
   * The next {@link Holders#stay}.
   *
   * @param holders as they are after this report
   * @param report of the owner on this time; empty if nothing
   * @param isRemoved true if an operator wants the host removed
   * @param present the gateways that are there
   */
  static Stay next(
      Holders holders, Optional<Report> report, boolean isRemoved, Set<String> present) {
    if (isRemoved || holders.stay() == Stay.REMOVED) {
      return Stay.REMOVED;
    }
    boolean isIdle = report.map(Report::idle).orElse(holders.stay() == Stay.EXPIRING);
    return isIdle && isSettled(holders, present) ? Stay.EXPIRING : Stay.KEPT;
  }

  /** Returns true if nobody who is there may have what the owner lacks. */
  private static boolean isSettled(Holders holders, Set<String> present) {
    return holders.next().isEmpty()
        && holders.copies().stream().allMatch(Copy::synced)
        && holders.behind().stream()
            .noneMatch(each -> present.contains(each) && !each.equals(holders.owner()));
  }

  /**
   * Returns true if the host is not in the next table.
   *
   * @param holders as they were before
   * @param report of the owner on this time; empty if nothing
   * @param isRemovable as {@link Situation#removable}
   */
  static boolean leaves(Holders holders, Optional<Report> report, boolean isRemovable) {
    boolean isIdle = report.map(Report::idle).orElse(false);
    return switch (holders.stay()) {
      case KEPT -> false;
      case EXPIRING -> isIdle;
      case REMOVED -> isIdle && isRemovable;
    };
  }
}
