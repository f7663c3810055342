package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.form.SelectorForm;
import io.fleetgauge.promql.fragment.form.SymbolTable;
import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.lookup.OwnerIntegrals;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The integrals of series over the intervals of their owners, as whole numbers that add up.
 *
 * <p>A series has the value of its newest sample until the next one of any owner, and for the
 * lookback at most. A staleness marker ends it, and so does a value that is no number. An owner's
 * part ends where the next owner begins.
 *
 * @param matchers of the series, with their owners
 * @param after samples up to this time count from then on, ms
 * @param to the end of the time, ms
 * @param lookback how long a sample stands, ms
 * @param unit of the whole numbers that values are rounded to, as its inverse: 1,000 for
 *     thousandths
 * @param budget most samples that may be read; more is an error
 */
public record IntegralsQuestion(
    List<Matcher> matchers, long after, long to, long lookback, long unit, long budget)
    implements Question<IntegralsQuestion.Answer> {
  /** Above it, sums could overflow; nothing that is measured of a node has so much. */
  private static final double MAX_VALUE = 1e15;

  /**
   * @param series ordered by identity, each once
   */
  public record Answer(List<OwnerIntegrals> series) implements Result {
    @Override
    public void write(WireWriter out, WireWriter body) {
      SymbolTable symbols = new SymbolTable();
      body.uvar(series.size());
      for (OwnerIntegrals each : series) {
        symbols.labels(body, each.identity());
        body.uvar(each.intervals().size());
        long before = 0;
        for (OwnerIntegrals.OfInterval interval : each.intervals()) {
          symbols.labels(body, interval.owner());
          body.svar(interval.from() - before).uvar(interval.to() - interval.from());
          body.uvar(interval.millis());
          body.svar(interval.integral().high()).u64(interval.integral().low());
          before = interval.to();
        }
      }
      symbols.write(out);
    }
  }

  static IntegralsQuestion read(WireReader in) throws WireException {
    List<Matcher> matchers = SelectorForm.matchers(in);
    long after = in.svar("the start");
    long to = in.svar("the end");
    long lookback = in.uvar("the lookback");
    long unit = in.uvar("the unit");
    if (lookback < 1 || unit < 1) {
      throw new WireException("the lookback is " + lookback + " ms, the unit " + unit);
    }
    return new IntegralsQuestion(matchers, after, to, lookback, unit, in.uvar("the budget"));
  }

  @Override
  public void write(WireWriter out) {
    SelectorForm.matchers(out, matchers);
    out.svar(after).svar(to).uvar(lookback).uvar(unit).uvar(budget);
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    List<String> symbols = SymbolTable.read(in);
    int count = in.count(2, "series");
    List<OwnerIntegrals> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Labels identity = SymbolTable.labels(in, symbols);
      int size = in.count(13, "intervals");
      List<OwnerIntegrals.OfInterval> intervals = new ArrayList<>(size);
      long before = 0;
      for (int j = 0; j < size; j++) {
        Labels owner = SymbolTable.labels(in, symbols);
        long from = before + in.svar("an interval's start");
        long end = from + in.uvar("an interval's length");
        long millis = in.uvar("the time with a value");
        Integral integral = new Integral(in.svar("an integral"), in.u64("an integral"));
        intervals.add(new OwnerIntegrals.OfInterval(owner, from, end, millis, integral));
        before = end;
      }
      all.add(new OwnerIntegrals(identity, intervals));
    }
    return new Answer(all);
  }

  // --- at a gateway ---

  @Override
  public Answer answer(Holdings holdings) throws TooManySamples, QueryFailure {
    Selection selection = new Selection(matchers, after - lookback, to);
    Map<Labels, Owned> owned = new HashMap<>();
    SeriesSearch search = new SeriesSearch(after - lookback + 1, to, 0, List.of(matchers));
    for (OwnedSeries each : holdings.owners(search).series()) {
      Owned of = new Owned(each);
      for (OwnedSeries.Interval interval : each.intervals()) {
        owned.put(each.identity().with(interval.owner()), of);
      }
    }
    Map<Labels, Owned> all = new TreeMap<>();
    for (Series series : holdings.samples(selection, budget)) {
      Owned of = owned.computeIfAbsent(series.labels(), this::withoutOwners);
      of.samples.add(series);
      all.put(of.series.identity(), of);
    }
    List<OwnerIntegrals> integrals = new ArrayList<>();
    all.forEach((identity, of) -> integrals.add(new OwnerIntegrals(identity, integrals(of))));
    integrals.removeIf(each -> each.intervals().isEmpty());
    return new Answer(integrals);
  }

  /** A stored series: its owners, and its samples with the labels of each owner. */
  private record Owned(OwnedSeries series, List<Series> samples) {
    Owned(OwnedSeries series) {
      this(series, new ArrayList<>());
    }
  }

  private Owned withoutOwners(Labels labels) {
    return new Owned(
        new OwnedSeries(labels, List.of(new OwnedSeries.Interval(Labels.EMPTY, after, to))));
  }

  private List<OwnerIntegrals.OfInterval> integrals(Owned of) {
    Series samples =
        of.samples.stream()
            .map(each -> new Series(Labels.EMPTY, each.times(), each.values(), each.histograms()))
            .reduce(Series::union)
            .orElseThrow();
    long[] times = samples.times();
    List<OwnerIntegrals.OfInterval> all = new ArrayList<>();
    int at = 0;
    for (OwnedSeries.Interval interval : of.series.intervals()) {
      at = Series.firstAfter(times, at, times.length, interval.from() - 1);
      // The last owner still has the series after its last sample.
      boolean isLast = at < times.length && times[times.length - 1] == interval.to();
      long end = isLast ? to : Math.min(to, interval.to() + 1);
      Integral integral = new Integral();
      long millis = 0;
      for (; at < times.length && times[at] <= interval.to(); at++) {
        long from = Math.max(after, times[at]);
        long until = Math.min(end, times[at] + lookback);
        until = at + 1 < times.length ? Math.min(until, times[at + 1]) : until;
        double scaled = samples.values()[at] * unit;
        if (until > from && scaled >= -MAX_VALUE && scaled <= MAX_VALUE) {
          integral.add(Math.round(scaled), until - from);
          millis += until - from;
        }
      }
      if (millis > 0) {
        all.add(
            new OwnerIntegrals.OfInterval(
                interval.owner(), Math.max(after, interval.from()), end, millis, integral));
      }
    }
    return all;
  }

  // --- of several gateways ---

  /** Ordered by identity; a series that moved between hosts has the intervals of both. */
  public List<OwnerIntegrals> merged(List<Answer> answers) {
    Map<Labels, List<OwnerIntegrals.OfInterval>> all = new TreeMap<>();
    for (Answer answer : answers) {
      for (OwnerIntegrals each : answer.series) {
        all.computeIfAbsent(each.identity(), none -> new ArrayList<>()).addAll(each.intervals());
      }
    }
    List<OwnerIntegrals> merged = new ArrayList<>();
    all.forEach(
        (identity, intervals) -> {
          intervals.sort(Comparator.comparingLong(OwnerIntegrals.OfInterval::from));
          merged.add(new OwnerIntegrals(identity, intervals));
        });
    return merged;
  }
}
