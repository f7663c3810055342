package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;

/** How much selections would read. */
final class ExtentForm {
  private ExtentForm() {}

  static void write(WireWriter out, Fragment.Extent extent) {
    SelectorForm.selections(out, extent.selections());
  }

  static Fragment question(WireReader in, long epoch, List<String> hosts) throws WireException {
    return new Fragment.Extent(epoch, hosts, SelectorForm.selections(in));
  }

  static void write(WireWriter out, FragmentAnswer.Extent extent) {
    ListForm.counts(out, extent.series());
    ListForm.counts(out, extent.samples());
  }

  static FragmentAnswer answer(WireReader in, long epoch, List<String> covered)
      throws WireException {
    return new FragmentAnswer.Extent(
        epoch, covered, ListForm.counts(in, "series"), ListForm.counts(in, "samples"));
  }
}
