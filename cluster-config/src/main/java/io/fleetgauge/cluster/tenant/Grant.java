package io.fleetgauge.cluster.tenant;

import io.fleetgauge.cluster.config.TenantLimits;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What somebody may do.
 *
 * @param tenant its name; several are joined by |
 * @param tenants what the file says of them; empty where all is open
 * @param limits what it may use
 */
public record Grant(
    String tenant, List<TenantSettings> tenants, TenantLimits limits, Set<Right> rights) {
  /** The name of whoever does not say who it is, where all is open. */
  public static final String ANONYMOUS = "anonymous";

  /** The scopes of its tenants: it sees what matches one of them. */
  public List<String> scopes() {
    return tenants.stream().map(TenantSettings::scope).distinct().toList();
  }

  public boolean may(Right right) {
    return rights.contains(right);
  }

  /** Labels of every series that it sends; they are checked, or put on when it stamps. */
  public Map<String, String> writeLabels() {
    return tenants.size() == 1 ? tenants.getFirst().writeLabels() : Map.of();
  }

  public boolean stamps() {
    return tenants.size() == 1 && tenants.getFirst().stamps();
  }
}
