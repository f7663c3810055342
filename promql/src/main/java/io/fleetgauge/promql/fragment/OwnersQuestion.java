package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.fragment.form.SelectorForm;
import io.fleetgauge.promql.fragment.form.SymbolTable;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The owners of the series that match, as intervals of time.
 *
 * @param search its limit is on series; the answer says how many it leaves out
 */
public record OwnersQuestion(SeriesSearch search) implements Question<OwnersQuestion.Answer> {
  public record Answer(OwnerIntervals owners) implements Result {
    @Override
    public void write(WireWriter out, WireWriter body) {
      SymbolTable symbols = new SymbolTable();
      body.uvar(owners.omitted()).uvar(owners.series().size());
      for (OwnedSeries series : owners.series()) {
        symbols.labels(body, series.identity());
        body.uvar(series.intervals().size());
        long before = 0;
        for (OwnedSeries.Interval interval : series.intervals()) {
          symbols.labels(body, interval.owner());
          body.svar(interval.from() - before).svar(interval.to() - interval.from());
          before = interval.to();
        }
      }
      symbols.write(out);
    }
  }

  static OwnersQuestion read(WireReader in) throws WireException {
    return new OwnersQuestion(SelectorForm.search(in));
  }

  @Override
  public void write(WireWriter out) {
    SelectorForm.search(out, search);
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    List<String> symbols = SymbolTable.read(in);
    long omitted = in.uvar("the number of omitted series");
    List<OwnedSeries> all =
        in.list(
            2,
            "series",
            each -> new OwnedSeries(SymbolTable.labels(each, symbols), intervals(each, symbols)));
    return new Answer(new OwnerIntervals(all, omitted));
  }

  private static List<OwnedSeries.Interval> intervals(WireReader in, List<String> symbols)
      throws WireException {
    int count = in.count(3, "owner intervals");
    List<OwnedSeries.Interval> intervals = new ArrayList<>(count);
    long before = 0;
    for (int i = 0; i < count; i++) {
      Labels owner = SymbolTable.labels(in, symbols);
      long from = before + in.svar("an interval's start");
      long to = from + in.svar("an interval's length");
      if (to < from || i > 0 && from <= before) {
        throw new WireException(
            "an owner interval from " + from + " to " + to + " is not after the one before it");
      }
      intervals.add(new OwnedSeries.Interval(owner, from, to));
      before = to;
    }
    return intervals;
  }

  @Override
  public Answer answer(Holdings holdings) {
    return new Answer(holdings.owners(search));
  }

  /** Ordered by identity; a series that moved between hosts has the intervals of both. */
  public OwnerIntervals merged(List<Answer> answers) {
    long omitted = 0;
    Map<Labels, List<OwnedSeries.Interval>> all = new TreeMap<>();
    for (Answer answer : answers) {
      omitted += answer.owners.omitted();
      for (OwnedSeries series : answer.owners.series()) {
        all.computeIfAbsent(series.identity(), none -> new ArrayList<>())
            .addAll(series.intervals());
      }
    }
    List<OwnedSeries> merged = new ArrayList<>();
    all.forEach(
        (identity, intervals) -> {
          intervals.sort(Comparator.comparingLong(OwnedSeries.Interval::from));
          merged.add(new OwnedSeries(identity, intervals));
        });
    return new OwnerIntervals(merged, omitted);
  }
}
