package io.fleetgauge.sample.frame;

import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * The labels that name the host of a series.
 *
 * @param names in order of precedence: the first that a series has names its host
 */
public record HostLabels(List<String> names) {
  private static final String INSTANCE = "instance";

  /** The host of a series. */
  public String hostOf(Labels series) {
    for (String name : names) {
      String value = series.value(name);
      if (!value.isEmpty()) {
        return name.equals(INSTANCE) ? withoutPort(value) : value;
      }
    }
    return PseudoHosts.of(series);
  }

  private static String withoutPort(String instance) {
    int colon = instance.lastIndexOf(':');
    boolean port =
        colon > 0
            && colon < instance.length() - 1
            && instance.chars().skip(colon + 1L).allMatch(c -> c >= '0' && c <= '9')
            // An IPv6 address has a port only in its bracketed form.
            && (instance.indexOf(':') == colon || instance.charAt(colon - 1) == ']');
    return port ? instance.substring(0, colon) : instance;
  }
}
