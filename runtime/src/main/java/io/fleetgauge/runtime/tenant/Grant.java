package io.fleetgauge.runtime.tenant;

import io.fleetgauge.runtime.config.TenantLimits;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The permissions of the sender of a request.
 *
 * @param tenant the tenant's name; several names are joined by |
 * @param tenants their settings; empty without a tenants file
 * @param limits what it may use
 * @param byProxy whether a trusted proxy named the tenants; a token did otherwise
 */
public record Grant(
    String tenant,
    List<TenantSettings> tenants,
    TenantLimits limits,
    Set<Permission> permissions,
    boolean byProxy) {
  /** The tenant of a request that names none, where there is no tenants file. */
  public static final String ANONYMOUS = "anonymous";

  /** The scopes of the tenants: a series is visible when it matches one of them. */
  public List<String> scopes() {
    return tenants.stream().map(TenantSettings::scope).distinct().toList();
  }

  /** The number of hosts that its samples may name; empty without a tenants file. */
  public Optional<HostLimits> hostLimits() {
    return tenants.stream().map(TenantSettings::hostLimits).reduce(HostLimits::least);
  }

  public boolean may(Permission permission) {
    return permissions.contains(permission);
  }

  /** Returns the error for a request that needs a permission that the sender lacks. */
  public String lacks(Permission permission) {
    String name = permission.name().toLowerCase(Locale.ROOT);
    if (!byProxy) {
      return "the token lacks the "
          + name
          + " permission; add it to the token's rights in the tenants file";
    }
    return switch (permission) {
      case READ ->
          "X-Scope-OrgID names "
              + tenant
              + ", which may not read: it has no scope, and none of its tokens has the read"
              + " permission; set either in the tenants file";
      case WRITE ->
          tenants.size() > 1
              ? "X-Scope-OrgID names several tenants, " + tenant + "; samples are sent for one"
              : "X-Scope-OrgID names "
                  + tenant
                  + ", which may not write: it has no write.labels, and none of its tokens has the"
                  + " write permission; set either in the tenants file";
      case OPERATE -> "a request without a token lacks the operate permission";
    };
  }

  /** Labels that every sent series must have, or gets when {@link #stamps} is true. */
  public Map<String, String> writeLabels() {
    return tenants.size() == 1 ? tenants.getFirst().writeLabels() : Map.of();
  }

  public boolean stamps() {
    return tenants.size() == 1 && tenants.getFirst().stamps();
  }
}
