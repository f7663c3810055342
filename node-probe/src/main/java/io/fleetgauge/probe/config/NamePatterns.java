package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;

/**
 * Which names are read: those in which one regular expression is found and another is not.
 *
 * @param include empty for all
 * @param exclude empty for none
 */
public record NamePatterns(String include, String exclude) {
  /**
   * Two keys.
   *
   * @param section such as {@code host.netdev.devices}
   * @param names what the names are of, in plural
   * @param exclude what is excluded if neither key is there
   * @param excludeText what the reference page says of it; empty to show it
   */
  record Keys(String section, String names, String exclude, String excludeText) {
    NamePatterns read(ConfigReader in) {
      Key<String> including =
          Key.optional(
              section + ".include",
              KeyType.pattern(),
              "Regular expression for the " + names + " to read; it matches anywhere in the name.");
      Key<String> excluding =
          Key.derived(
              section + ".exclude",
              KeyType.pattern(),
              excludeText.isEmpty() ? "`" + exclude + "`, or none with `include`" : excludeText,
              "Regular expression for the "
                  + names
                  + " to leave out; it matches anywhere in the name.");
      String include = in.find(including).orElse("");
      return new NamePatterns(include, in.get(excluding, include.isEmpty() ? exclude : ""));
    }
  }
}
