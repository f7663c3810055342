package io.fleetgauge.runtime.tenant;

import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The part of the tenants file about one tenant. The keys stand under {@code tenants.NAME}.
 *
 * @param name letters, digits, - and _, 100 at most
 * @param scope {@code scope}: a selector that all data of the tenant matches; empty for all data
 * @param limits {@code limits}: what it may use
 * @param hostLimits {@code limits}: how many hosts its samples may name
 * @param tokens {@code tokens}, by name
 * @param writeLabels {@code write.labels}: labels that every series it sends must have
 * @param stamps {@code write.stamp}: whether these labels are set instead of checked
 */
public record TenantSettings(
    String name,
    String scope,
    TenantLimits limits,
    HostLimits hostLimits,
    Map<String, TokenSettings> tokens,
    Map<String, String> writeLabels,
    boolean stamps) {
  private static final String NAME = "[a-zA-Z0-9_-]{1,100}";

  private static final Key<String> SCOPE =
      Key.derived(
          "scope",
          KeyType.text(),
          "all data",
          "Selector such as `{tenant=\"a\",rack=~\"r[0-3]\"}`; the tenant sees only series that"
              + " match it.");
  private static final Key<Map<String, String>> WRITE_LABELS =
      Key.of(
          "write.labels",
          KeyType.labels(),
          Map.of(),
          "Labels that every series of the tenant must have; others are rejected.");
  private static final Key<Boolean> STAMP =
      Key.of(
          "write.stamp",
          KeyType.flag(),
          false,
          "Whether `write.labels` are added to the series of the tenant instead of checked.");

  /**
   * @param scopeProblem what is wrong with a selector; empty when nothing is
   */
  static TenantSettings read(
      ConfigReader in, String name, TenantLimits base, Function<String, String> scopeProblem) {
    String section = "tenants." + name;
    if (!name.matches(NAME)) {
      in.problem(section + ": a tenant's name has 1 to 100 letters, digits, - and _");
    }
    Optional<String> scope = in.find(SCOPE.in(section));
    String problem = scope.map(scopeProblem).orElse("");
    if (!problem.isEmpty()) {
      in.problem(section + ".scope: " + scope.orElse("") + " is not a selector: " + problem);
    }
    Map<String, TokenSettings> tokens = new TreeMap<>();
    for (String token : in.names(section + ".tokens", "TOKEN")) {
      tokens.put(token, TokenSettings.read(in, section + ".tokens." + token, token));
    }
    return new TenantSettings(
        name,
        scope.orElse(""),
        TenantLimits.read(in, section + ".limits", base),
        HostLimits.read(in, section + ".limits"),
        Map.copyOf(tokens),
        Map.copyOf(in.get(WRITE_LABELS.in(section))),
        in.get(STAMP.in(section)));
  }
}
