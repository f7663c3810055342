package io.fleetgauge.query.federate;

import io.fleetgauge.sample.prometheus.NameEscaping;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Escaping of names that a scraper wants. Federation is answered as text 0.0.4 whatever is asked,
 * as Prometheus does; the scheme is the last one that is named by the types down to the first that
 * is this text, in the order of preference. So a scheme that a scraper wants for OpenMetrics holds
 * for the text that it gets instead.
 */
final class AcceptedEscaping {
  private static final String TEXT_VERSION = "0.0.4";

  /** A type in the header; parameters are those but q. */
  private record Accepted(
      String type, String subtype, double quality, Map<String, String> parameters) {
    boolean isText() {
      return type.equals("text")
          && subtype.equals("plain")
          && parameters.getOrDefault("version", TEXT_VERSION).equals(TEXT_VERSION);
    }

    /** No order in the strict sense; Prometheus's. */
    boolean isBefore(Accepted other) {
      return quality > other.quality
          || !type.equals("*") && other.type.equals("*")
          || !subtype.equals("*") && other.subtype.equals("*");
    }
  }

  private AcceptedEscaping() {}

  /**
   * @param accept the header; empty if there is none
   */
  static NameEscaping of(String accept) {
    NameEscaping escaping = NameEscaping.UNDERSCORES;
    for (Accepted each : accepted(accept)) {
      escaping = NameEscaping.of(each.parameters.getOrDefault("escaping", "")).orElse(escaping);
      if (each.isText()) {
        break;
      }
    }
    return escaping;
  }

  private static List<Accepted> accepted(String accept) {
    List<Accepted> all = new ArrayList<>();
    for (String part : accept.split(",")) {
      String[] fields = part.split(";");
      String[] names = fields.length == 0 ? fields : fields[0].strip().split("/", -1);
      boolean isAny = names.length == 1 && names[0].equals("*");
      if (names.length != 2 && !isAny) {
        continue;
      }
      double quality = 1;
      Map<String, String> parameters = new HashMap<>();
      for (int i = 1; i < fields.length; i++) {
        String[] pair = fields[i].split("=", -1);
        if (pair.length == 2 && pair[0].strip().equals("q")) {
          quality = quality(pair[1]);
        } else if (pair.length == 2) {
          parameters.put(pair[0].strip(), pair[1].strip());
        }
      }
      insert(
          all, new Accepted(names[0].strip(), isAny ? "*" : names[1].strip(), quality, parameters));
    }
    return all;
  }

  private static void insert(List<Accepted> all, Accepted one) {
    int at = all.size();
    while (at > 0 && one.isBefore(all.get(at - 1))) {
      at--;
    }
    all.add(at, one);
  }

  private static double quality(String text) {
    return text.matches("\\d{1,9}(\\.\\d{0,9})?|\\.\\d{1,9}") ? Double.parseDouble(text) : 0;
  }
}
