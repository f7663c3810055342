package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** Lists of strings. */
public final class ListForm {
  private ListForm() {}

  public static void strings(WireWriter out, List<String> strings) {
    out.uvar(strings.size());
    for (String string : strings) {
      out.string(string);
    }
  }

  public static List<String> strings(WireReader in, String what) throws WireException {
    int count = in.count(1, what);
    List<String> strings = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      strings.add(in.string(what));
    }
    return strings;
  }
}
