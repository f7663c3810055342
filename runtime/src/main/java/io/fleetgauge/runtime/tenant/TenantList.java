package io.fleetgauge.runtime.tenant;

import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The content of the tenants file.
 *
 * @param tenants {@code tenants}, by name
 * @param proxies {@code proxies}: networks whose {@code X-Scope-OrgID} header is trusted without a
 *     token
 */
public record TenantList(Map<String, TenantSettings> tenants, List<Network> proxies) {
  private static final Key<List<Network>> PROXIES =
      Key.of(
          "proxies",
          KeyType.listOf(
              KeyType.form(
                  "network",
                  "a network such as 10.0.0.0/8 or fd00::/8",
                  Network::toString,
                  Network::parse),
              1),
          List.of(),
          "Networks of proxies that authenticate users themselves: the tenant that their header"
              + " `X-Scope-OrgID` names is trusted without a token.");

  /**
   * @param source what messages call the text
   * @param base the limits of a tenant that sets none
   * @param scopeProblem what is wrong with a selector; empty when nothing is
   * @throws ConfigException with every problem of the text
   */
  public static TenantList read(
      String source, String yaml, TenantLimits base, Function<String, String> scopeProblem)
      throws ConfigException {
    ConfigReader in = new ConfigReader(source, yaml);
    TenantList list = read(in, base, scopeProblem);
    if (list.tenants.isEmpty()) {
      in.problem("tenants: the file names no tenant, so every request would be rejected");
    }
    in.finish();
    return list;
  }

  /** Every key of the tenants file. */
  public static List<Key<?>> keys() {
    return ConfigReader.keysReadBy(in -> read(in, TenantLimits.DEFAULT, scope -> ""));
  }

  private static TenantList read(
      ConfigReader in, TenantLimits base, Function<String, String> scopeProblem) {
    Map<String, TenantSettings> tenants = new TreeMap<>();
    Map<String, String> owners = new HashMap<>();
    for (String name : in.names("tenants", "TENANT")) {
      TenantSettings tenant = TenantSettings.read(in, name, base, scopeProblem);
      tenants.put(name, tenant);
      for (TokenSettings token : tenant.tokens().values()) {
        String here = "tenants." + name + ".tokens." + token.name();
        String other = token.sha256().isEmpty() ? null : owners.put(token.sha256(), here);
        if (other != null) {
          in.problem(here + ": the token is the same as that of " + other);
        }
      }
    }
    return new TenantList(Map.copyOf(tenants), in.get(PROXIES));
  }
}
