package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;

/** Lists of strings. */
public final class ListForm {
  private ListForm() {}

  public static void strings(WireWriter out, List<String> strings) {
    out.list(strings, out::string);
  }

  public static List<String> strings(WireReader in, String what) throws WireException {
    return in.list(1, what, each -> each.string(what));
  }
}
