package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;

/** The question for the values of a label; {@link LabelNamesForm} has the answer. */
final class LabelValuesForm {
  private LabelValuesForm() {}

  static void write(WireWriter out, Fragment.LabelValues values) {
    SelectorForm.search(out.string(values.label()), values.search());
  }

  static Fragment question(WireReader in, long epoch, List<String> hosts) throws WireException {
    return new Fragment.LabelValues(epoch, hosts, in.string("a label"), SelectorForm.search(in));
  }
}
