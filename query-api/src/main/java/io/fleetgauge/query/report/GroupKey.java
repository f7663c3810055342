package io.fleetgauge.query.report;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.query.http.Parameters;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One of the things that a report groups by.
 *
 * @param name as it is asked for
 * @param labels that may have it; the first that the owner or the device has counts
 */
record GroupKey(String name, List<String> labels) {
  /** Keys that a report groups by when none are asked for. */
  static final String DEFAULT = "namespace,pod,container";

  private static final int MAX_KEYS = 10;
  private static final String LABEL = "label:";
  private static final Pattern LABEL_NAME = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]{0,127}");
  private static final Map<String, GroupKey> KNOWN = new TreeMap<>();

  static {
    // A scrape renames the labels of an exporter's GPU when its target has labels of these names.
    key("container", "exported_container", "container");
    key("pod", "exported_pod", "pod");
    key("namespace", "exported_namespace", "namespace");
    // Not "job", which is the name of the scrape job in series of scraped exporters.
    key("job", "hpc_job");
    key("job_name", "job_name");
    key("user", "user");
    key("account", "account");
    key("tenant", "tenant");
    key("cluster", "cluster");
    key("rack", "rack");
    key("host", "Hostname", "hostname", "instance");
    key("gpu", "UUID", "uuid");
    key("mig", "GPU_I_ID");
    key("profile", "GPU_I_PROFILE");
    key("model", "modelName");
  }

  /** Model, profile and tenant, by which prices differ. */
  static final List<GroupKey> OF_PRICES =
      Stream.of("model", "profile", "tenant").map(KNOWN::get).toList();

  private static void key(String name, String... labels) {
    KNOWN.put(name, new GroupKey(name, List.of(labels)));
  }

  /**
   * @param texts lists with commas between names
   * @throws QueryFailure if a name is not known, or asked for twice
   */
  static List<GroupKey> parse(List<String> texts) throws QueryFailure {
    List<GroupKey> keys = new ArrayList<>();
    LinkedHashSet<String> names = new LinkedHashSet<>();
    for (String text : texts) {
      for (String name : text.split(",", -1)) {
        if (!names.add(name.strip())) {
          throw Parameters.invalid("by", "\"" + name.strip() + "\" is named twice");
        }
      }
    }
    if (names.size() > MAX_KEYS) {
      throw Parameters.invalid(
          "by", names.size() + " names are more than the " + MAX_KEYS + " that are allowed");
    }
    for (String name : names) {
      keys.add(key(name));
    }
    return List.copyOf(keys);
  }

  private static GroupKey key(String name) throws QueryFailure {
    GroupKey known = KNOWN.get(name);
    if (known != null) {
      return known;
    }
    String label = name.startsWith(LABEL) ? name.substring(LABEL.length()) : "";
    if (LABEL_NAME.matcher(label).matches()) {
      return new GroupKey(name, List.of(label));
    }
    throw Parameters.invalid(
        "by",
        "\""
            + name
            + "\" is none of "
            + String.join(", ", new TreeSet<>(KNOWN.keySet()))
            + "; for a label of another name write label:NAME");
  }

  /** Value of the key for what an owner had of a device; the empty text if it has none. */
  String of(UsageRow row) {
    for (String label : labels) {
      String value = row.value(label);
      if (!value.isEmpty()) {
        return value;
      }
    }
    return "";
  }
}
