package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;

/** Names of labels. The values of a label are answered in the same form. */
final class LabelNamesForm {
  private LabelNamesForm() {}

  static void write(WireWriter out, Fragment.LabelNames names) {
    SelectorForm.search(out, names.search());
  }

  static Fragment question(WireReader in, long epoch, List<String> hosts) throws WireException {
    return new Fragment.LabelNames(epoch, hosts, SelectorForm.search(in));
  }

  static void write(WireWriter out, FragmentAnswer.Strings strings) {
    ListForm.strings(out, strings.strings());
  }

  static FragmentAnswer answer(WireReader in, long epoch, List<String> covered)
      throws WireException {
    return new FragmentAnswer.Strings(epoch, covered, ListForm.strings(in, "strings"));
  }
}
