package io.fleetgauge.cluster.tenant;

import io.fleetgauge.cluster.config.TenantLimits;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the sender of a request may do.
 *
 * @param tenant the tenant's name; several names are joined by |
 * @param tenants their settings; empty without a tenants file
 * @param limits what it may use
 */
public record Grant(
    String tenant, List<TenantSettings> tenants, TenantLimits limits, Set<Right> rights) {
  /** The tenant of a request that names none, where there is no tenants file. */
  public static final String ANONYMOUS = "anonymous";

  /** The scopes of the tenants: a series is visible when it matches one of them. */
  public List<String> scopes() {
    return tenants.stream().map(TenantSettings::scope).distinct().toList();
  }

  public boolean may(Right right) {
    return rights.contains(right);
  }

  /** Labels that every sent series must have, or gets when {@link #stamps} is true. */
  public Map<String, String> writeLabels() {
    return tenants.size() == 1 ? tenants.getFirst().writeLabels() : Map.of();
  }

  public boolean stamps() {
    return tenants.size() == 1 && tenants.getFirst().stamps();
  }
}
