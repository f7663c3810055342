package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Reading;
import io.fleetgauge.promql.fragment.form.ListForm;
import io.fleetgauge.promql.fragment.form.NumbersForm;
import io.fleetgauge.promql.fragment.form.PartResultForm;
import io.fleetgauge.promql.fragment.form.ReadingForm;
import io.fleetgauge.promql.fragment.form.SymbolTable;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.plan.EvaluatedParts;
import io.fleetgauge.promql.plan.PartText;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.query.AddedLabel;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.ProvidedPart;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Parts of a query, evaluated for the series of some hosts.
 *
 * @param start of the query, which {@code @ start()} means, ms
 * @param end of the query, ms
 * @param step of the query, ms; 0 for an instant query
 * @param settings of the query, which limit the samples that may be read or held
 * @param timeoutMillis after this time nobody waits for the answer
 * @param since the answer is to say what had changed since then, before anything was read for it;
 *     empty when nobody asks
 * @param label that all series get before anything is evaluated; rollups have groups without it
 */
public record PartsQuestion(
    long start,
    long end,
    long step,
    Query.Settings settings,
    long timeoutMillis,
    List<Part> parts,
    Optional<ChangesQuestion.Since> since,
    Optional<AddedLabel> label)
    implements Question<PartsQuestion.Answer> {
  private static final int CHANGES = 1;
  private static final int LABEL = 2;
  private static final int PARTIAL = 1;
  private static final int ROLLUPS = 2;

  /**
   * One part of a query: PromQL of its own, with the scope in it.
   *
   * @param grid its steps; subqueries reach up to its end, which may lie behind the last step
   * @param partial whether it is folded and not finished
   * @param rollups whether rollups may be used
   */
  public record Part(PartText text, Grid grid, boolean partial, boolean rollups) {
    private void write(WireWriter out) {
      out.string(text.promql());
      ReadingForm.write(out, text.readings());
      out.svar(grid.start()).uvar(grid.step()).svar(grid.end());
      out.u8((partial ? PARTIAL : 0) | (rollups ? ROLLUPS : 0));
    }

    private static Part read(WireReader in) throws WireException {
      String promql = in.string("a part");
      List<List<Reading>> readings = ReadingForm.read(in);
      long start = in.svar("a part's start");
      long step = in.uvar("a part's step");
      long end = in.svar("a part's end");
      if (step < 1 || end < start || (end - start) / step >= NumbersForm.MOST) {
        throw new WireException(
            "a part has the steps " + start + " to " + end + " every " + step + " ms");
      }
      int flags = in.uint(PARTIAL | ROLLUPS, "a part's flags");
      return new Part(
          new PartText(promql, readings),
          new Grid(start, step, end),
          (flags & PARTIAL) != 0,
          (flags & ROLLUPS) != 0);
    }
  }

  public sealed interface Answer extends Result permits Results, Unfit {}

  /**
   * The results of the parts.
   *
   * @param read the hosts with data in it; some may be incomplete and so not covered; empty when
   *     they are those covered
   * @param parts one for each that was asked for, in the same order
   * @param notes how each part was evaluated, for explain; empty when there is nothing to note
   * @param rollupCells how many rollup cells were used
   * @param hostLabels the labels from which this gateway derives the host of a series, in order
   * @param changes what had changed before anything was read for this, if that was asked for
   */
  public record Results(
      List<String> read,
      List<PartResult> parts,
      List<String> notes,
      long rollupCells,
      List<String> hostLabels,
      Optional<ChangesQuestion.Answer> changes)
      implements Answer {
    /** The same, with what had changed before anything was read for it. */
    public Results after(Optional<ChangesQuestion.Answer> before) {
      return new Results(read, parts, notes, rollupCells, hostLabels, before);
    }

    @Override
    public List<String> read(List<String> covered) {
      return read.isEmpty() ? covered : read;
    }

    @Override
    public int bodyBytes() {
      return PartResultForm.bytes(parts);
    }

    @Override
    public void write(WireWriter out, WireWriter body) {
      out.u8(1);
      ListForm.strings(out, read);
      ListForm.strings(out, hostLabels);
      ListForm.strings(out, notes);
      out.u8(changes.isPresent() ? 1 : 0);
      changes.ifPresent(each -> each.write(out));
      SymbolTable symbols = new SymbolTable();
      body.uvar(rollupCells).list(parts, part -> PartResultForm.write(body, symbols, part));
      symbols.write(out);
    }
  }

  /** The gateway cannot guarantee exact partial results; the samples have to be fetched instead. */
  public record Unfit(String reason) implements Answer {
    @Override
    public void write(WireWriter out, WireWriter body) {
      out.u8(0).string(reason);
    }
  }

  /** The parts of a planned query. */
  public static PartsQuestion of(Planned planned, long timeoutMillis) {
    Query query = planned.query();
    return new PartsQuestion(
        query.start(),
        query.end(),
        query.step(),
        query.settings(),
        timeoutMillis,
        planned.cuts().stream()
            .map(cut -> new Part(cut.text(), cut.grid(), cut.partial(), cut.rollups()))
            .toList(),
        Optional.empty());
  }

  /** Of series as they are stored. */
  public PartsQuestion(
      long start,
      long end,
      long step,
      Query.Settings settings,
      long timeoutMillis,
      List<Part> parts,
      Optional<ChangesQuestion.Since> since) {
    this(start, end, step, settings, timeoutMillis, parts, since, Optional.empty());
  }

  /** The same, with a question for changes. */
  public PartsQuestion since(ChangesQuestion.Since last) {
    return new PartsQuestion(
        start, end, step, settings, timeoutMillis, parts, Optional.of(last), label);
  }

  /** The same, of series that get a label. */
  public PartsQuestion with(AddedLabel added) {
    return new PartsQuestion(
        start, end, step, settings, timeoutMillis, parts, since, Optional.of(added));
  }

  /** The same, of series as they are stored. */
  public PartsQuestion withoutLabel() {
    return new PartsQuestion(
        start, end, step, settings, timeoutMillis, parts, since, Optional.empty());
  }

  /** The same, with other texts of the parts. */
  public PartsQuestion with(List<Part> otherParts) {
    return new PartsQuestion(start, end, step, settings, timeoutMillis, otherParts, since, label);
  }

  /**
   * The query that a part is, for an evaluation at the part's grid.
   *
   * @param expr what the part's text says
   */
  public Query query(Part part, Expr expr) {
    return new Query(part.text.promql(), expr, start, end, step, settings);
  }

  /** The same, parsed. */
  public Query query(Part part) throws ParseException, QueryFailure {
    return query(part, part.text.parsed(settings.features()));
  }

  static PartsQuestion read(WireReader in) throws WireException {
    long start = in.svar("the query's start");
    long end = in.svar("the query's end");
    long step = in.uvar("the query's step");
    Query.Settings settings = settings(in);
    long timeout = in.uvar("the timeout");
    List<Part> parts = in.list(6, "parts", Part::read);
    int more = in.uint(CHANGES | LABEL, "what follows the parts");
    Optional<ChangesQuestion.Since> since =
        (more & CHANGES) != 0 ? Optional.of(ChangesQuestion.Since.read(in)) : Optional.empty();
    Optional<AddedLabel> label =
        (more & LABEL) != 0
            ? Optional.of(new AddedLabel(in.string("a label"), in.string("a label's value")))
            : Optional.empty();
    return new PartsQuestion(start, end, step, settings, timeout, parts, since, label);
  }

  private static Query.Settings settings(WireReader in) throws WireException {
    long lookback = in.uvar("the lookback");
    long maxSamples = in.uvar("the most samples");
    long subqueryStep = in.uvar("the step of subqueries");
    if (subqueryStep < 1) {
      throw new WireException("the step of subqueries is 0 ms");
    }
    Set<Feature> features = EnumSet.noneOf(Feature.class);
    for (String name : ListForm.strings(in, "features")) {
      try {
        features.add(Feature.valueOf(name));
      } catch (IllegalArgumentException e) {
        throw new WireException("there is no feature " + name);
      }
    }
    return new Query.Settings(lookback, maxSamples, subqueryStep, Set.copyOf(features));
  }

  @Override
  public void write(WireWriter out) {
    out.svar(start).svar(end).uvar(step);
    out.uvar(settings.lookback()).uvar(settings.maxSamples()).uvar(settings.subqueryStep());
    out.list(new TreeSet<>(settings.features()), feature -> out.string(feature.name()));
    out.uvar(timeoutMillis).list(parts, part -> part.write(out));
    out.u8((since.isPresent() ? CHANGES : 0) | (label.isPresent() ? LABEL : 0));
    since.ifPresent(last -> last.write(out));
    label.ifPresent(added -> out.string(added.name()).string(added.value()));
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    if (in.uint(1, "whether there are results") == 0) {
      return new Unfit(in.string("the reason"));
    }
    List<String> read = ListForm.strings(in, "hosts");
    List<String> hostLabels = ListForm.strings(in, "host labels");
    List<String> notes = ListForm.strings(in, "notes");
    Optional<ChangesQuestion.Answer> changes =
        in.uint(1, "whether it says what has changed") == 1
            ? Optional.of(ChangesQuestion.Answer.read(in))
            : Optional.empty();
    List<String> symbols = SymbolTable.read(in);
    long rollupCells = in.uvar("the number of rollup cells");
    int count = in.count(4, "parts");
    if (count != parts.size() || notes.size() != count) {
      throw new WireException(
          count + " results and " + notes.size() + " notes answer " + parts.size() + " parts");
    }
    List<PartResult> results = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      results.add(PartResultForm.read(in, symbols, parts.get(i).grid().size()));
    }
    return new Results(read, results, notes, rollupCells, hostLabels, changes);
  }

  /** Reads the change log before any samples. */
  @Override
  public Answer answer(Holdings holdings) throws TooManySamples, QueryFailure {
    Optional<ChangesQuestion.Answer> changes = since.map(holdings::changes);
    Answer answer = holdings.parts(this);
    return answer instanceof Results results ? results.after(changes) : answer;
  }

  // --- the answers of several gateways ---

  /** The parts of a query plan, each as if one gateway had all hosts. */
  public EvaluatedParts merged(Planned planned, List<Answer> answers) {
    List<Results> all = new ArrayList<>();
    long samples = 0;
    long cells = 0;
    for (Answer answer : answers) {
      switch (answer) {
        case Unfit unfit -> {
          return EvaluatedParts.unfit(unfit.reason);
        }
        case Results results -> {
          all.add(results);
          samples += results.parts.stream().mapToLong(PartResult::samples).sum();
          cells += results.rollupCells;
        }
      }
    }
    if (all.stream().map(Results::hostLabels).distinct().count() > 1) {
      // One series may belong to different hosts for them.
      return EvaluatedParts.unfit("gateways have different ingest.hostLabels");
    }
    List<ProvidedPart> merged = new ArrayList<>();
    Map<String, String> notes = new LinkedHashMap<>();
    try {
      for (int i = 0; i < parts.size(); i++) {
        merged.add(merged(planned, i, all));
        for (Results results : all) {
          if (!results.notes.get(i).isEmpty()) {
            notes.putIfAbsent(parts.get(i).text.promql(), results.notes.get(i));
          }
        }
      }
    } catch (QueryFailure e) {
      return EvaluatedParts.unfit(e.getMessage());
    }
    return new EvaluatedParts(merged, "", samples, cells, notes);
  }

  private ProvidedPart merged(Planned planned, int index, List<Results> all) throws QueryFailure {
    Planned.Cut cut = planned.cuts().get(index);
    List<Column> columns = new ArrayList<>();
    List<Partial> partials = new ArrayList<>();
    Map<String, Annotation> annotations = new LinkedHashMap<>();
    for (Results results : all) {
      PartResult part = results.parts.get(index);
      columns.addAll(part.columns());
      partials.addAll(part.partials());
      for (Annotation annotation : part.annotations()) {
        Annotation same =
            annotations.putIfAbsent(annotation.warning() + annotation.text(), annotation);
        if (same != null && same.span().start() != annotation.span().start()) {
          throw new QueryFailure(
              QueryFailure.Kind.EXECUTION, "gateways make one annotation about different parts");
        }
      }
    }
    if (cut.partial()) {
      Expr.Aggregate aggregate = (Expr.Aggregate) cut.expr();
      columns = Engine.merged(planned.query(), aggregate, cut.grid(), partials);
    } else {
      columns.sort(Comparator.comparing(Column::labels));
    }
    return new ProvidedPart(
        columns, cut.text().inQuery(cut.expr(), settings.features(), annotations.values()));
  }
}
