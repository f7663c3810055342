package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.fragment.form.SelectorForm;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;

/** The values of a label of series. */
public record LabelValuesQuestion(String label, SeriesSearch search) implements Question<Strings> {
  static LabelValuesQuestion read(WireReader in) throws WireException {
    return new LabelValuesQuestion(in.string("a label"), SelectorForm.search(in));
  }

  @Override
  public void write(WireWriter out) {
    SelectorForm.search(out.string(label), search);
  }

  @Override
  public Strings answer(WireReader in, byte[] bytes) throws WireException {
    return Strings.read(in);
  }

  @Override
  public Strings answer(Holdings holdings) {
    return new Strings(holdings.labelValues(label, search));
  }

  /** Sorted, each once. */
  public List<String> merged(List<Strings> answers) {
    return Strings.merged(answers);
  }
}
