package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.fragment.form.SelectorForm;
import io.fleetgauge.promql.fragment.form.SeriesForm;
import io.fleetgauge.promql.fragment.form.SymbolTable;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The samples of some selections.
 *
 * @param budget most samples that the answer may hold; more is an error
 */
public record SamplesQuestion(long budget, List<Selection> selections)
    implements Question<SamplesQuestion.Answer> {
  /**
   * @param series one list for each selection that was asked for, in the same order
   */
  public record Answer(List<List<Series>> series) implements Result {
    @Override
    public void write(WireWriter out, WireWriter body) {
      SymbolTable symbols = new SymbolTable();
      body.list(
          series,
          selection ->
              body.list(
                  selection,
                  each -> {
                    symbols.labels(body, each.labels());
                    SeriesForm.write(body, each);
                  }));
      symbols.write(out);
    }
  }

  static SamplesQuestion read(WireReader in) throws WireException {
    return new SamplesQuestion(in.uvar("the budget"), SelectorForm.selections(in));
  }

  @Override
  public void write(WireWriter out) {
    out.uvar(budget);
    SelectorForm.selections(out, selections);
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    List<String> symbols = SymbolTable.read(in);
    List<List<Series>> all =
        in.list(
            1,
            "selections",
            selection ->
                selection.list(
                    3, "series", each -> SeriesForm.read(each, SymbolTable.labels(each, symbols))));
    if (all.size() != selections.size()) {
      throw new WireException(all.size() + " selections answer " + selections.size());
    }
    return new Answer(all);
  }

  /** The samples of an incomplete host are in the answer, but the host is not covered. */
  @Override
  public Answer answer(Holdings holdings) throws TooManySamples, QueryFailure {
    List<List<Series>> all = new ArrayList<>(selections.size());
    long left = budget;
    for (Selection selection : selections) {
      List<Series> found = holdings.samples(selection, left);
      left -= found.stream().mapToLong(Series::size).sum();
      all.add(found);
    }
    return new Answer(all);
  }

  /** One list for each selection, ordered by label set, each label set once. */
  public List<List<Series>> merged(List<Answer> answers) {
    List<List<Series>> merged = new ArrayList<>(selections.size());
    for (int i = 0; i < selections.size(); i++) {
      List<Series> all = new ArrayList<>();
      for (Answer answer : answers) {
        all.addAll(answer.series.get(i));
      }
      all.sort(Comparator.comparing(Series::labels));
      merged.add(Series.joinEqual(all));
    }
    return merged;
  }
}
