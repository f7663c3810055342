package io.fleetgauge.sample;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * A label set: the identity of a series. Immutable, sorted by name in UTF-8 order, without empty
 * values (an empty value means "no such label") and without repeated names.
 */
public final class Labels implements Comparable<Labels> {
  /** The label that holds the metric's name. */
  public static final String NAME = "__name__";

  /** The labels that hold a metric's type and unit, where they are kept as labels. */
  public static final String TYPE = "__type__";

  public static final String UNIT = "__unit__";

  public static final Labels EMPTY = new Labels(new String[0]);

  /** name, value, name, value, ... in order of the names. */
  private final String[] pairs;

  private final int hash;

  private Labels(String[] pairs) {
    this.pairs = pairs;
    this.hash = Arrays.hashCode(pairs);
  }

  /**
   * @param namesAndValues name, value, name, value, ... in any order
   * @throws IllegalArgumentException if a name is empty or occurs twice, or the count is odd
   */
  public static Labels of(String... namesAndValues) {
    if (namesAndValues.length % 2 != 0) {
      throw new IllegalArgumentException(
          "a label set needs names and values in pairs, got " + namesAndValues.length + " strings");
    }
    int count = namesAndValues.length / 2;
    int kept = 0;
    Integer[] order = new Integer[count];
    for (int i = 0; i < count; i++) {
      if (!namesAndValues[2 * i + 1].isEmpty()) {
        order[kept++] = i;
      }
    }
    Arrays.sort(
        order, 0, kept, (a, b) -> Utf8Order.compare(namesAndValues[2 * a], namesAndValues[2 * b]));
    String[] pairs = new String[2 * kept];
    for (int i = 0; i < kept; i++) {
      String name = namesAndValues[2 * order[i]];
      if (name.isEmpty()) {
        throw new IllegalArgumentException("a label has an empty name");
      }
      if (i > 0 && name.equals(pairs[2 * i - 2])) {
        throw new IllegalArgumentException("the label \"" + name + "\" occurs twice");
      }
      pairs[2 * i] = name;
      pairs[2 * i + 1] = namesAndValues[2 * order[i] + 1];
    }
    return kept == 0 ? EMPTY : new Labels(pairs);
  }

  /** As {@link #of(String...)}, from a map of names to values. */
  public static Labels of(Map<String, String> labels) {
    String[] flat = new String[2 * labels.size()];
    int i = 0;
    for (var entry : labels.entrySet()) {
      flat[i++] = entry.getKey();
      flat[i++] = entry.getValue();
    }
    return of(flat);
  }

  public int size() {
    return pairs.length / 2;
  }

  public boolean isEmpty() {
    return pairs.length == 0;
  }

  public String name(int i) {
    return pairs[2 * i];
  }

  public String value(int i) {
    return pairs[2 * i + 1];
  }

  /** The label's value, or the empty string when the set has no such label. */
  public String value(String name) {
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i].equals(name)) {
        return pairs[i + 1];
      }
    }
    return "";
  }

  /** The metric's name, or the empty string. */
  public String metric() {
    return value(NAME);
  }

  /** The same set with {@code name} set to {@code value}; an empty value removes the label. */
  public Labels with(String name, String value) {
    List<String> flat = new ArrayList<>(pairs.length + 2);
    for (int i = 0; i < pairs.length; i += 2) {
      if (!pairs[i].equals(name)) {
        flat.add(pairs[i]);
        flat.add(pairs[i + 1]);
      }
    }
    flat.add(name);
    flat.add(value);
    return of(flat.toArray(String[]::new));
  }

  /** This set and {@code more}; where both name a label, {@code more} wins. */
  public Labels with(Labels more) {
    if (more.isEmpty()) {
      return this;
    }
    List<String> flat = new ArrayList<>(pairs.length + more.pairs.length);
    for (int i = 0; i < pairs.length; i += 2) {
      if (more.value(pairs[i]).isEmpty()) {
        flat.add(pairs[i]);
        flat.add(pairs[i + 1]);
      }
    }
    flat.addAll(Arrays.asList(more.pairs));
    return of(flat.toArray(String[]::new));
  }

  public Labels without(String name) {
    return keep(label -> !label.equals(name));
  }

  /** This set without the metric's name, type and unit, as for values that are not the metric's. */
  public Labels withoutMetric() {
    return keep(label -> !isMetric(label));
  }

  /** Returns true if {@link #withoutMetric} would remove more than the name. */
  public boolean hasTypeOrUnit() {
    return !value(TYPE).isEmpty() || !value(UNIT).isEmpty();
  }

  private static boolean isMetric(String label) {
    return label.equals(NAME) || label.equals(TYPE) || label.equals(UNIT);
  }

  /** The result of {@code without (names)}: neither these names nor the metric's name. */
  public Labels without(Collection<String> names) {
    return keep(label -> !label.equals(NAME) && !names.contains(label));
  }

  /** The result of {@code by (names)}. */
  public Labels only(Collection<String> names) {
    return names.isEmpty() ? EMPTY : keep(names::contains);
  }

  /** Those that another set has as well, with the same values. */
  public Labels common(Labels other) {
    return this == other ? this : keep(name -> other.value(name).equals(value(name)));
  }

  private Labels keep(Predicate<String> wanted) {
    int kept = 0;
    String[] left = new String[pairs.length];
    for (int i = 0; i < pairs.length; i += 2) {
      if (wanted.test(pairs[i])) {
        left[kept++] = pairs[i];
        left[kept++] = pairs[i + 1];
      }
    }
    if (kept == pairs.length) {
      return this;
    }
    return kept == 0 ? EMPTY : new Labels(Arrays.copyOf(left, kept));
  }

  /** By names and values alternately, in UTF-8 order; a prefix comes first. */
  @Override
  public int compareTo(Labels other) {
    int length = Math.min(pairs.length, other.pairs.length);
    for (int i = 0; i < length; i++) {
      int order = Utf8Order.compare(pairs[i], other.pairs[i]);
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(pairs.length, other.pairs.length);
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || other instanceof Labels that && hash == that.hash && Arrays.equals(pairs, that.pairs);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /** As PromQL writes it: {@code name{a="b", c="d"}}. */
  @Override
  public String toString() {
    return metric() + braced(true);
  }

  /** With the name among the labels: {@code {__name__="name", a="b"}}. */
  public String braced() {
    return braced(false);
  }

  private String braced(boolean withoutName) {
    StringBuilder text = new StringBuilder("{");
    String separator = "";
    for (int i = 0; i < pairs.length; i += 2) {
      if (!withoutName || !Objects.equals(pairs[i], NAME)) {
        text.append(separator).append(pairs[i]).append("=\"");
        text.append(pairs[i + 1].replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n"));
        text.append('"');
        separator = ", ";
      }
    }
    return text.append('}').toString();
  }
}
