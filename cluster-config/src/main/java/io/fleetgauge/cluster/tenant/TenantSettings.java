package io.fleetgauge.cluster.tenant;

import io.fleetgauge.cluster.config.TenantLimits;
import io.fleetgauge.cluster.config.key.ConfigReader;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A tenant. Keys stand under {@code tenants.NAME}.
 *
 * @param name letters, digits, - and _, 100 at most
 * @param scope {@code scope}: a selector such as {@code {tenant="a",rack=~"r[0-3]"}} that
 *     everything it asks for has to match besides; empty for none
 * @param limits {@code limits}: what it may use
 * @param tokens {@code tokens}: by name
 * @param writeLabels {@code write.labels}: labels that every series has to have which it sends
 * @param stamps {@code write.stamp}: whether these are put on instead
 */
public record TenantSettings(
    String name,
    String scope,
    TenantLimits limits,
    Map<String, TokenSettings> tokens,
    Map<String, String> writeLabels,
    boolean stamps) {
  private static final String NAME = "[a-zA-Z0-9_-]{1,100}";

  /**
   * @param scopeProblem what is wrong with a selector; empty when nothing is
   */
  static TenantSettings read(
      ConfigReader in, String name, TenantLimits base, Function<String, String> scopeProblem) {
    String key = "tenants." + name;
    if (!name.matches(NAME)) {
      in.problem(key + ": a tenant's name has 1 to 100 letters, digits, - and _");
    }
    String scope = in.text(key + ".scope", "");
    String wrong = scope.isEmpty() ? "" : scopeProblem.apply(scope);
    if (!wrong.isEmpty()) {
      in.problem(key + ".scope: " + scope + " is no selector: " + wrong);
    }
    Map<String, TokenSettings> tokens = new TreeMap<>();
    for (String token : in.keys(key + ".tokens")) {
      tokens.put(token, TokenSettings.read(in, key + ".tokens." + token, token));
    }
    return new TenantSettings(
        name,
        scope,
        TenantLimits.read(in, key + ".limits", base),
        Map.copyOf(tokens),
        Map.copyOf(in.labels(key + ".write.labels")),
        in.flag(key + ".write.stamp", false));
  }
}
