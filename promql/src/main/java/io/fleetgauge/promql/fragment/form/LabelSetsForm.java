package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** Label sets of series. */
final class LabelSetsForm {
  private LabelSetsForm() {}

  static void write(WireWriter out, Fragment.LabelSets sets) {
    SelectorForm.search(out, sets.search());
  }

  static Fragment question(WireReader in, long epoch, List<String> hosts) throws WireException {
    return new Fragment.LabelSets(epoch, hosts, SelectorForm.search(in));
  }

  static void write(WireWriter out, WireWriter body, FragmentAnswer.LabelSets sets) {
    SymbolTable symbols = new SymbolTable();
    body.uvar(sets.labelSets().size());
    for (Labels labels : sets.labelSets()) {
      symbols.labels(body, labels);
    }
    symbols.write(out);
  }

  static FragmentAnswer answer(WireReader in, long epoch, List<String> covered)
      throws WireException {
    List<String> symbols = SymbolTable.read(in);
    int count = in.count(1, "label sets");
    List<Labels> sets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      sets.add(SymbolTable.labels(in, symbols));
    }
    return new FragmentAnswer.LabelSets(epoch, covered, sets);
  }
}
