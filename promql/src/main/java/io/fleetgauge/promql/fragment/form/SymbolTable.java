package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The strings of an answer's label sets, each written once and referred to by number. */
public final class SymbolTable {
  private final Map<String, Integer> ids = new HashMap<>();
  private final List<String> strings = new ArrayList<>();

  public void labels(WireWriter out, Labels labels) {
    out.uvar(labels.size());
    for (int i = 0; i < labels.size(); i++) {
      out.uvar(id(labels.name(i))).uvar(id(labels.value(i)));
    }
  }

  private int id(String string) {
    Integer known = ids.putIfAbsent(string, strings.size());
    if (known == null) {
      strings.add(string);
      return strings.size() - 1;
    }
    return known;
  }

  /** Writes the strings; to be called when all label sets are written. */
  public void write(WireWriter out) {
    ListForm.strings(out, strings);
  }

  public static List<String> read(WireReader in) throws WireException {
    return ListForm.strings(in, "strings");
  }

  public static Labels labels(WireReader in, List<String> strings) throws WireException {
    int pairs = in.count(2, "labels");
    String[] flat = new String[2 * pairs];
    for (int i = 0; i < flat.length; i++) {
      flat[i] = strings.get(in.uint(strings.size() - 1, "a string's number"));
    }
    try {
      return Labels.of(flat);
    } catch (IllegalArgumentException e) {
      throw new WireException("a label set is invalid: " + e.getMessage());
    }
  }
}
