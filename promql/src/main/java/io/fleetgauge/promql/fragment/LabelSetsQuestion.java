package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.fragment.form.SelectorForm;
import io.fleetgauge.promql.fragment.form.SymbolTable;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;
import java.util.TreeSet;

/** The label sets of series. */
public record LabelSetsQuestion(SeriesSearch search) implements Question<LabelSetsQuestion.Answer> {
  public record Answer(List<Labels> labelSets) implements Result {
    @Override
    public void write(WireWriter out, WireWriter body) {
      SymbolTable symbols = new SymbolTable();
      body.list(labelSets, labels -> symbols.labels(body, labels));
      symbols.write(out);
    }
  }

  static LabelSetsQuestion read(WireReader in) throws WireException {
    return new LabelSetsQuestion(SelectorForm.search(in));
  }

  @Override
  public void write(WireWriter out) {
    SelectorForm.search(out, search);
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    List<String> symbols = SymbolTable.read(in);
    return new Answer(in.list(1, "label sets", each -> SymbolTable.labels(each, symbols)));
  }

  @Override
  public Answer answer(Holdings holdings) {
    return new Answer(holdings.labelSets(search));
  }

  /** Sorted, each once. */
  public List<Labels> merged(List<Answer> answers) {
    TreeSet<Labels> all = new TreeSet<>();
    answers.forEach(answer -> all.addAll(answer.labelSets));
    return List.copyOf(all);
  }
}
