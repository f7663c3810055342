package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.form.ListForm;
import io.fleetgauge.promql.fragment.form.SelectorForm;
import io.fleetgauge.promql.fragment.form.UsageForm;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.usage.HostUsage;
import io.fleetgauge.promql.usage.KeptMonth;
import io.fleetgauge.promql.usage.SampledUsage;
import io.fleetgauge.promql.usage.UsageExtent;
import io.fleetgauge.promql.usage.UsageHistory;
import io.fleetgauge.promql.usage.UsageLabels;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsagePlaces;
import io.fleetgauge.promql.usage.UsageReads;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageRows;
import io.fleetgauge.promql.usage.UsageSums;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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
  /** A remark about how it was counted, for readers. The wire has them by their ordinals. */
  public enum Note {
    /** Whole hours are counted where the question asks for a part of one. */
    ROUNDED("samples have expired: usage is that of the nearest whole hours, as it was kept"),
    OTHER_TERMS(
        "samples have expired: usage is by the terms and labels by which it was kept, not by those"
            + " asked for"),
    OF_EXPORTER(
        "GPUs seem to be held by the pod of the exporter that was scraped, and may be held by"
            + " nobody: their series have its pod, and those of other GPUs have exported_pod"),
    /** The question is about some metrics or by other labels, and records are of all metrics. */
    NOT_OF_METRICS(
        "samples have expired: usage was kept of all metrics and without some labels, and nothing"
            + " is counted of what is asked for, or what the token may read");

    private final String text;

    Note(String text) {
      this.text = text;
    }
  }

  /**
   * @param rows in order; each device, owner and interval once
   */
  public record Answer(List<UsageRow> rows, Set<Note> notes) implements Result {
    public Answer(List<UsageRow> rows) {
      this(rows, Set.of());
    }

    @Override
    public void write(WireWriter out, WireWriter body) {
      int bits = 0;
      for (Note note : notes) {
        bits |= 1 << note.ordinal();
      }
      body.u8(bits);
      UsageForm.write(body, rows);
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
    int bits = in.u8("how it was counted");
    Set<Note> notes = EnumSet.allOf(Note.class);
    notes.removeIf(each -> (bits >> each.ordinal() & 1) == 0);
    UsageSums all = all();
    UsageForm.read(in, all, UsagePlaces.same(period.intervals()));
    return new Answer(all.rows(), notes);
  }

  private static UsageSums all() {
    return new UsageSums(List.of(), List.of());
  }

  // --- at a gateway ---

  @Override
  public Answer answer(Holdings holdings) throws TooManySamples, QueryFailure {
    UsageSums sums = sums();
    List<Matcher> metrics = metrics();
    Set<String> more = labels();
    boolean areRecordsMeant = areRecordsMeant();
    Set<Note> notes = EnumSet.noneOf(Note.class);
    for (String host : holdings.hosts()) {
      Holdings own = holdings.of(host);
      List<KeptMonth> months = own.keptUsage(host, period.from(), period.to());
      if (!areRecordsMeant) {
        note(notes, Note.NOT_OF_METRICS, months.stream().anyMatch(UsageQuestion::hasExpired));
        months = List.of();
      }
      SampledUsage samples = new SampledUsage(own, terms, more, metrics);
      UsageHistory history =
          new UsageHistory(
              period,
              terms,
              hasMoreLabels(),
              part -> isMeant(own, part) ? samples.rows(part) : List.of(),
              sums);
      history.read(months);
      note(notes, Note.ROUNDED, history.isRounded());
      note(notes, Note.OTHER_TERMS, history.isByOtherTerms());
      note(notes, Note.OF_EXPORTER, history.isOfExporter());
      if (sums.size() > UsageForm.MAX_ROWS) {
        throw TooManySamples.of("rows of usage", sums.size(), UsageForm.MAX_ROWS);
      }
    }
    return new Answer(sums.rows(), notes);
  }

  private static void note(Set<Note> notes, Note note, boolean applies) {
    if (applies) {
      notes.add(note);
    }
  }

  private static boolean hasExpired(KeptMonth month) {
    return month.days().stream().anyMatch(day -> !day.hasSamples());
  }

  /**
   * Returns true if records may tell. They are of all metrics, and have not all labels: what has to
   * be without one of those could be anybody's.
   */
  private boolean areRecordsMeant() {
    return metrics().isEmpty()
        && matchers.stream()
            .filter(each -> !isOfMetric(each) && !UsageLabels.ALL.contains(each.name()))
            .noneMatch(each -> each.matches(""));
  }

  /** Matchers of the metric's name, unless all metrics of usage match. */
  private List<Matcher> metrics() {
    return matchers.stream()
        .filter(UsageQuestion::isOfMetric)
        .filter(each -> !HostUsage.metrics().stream().allMatch(each::matches))
        .toList();
  }

  /** About what {@link #answer(Holdings)} reads; of samples, those whose series match. */
  UsageExtent extent(Holdings holdings) throws TooManySamples, QueryFailure {
    UsageExtent all = UsageExtent.NONE;
    for (String host : holdings.hosts()) {
      Holdings own = holdings.of(host);
      UsageReads reads = new UsageReads(terms, own, matchers);
      List<KeptMonth> months =
          areRecordsMeant() ? own.keptUsage(host, period.from(), period.to()) : List.of();
      all = all.plus(reads.of(period, hasMoreLabels(), sums(), months));
    }
    return all;
  }

  private UsageSums sums() {
    return new UsageSums(matchers.stream().filter(each -> !isOfMetric(each)).toList(), kept);
  }

  private boolean hasMoreLabels() {
    return !UsageLabels.ALL.containsAll(labels());
  }

  /** Labels of owners that are asked for, besides those that rows always have. */
  private Set<String> labels() {
    Set<String> names = new HashSet<>(kept);
    matchers.forEach(matcher -> names.add(matcher.name()));
    names.remove(Labels.NAME);
    return names;
  }

  private static boolean isOfMetric(Matcher matcher) {
    return matcher.name().equals(Labels.NAME);
  }

  /** Of what is stored, about as much as the question reads. */
  public List<Selection> selections() {
    return selections(period);
  }

  private List<Selection> selections(UsagePeriod part) {
    return SampledUsage.selections(
        matchers, HostUsage.after(part, terms), HostUsage.to(part, terms));
  }

  /** A host without a series that matches has no row that does. */
  private boolean isMeant(Holdings own, UsagePeriod part) {
    return matchers.isEmpty()
        || selections(part).stream().anyMatch(each -> own.extent(each).series() > 0);
  }

  // --- of several gateways ---

  public UsageRows merged(List<Answer> answers) {
    UsageSums all = all();
    answers.forEach(answer -> answer.rows.forEach(all::add));
    return new UsageRows(
        all.rows(),
        Arrays.stream(Note.values())
            .filter(note -> answers.stream().anyMatch(answer -> answer.notes.contains(note)))
            .map(note -> note.text)
            .toList());
  }
}
