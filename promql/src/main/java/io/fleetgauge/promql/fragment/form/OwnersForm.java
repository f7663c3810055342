package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** Owners of series as intervals of time. */
final class OwnersForm {
  private OwnersForm() {}

  static void write(WireWriter out, Fragment.Owners owners) {
    SelectorForm.search(out, owners.search());
  }

  static Fragment question(WireReader in, long epoch, List<String> hosts) throws WireException {
    return new Fragment.Owners(epoch, hosts, SelectorForm.search(in));
  }

  static void write(WireWriter out, WireWriter body, FragmentAnswer.Owners owners) {
    SymbolTable symbols = new SymbolTable();
    body.uvar(owners.omitted()).uvar(owners.series().size());
    for (FragmentAnswer.OwnedSeries series : owners.series()) {
      symbols.labels(body, series.identity());
      body.uvar(series.intervals().size());
      long before = 0;
      for (FragmentAnswer.OwnerInterval interval : series.intervals()) {
        symbols.labels(body, interval.owner());
        body.svar(interval.from() - before).svar(interval.to() - interval.from());
        before = interval.to();
      }
    }
    symbols.write(out);
  }

  static FragmentAnswer answer(WireReader in, long epoch, List<String> covered)
      throws WireException {
    List<String> symbols = SymbolTable.read(in);
    long omitted = in.uvar("the number of omitted series");
    int count = in.count(2, "series");
    List<FragmentAnswer.OwnedSeries> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Labels identity = SymbolTable.labels(in, symbols);
      all.add(new FragmentAnswer.OwnedSeries(identity, intervals(in, symbols)));
    }
    return new FragmentAnswer.Owners(epoch, covered, omitted, all);
  }

  private static List<FragmentAnswer.OwnerInterval> intervals(WireReader in, List<String> symbols)
      throws WireException {
    int count = in.count(3, "owner intervals");
    List<FragmentAnswer.OwnerInterval> intervals = new ArrayList<>(count);
    long before = 0;
    for (int i = 0; i < count; i++) {
      Labels owner = SymbolTable.labels(in, symbols);
      long from = before + in.svar("an interval's start");
      long to = from + in.svar("an interval's length");
      if (to < from || i > 0 && from <= before) {
        throw new WireException(
            "an owner interval from " + from + " to " + to + " is not after the one before it");
      }
      intervals.add(new FragmentAnswer.OwnerInterval(owner, from, to));
      before = to;
    }
    return intervals;
  }
}
