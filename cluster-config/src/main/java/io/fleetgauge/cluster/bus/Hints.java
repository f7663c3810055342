package io.fleetgauge.cluster.bus;

import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.runtime.http.Guard;

/**
 * Exchanges hints with the other members: when one learns of a newer table or a changed tenants
 * file, the others look now instead of at their next turn.
 */
final class Hints {
  private Hints() {}

  /** Begins to send hints, and to follow those of others. */
  static void exchange(ClusterBus bus, ClusterMember member, Guard guard) {
    bus.onTableChanged(
        epoch -> {
          if (epoch != member.view().table().epoch()) {
            member.look();
          }
        });
    member.onChange(view -> bus.tableChanged(view.table().epoch()));
    bus.onTenantsChanged(guard::look);
    guard.onTenantsChange(bus::tenantsChanged);
  }
}
