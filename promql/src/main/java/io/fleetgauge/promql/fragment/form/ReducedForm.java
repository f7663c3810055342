package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** Newest samples reduced by groups of labels. */
final class ReducedForm {
  private ReducedForm() {}

  static void write(WireWriter out, Fragment.Reduced reduced) {
    SelectorForm.selectors(out, reduced.names());
    SelectorForm.matchers(out, reduced.scope());
    out.svar(reduced.after()).svar(reduced.to());
  }

  static Fragment question(WireReader in, long epoch, List<String> hosts) throws WireException {
    return new Fragment.Reduced(
        epoch,
        hosts,
        SelectorForm.selectors(in),
        SelectorForm.matchers(in),
        in.svar("the oldest time"),
        in.svar("the newest time"));
  }

  static void write(WireWriter out, WireWriter body, FragmentAnswer.Reduced reduced) {
    SymbolTable symbols = new SymbolTable();
    body.uvar(reduced.reductions().size());
    for (FragmentAnswer.Reductions each : reduced.reductions()) {
      ListForm.strings(body, each.by());
      body.uvar(each.groups().size());
      each.groups().forEach(group -> symbols.labels(body, group));
      body.uvar(each.metrics().size());
      each.metrics().forEach(metric -> metric(body, metric));
    }
    symbols.write(out);
  }

  static FragmentAnswer answer(WireReader in, long epoch, List<String> covered)
      throws WireException {
    List<String> symbols = SymbolTable.read(in);
    int count = in.count(3, "reductions");
    List<FragmentAnswer.Reductions> reductions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      reductions.add(reductions(in, symbols));
    }
    return new FragmentAnswer.Reduced(epoch, covered, reductions);
  }

  private static void metric(WireWriter out, FragmentAnswer.Reduction of) {
    int size = of.counts().length;
    out.string(of.metric());
    for (long count : of.counts()) {
      out.uvar(count);
    }
    for (double[] numbers : List.of(of.sums(), of.carries(), of.mins(), of.maxs())) {
      NumbersForm.write(out, numbers, size);
    }
    long before = 0;
    for (long time : of.newest()) {
      out.svar(time - before);
      before = time;
    }
  }

  private static FragmentAnswer.Reductions reductions(WireReader in, List<String> symbols)
      throws WireException {
    List<String> by = ListForm.strings(in, "labels");
    int size = in.count(1, "groups");
    List<Labels> groups = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      groups.add(SymbolTable.labels(in, symbols));
    }
    int count = in.count(1, "metrics");
    List<FragmentAnswer.Reduction> metrics = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      metrics.add(metric(in, size));
    }
    return new FragmentAnswer.Reductions(by, groups, metrics);
  }

  private static FragmentAnswer.Reduction metric(WireReader in, int size) throws WireException {
    String metric = in.string("a metric");
    long[] counts = new long[size];
    for (int i = 0; i < size; i++) {
      counts[i] = in.uvar("a count");
    }
    double[][] numbers = new double[4][];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = NumbersForm.read(in);
      if (numbers[i] == null || numbers[i].length != size) {
        throw new WireException("a row of numbers has not as many places as there are groups");
      }
    }
    long[] newest = new long[size];
    long before = 0;
    for (int i = 0; i < size; i++) {
      before += in.svar("a time");
      newest[i] = before;
    }
    return new FragmentAnswer.Reduction(
        metric, counts, numbers[0], numbers[1], numbers[2], numbers[3], newest);
  }
}
