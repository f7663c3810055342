package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.form.ListForm;
import io.fleetgauge.promql.fragment.form.SelectorForm;
import io.fleetgauge.promql.fragment.form.SymbolTable;
import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.HostUsage;
import io.fleetgauge.promql.usage.KeptDay;
import io.fleetgauge.promql.usage.SampledUsage;
import io.fleetgauge.promql.usage.UsageHistory;
import io.fleetgauge.promql.usage.UsageLabels;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageRows;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What GPUs were used for.
 *
 * @param matchers of rows: of the labels of their owner or else of their device. Matchers of the
 *     metric's name are of the series that rows are made of
 * @param kept names of the labels that rows keep, so that there are fewer; all of {@link
 *     UsageLabels} if there is none. Other names are labels of owners too
 */
public record UsageQuestion(
    List<Matcher> matchers, List<String> kept, UsagePeriod period, UsageTerms terms)
    implements Question<UsageQuestion.Answer> {
  private static final int MAX_ROWS = 1_000_000;

  private static final int ROUNDED = 1;
  private static final int OTHER_TERMS = 2;
  private static final int OF_EXPORTER = 4;

  /**
   * @param rows in order; each device, owner and interval once
   * @param isRounded whether whole hours are counted where the question asks for a part of one,
   *     because samples have expired
   * @param isByOtherTerms whether something is counted by other terms, for the same reason
   * @param isOfExporter whether the pod of an exporter seems to have GPUs
   */
  public record Answer(
      List<UsageRow> rows, boolean isRounded, boolean isByOtherTerms, boolean isOfExporter)
      implements Result {
    public Answer(List<UsageRow> rows) {
      this(rows, false, false, false);
    }

    @Override
    public void write(WireWriter out, WireWriter body) {
      SymbolTable symbols = new SymbolTable();
      body.u8(
          (isRounded ? ROUNDED : 0)
              | (isByOtherTerms ? OTHER_TERMS : 0)
              | (isOfExporter ? OF_EXPORTER : 0));
      body.uvar(rows.size());
      for (UsageRow row : rows) {
        symbols.labels(body, row.device());
        symbols.labels(body, row.owner());
        body.uvar(row.interval());
        long which = 0;
        for (Amount amount : Amount.values()) {
          which |= row.amount(amount).isZero() ? 0 : 1L << amount.ordinal();
        }
        body.uvar(which).uvar(row.counted());
        for (Integral amount : row.amounts()) {
          if (!amount.isZero()) {
            body.svar(amount.high()).u64(amount.low());
          }
        }
        body.svar(row.memoryPeak()).svar(row.memoryAtEnd()).svar(row.hostMemoryPeak());
      }
      symbols.write(out);
    }
  }

  static UsageQuestion read(WireReader in) throws WireException {
    List<Matcher> matchers = SelectorForm.matchers(in);
    List<String> kept = ListForm.strings(in, "labels");
    UsagePeriod period = period(in);
    UsageTerms terms =
        new UsageTerms(
            in.uvar("the lookback"),
            in.uvar("the bridge"),
            in.uint(UsageTerms.WHOLE, "the activity of a busy device"),
            in.uint(UsageTerms.WHOLE, "the power of an execution-idle device"));
    if (terms.lookback() < 1 || terms.lookback() > MAX_TIME || terms.bridge() > MAX_TIME) {
      throw new WireException(
          "the lookback is " + terms.lookback() + " ms, the bridge " + terms.bridge());
    }
    return new UsageQuestion(matchers, kept, period, terms);
  }

  private static UsagePeriod period(WireReader in) throws WireException {
    int count = in.uint(UsagePeriod.MAX_INTERVALS, "the number of intervals");
    List<Long> borders = new ArrayList<>();
    borders.add(in.svar("the start"));
    for (int i = 0; i < count; i++) {
      long length = in.uvar("the length of an interval");
      long end = borders.getLast() + length;
      if (length < 1 || length > MAX_TIME || Math.abs(end) > MAX_TIME) {
        throw new WireException("an interval of " + length + " ms ends at " + end);
      }
      borders.add(end);
    }
    if (count == 0 || Math.abs(borders.getFirst()) > MAX_TIME) {
      throw new WireException(
          "the period has " + count + " intervals from " + borders.getFirst() + " on");
    }
    return UsagePeriod.of(borders);
  }

  /** Times beyond it are none, ms. */
  private static final long MAX_TIME = 1L << 52;

  @Override
  public void write(WireWriter out) {
    SelectorForm.matchers(out, matchers);
    ListForm.strings(out, kept);
    out.uvar(period.intervals()).svar(period.from());
    for (int i = 0; i < period.intervals(); i++) {
      out.uvar(period.end(i) - period.start(i));
    }
    out.uvar(terms.lookback()).uvar(terms.bridge()).uvar(terms.busy()).uvar(terms.highPower());
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    List<String> symbols = SymbolTable.read(in);
    int notes = in.u8("how it was counted");
    int count = in.count(7, "rows");
    List<UsageRow> rows = new ArrayList<>(count);
    int amounts = Amount.values().length;
    for (int i = 0; i < count; i++) {
      Labels device = SymbolTable.labels(in, symbols);
      Labels owner = SymbolTable.labels(in, symbols);
      int interval = in.uint(period.intervals() - 1, "an interval");
      int which = in.uint((1 << amounts) - 1, "which amounts a row has");
      int counted = in.uint((1 << amounts) - 1, "which counters a row has");
      List<Integral> all = new ArrayList<>(amounts);
      for (int j = 0; j < amounts; j++) {
        boolean isThere = (which >> j & 1) != 0;
        all.add(isThere ? new Integral(in.svar("an amount"), in.u64("an amount")) : new Integral());
      }
      rows.add(
          new UsageRow(
              device,
              owner,
              interval,
              all,
              counted,
              in.svar("the peak"),
              in.svar("memory at the end"),
              in.svar("the peak of the host")));
    }
    return new Answer(
        rows, (notes & ROUNDED) != 0, (notes & OTHER_TERMS) != 0, (notes & OF_EXPORTER) != 0);
  }

  // --- at a gateway ---

  @Override
  public Answer answer(Holdings holdings) throws TooManySamples, QueryFailure {
    List<UsageRow> rows = new ArrayList<>();
    List<Matcher> metrics = ofMetrics().toList();
    Set<String> more = labels();
    boolean hasMoreLabels = !UsageLabels.ALL.containsAll(more);
    boolean isRounded = false;
    boolean isByOtherTerms = false;
    boolean isOfExporter = false;
    for (String host : holdings.hosts()) {
      Holdings own = holdings.of(host);
      List<KeptDay> days =
          metrics.isEmpty() ? own.keptDays(host, period.from(), period.to()) : List.of();
      if (days.isEmpty() && !isMeant(own)) {
        continue;
      }
      UsageHistory history = new UsageHistory(period, terms, hasMoreLabels);
      SampledUsage samples = new SampledUsage(own, terms, more, metrics);
      List<UsageRow> ofHost = history.read(days, samples).stream().filter(this::isMeant).toList();
      isOfExporter |= UsageLabels.haveGpusOfExporter(ofHost);
      if (!kept.isEmpty()) {
        ofHost = ofHost.stream().map(row -> row.only(kept)).toList();
      }
      isRounded |= history.isRounded();
      isByOtherTerms |= history.isByOtherTerms();
      rows.addAll(UsageRow.joined(ofHost));
      rows = kept.isEmpty() ? rows : UsageRow.joined(rows);
      if (rows.size() > MAX_ROWS) {
        throw TooManySamples.of("rows of usage", rows.size(), MAX_ROWS);
      }
    }
    return new Answer(UsageRow.joined(rows), isRounded, isByOtherTerms, isOfExporter);
  }

  /** Labels of owners that are asked for, besides those that rows always have. */
  private Set<String> labels() {
    Set<String> names = new HashSet<>(kept);
    matchers.forEach(matcher -> names.add(matcher.name()));
    names.remove(Labels.NAME);
    return names;
  }

  private Stream<Matcher> ofMetrics() {
    return matchers.stream().filter(matcher -> matcher.name().equals(Labels.NAME));
  }

  /** Of what is stored, about as much as the question reads. */
  public List<Selection> selections() {
    return SampledUsage.selections(
        matchers, HostUsage.after(period, terms), HostUsage.to(period, terms));
  }

  /** A host without a series that matches has no row that does. */
  private boolean isMeant(Holdings own) {
    return matchers.isEmpty()
        || selections().stream().anyMatch(each -> own.extent(each).series() > 0);
  }

  private boolean isMeant(UsageRow row) {
    return matchers.stream()
        .filter(matcher -> !matcher.name().equals(Labels.NAME))
        .allMatch(matcher -> matcher.matches(row.value(matcher.name())));
  }

  // --- of several gateways ---

  public UsageRows merged(List<Answer> answers) {
    List<UsageRow> all = answers.stream().flatMap(each -> each.rows.stream()).toList();
    return new UsageRows(UsageRow.joined(all), notes(answers));
  }

  private static List<String> notes(List<Answer> answers) {
    List<String> notes = new ArrayList<>();
    if (answers.stream().anyMatch(Answer::isRounded)) {
      notes.add("samples have expired: usage is that of the nearest whole hours, as it was kept");
    }
    if (answers.stream().anyMatch(Answer::isByOtherTerms)) {
      notes.add(
          "samples have expired: usage is by the terms and labels by which it was kept, not by"
              + " those asked for");
    }
    if (answers.stream().anyMatch(Answer::isOfExporter)) {
      notes.add(
          "GPUs seem to be held by the pod of the exporter that was scraped, and may be held by"
              + " nobody: their series have its pod, and those of other GPUs have exported_pod");
    }
    return notes;
  }
}
