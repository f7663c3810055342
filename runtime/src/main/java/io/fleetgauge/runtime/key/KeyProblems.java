package io.fleetgauge.runtime.key;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * Collects what is wrong with the value of one key.
 *
 * @param key its name, which begins every problem
 */
record KeyProblems(String key, List<String> all) {
  /** A value for a message, without what comes from files. */
  static String show(JsonNode value) {
    return value.isValueNode() ? Placeholders.shown(value) : Placeholders.shownBelow(value);
  }

  void add(String text) {
    all.add(key + ": " + text);
  }

  void notAllowed(String value, String allowed) {
    add(value + " is not allowed; allowed is " + allowed);
  }

  /** The same list, for an item of this key, such as {@code [0]}. */
  KeyProblems of(String item) {
    return new KeyProblems(key + item, all);
  }

  /** The same list, for a key below this one. */
  KeyProblems below(String name) {
    return new KeyProblems(key + "." + name, all);
  }
}
