package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.fragment.form.SelectorForm;
import io.fleetgauge.promql.fragment.form.SymbolTable;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** The label sets of series. */
public record LabelSetsQuestion(SeriesSearch search) implements Question<LabelSetsQuestion.Answer> {
  public record Answer(List<Labels> labelSets) implements Result {
    @Override
    public void write(WireWriter out, WireWriter body) {
      SymbolTable symbols = new SymbolTable();
      body.uvar(labelSets.size());
      for (Labels labels : labelSets) {
        symbols.labels(body, labels);
      }
      symbols.write(out);
    }
  }

  static LabelSetsQuestion read(WireReader in) throws WireException {
    return new LabelSetsQuestion(SelectorForm.search(in));
  }

  @Override
  public Kind kind() {
    return Kind.LABEL_SETS;
  }

  @Override
  public void write(WireWriter out) {
    SelectorForm.search(out, search);
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    List<String> symbols = SymbolTable.read(in);
    int count = in.count(1, "label sets");
    List<Labels> sets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      sets.add(SymbolTable.labels(in, symbols));
    }
    return new Answer(sets);
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
