package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.form.ListForm;
import io.fleetgauge.promql.fragment.form.NumbersForm;
import io.fleetgauge.promql.fragment.form.SelectorForm;
import io.fleetgauge.promql.fragment.form.SymbolTable;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The newest samples of the metrics that have rollups, reduced by groups of labels.
 *
 * @param names of reductions: a name such as {@code rack:METRIC:avg} has to match one of these
 *     selectors
 * @param scope matchers of every series that is reduced
 * @param after samples at or before this time are left out, ms
 * @param to samples after this time are left out, ms
 */
public record ReductionsQuestion(
    List<List<Matcher>> names, List<Matcher> scope, long after, long to)
    implements Question<ReductionsQuestion.Answer> {
  public record Answer(List<MetricReductions> reductions) implements Result {
    @Override
    public void write(WireWriter out, WireWriter body) {
      SymbolTable symbols = new SymbolTable();
      body.list(
          reductions,
          each -> {
            ListForm.strings(body, each.by());
            body.list(each.groups(), group -> symbols.labels(body, group));
            body.list(each.metrics(), metric -> write(body, metric));
          });
      symbols.write(out);
    }

    private static void write(WireWriter out, MetricReductions.OfMetric of) {
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
  }

  static ReductionsQuestion read(WireReader in) throws WireException {
    return new ReductionsQuestion(
        SelectorForm.selectors(in),
        SelectorForm.matchers(in),
        in.svar("the oldest time"),
        in.svar("the newest time"));
  }

  @Override
  public void write(WireWriter out) {
    SelectorForm.selectors(out, names);
    SelectorForm.matchers(out, scope);
    out.svar(after).svar(to);
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    List<String> symbols = SymbolTable.read(in);
    return new Answer(in.list(3, "reductions", each -> reductions(each, symbols)));
  }

  private static MetricReductions reductions(WireReader in, List<String> symbols)
      throws WireException {
    List<String> by = ListForm.strings(in, "labels");
    List<Labels> groups = in.list(1, "groups", each -> SymbolTable.labels(each, symbols));
    return new MetricReductions(
        by, groups, in.list(1, "metrics", each -> metric(each, groups.size())));
  }

  private static MetricReductions.OfMetric metric(WireReader in, int size) throws WireException {
    String metric = in.string("a metric");
    long[] counts = new long[size];
    for (int i = 0; i < size; i++) {
      counts[i] = in.uvar("a count");
    }
    double[][] numbers = new double[4][];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = NumbersForm.read(in, size);
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
    return new MetricReductions.OfMetric(
        metric, counts, numbers[0], numbers[1], numbers[2], numbers[3], newest);
  }

  @Override
  public Answer answer(Holdings holdings) {
    return new Answer(holdings.reductions(this));
  }

  /** MetricReductions by the same labels once, with each group and each metric once. */
  public List<MetricReductions> merged(List<Answer> answers) {
    Map<List<String>, List<MetricReductions>> equal = new LinkedHashMap<>();
    for (Answer answer : answers) {
      for (MetricReductions each : answer.reductions) {
        equal.computeIfAbsent(each.by(), none -> new ArrayList<>()).add(each);
      }
    }
    return equal.values().stream().map(ReductionsQuestion::together).toList();
  }

  private static MetricReductions together(List<MetricReductions> pieces) {
    if (pieces.size() == 1) {
      return pieces.getFirst();
    }
    Map<Labels, Integer> places = new LinkedHashMap<>();
    Map<String, MetricReductions.OfMetric> metrics = new TreeMap<>();
    for (MetricReductions piece : pieces) {
      piece.groups().forEach(group -> places.putIfAbsent(group, places.size()));
    }
    for (MetricReductions piece : pieces) {
      int[] place = piece.groups().stream().mapToInt(places::get).toArray();
      for (MetricReductions.OfMetric each : piece.metrics()) {
        add(
            metrics.computeIfAbsent(
                each.metric(), name -> MetricReductions.OfMetric.empty(name, places.size())),
            each,
            place);
      }
    }
    return new MetricReductions(
        pieces.getFirst().by(), List.copyOf(places.keySet()), List.copyOf(metrics.values()));
  }

  /**
   * @param place index of each of the piece's groups in the sum's
   */
  private static void add(
      MetricReductions.OfMetric to, MetricReductions.OfMetric piece, int[] place) {
    for (int i = 0; i < place.length; i++) {
      if (piece.counts()[i] == 0) {
        continue;
      }
      int at = place[i];
      boolean first = to.counts()[at] == 0;
      to.counts()[at] += piece.counts()[i];
      double sum = to.sums()[at];
      double more = piece.sums()[i];
      double next = sum + more;
      to.sums()[at] = next;
      to.carries()[at] += piece.carries()[i];
      to.carries()[at] += Math.abs(sum) >= Math.abs(more) ? sum - next + more : more - next + sum;
      if (first || piece.mins()[i] < to.mins()[at] || Double.isNaN(to.mins()[at])) {
        to.mins()[at] = piece.mins()[i];
      }
      if (first || piece.maxs()[i] > to.maxs()[at] || Double.isNaN(to.maxs()[at])) {
        to.maxs()[at] = piece.maxs()[i];
      }
      to.newest()[at] = first ? piece.newest()[i] : Math.max(to.newest()[at], piece.newest()[i]);
    }
  }
}
