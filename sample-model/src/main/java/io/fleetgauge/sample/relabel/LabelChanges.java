package io.fleetgauge.sample.relabel;

import io.fleetgauge.sample.Labels;
import java.util.LinkedHashMap;
import java.util.Map;

/** A label set while rules change it. Changed labels come after the others, as they were added. */
final class LabelChanges {
  private final Map<String, String> unchanged = new LinkedHashMap<>();
  private final Map<String, String> changed = new LinkedHashMap<>();

  LabelChanges(Labels labels) {
    for (int i = 0; i < labels.size(); i++) {
      unchanged.put(labels.name(i), labels.value(i));
    }
  }

  /** Empty if there is no such label. */
  String value(String name) {
    String value = changed.get(name);
    return value == null ? unchanged.getOrDefault(name, "") : value;
  }

  /** An empty value removes the label. */
  void set(String name, String value) {
    unchanged.remove(name);
    if (value.isEmpty()) {
      changed.remove(name);
    } else {
      changed.put(name, value);
    }
  }

  /** Every label as it is now. */
  Map<String, String> all() {
    Map<String, String> all = new LinkedHashMap<>(unchanged);
    all.putAll(changed);
    return all;
  }

  Labels labels() {
    return Labels.of(all());
  }
}
