package io.fleetgauge.gateway.store;

import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * Whose a series is, by its labels.
 *
 * @param labels the labels that say it; the first that a series has wins
 */
public record HostOf(List<String> labels) {
  /** The host of series that name none. */
  static final String NOBODY = "no-host";

  private static final String INSTANCE = "instance";

  public String of(Labels series) {
    for (String label : labels) {
      String value = series.value(label);
      if (!value.isEmpty()) {
        return label.equals(INSTANCE) ? withoutPort(value) : value;
      }
    }
    return NOBODY;
  }

  private static String withoutPort(String instance) {
    int colon = instance.lastIndexOf(':');
    boolean port =
        colon > 0
            && colon < instance.length() - 1
            && instance.chars().skip(colon + 1L).allMatch(c -> c >= '0' && c <= '9')
            // Of an IPv6 address only the bracketed form has a port.
            && (instance.indexOf(':') == colon || instance.charAt(colon - 1) == ']');
    return port ? instance.substring(0, colon) : instance;
  }
}
