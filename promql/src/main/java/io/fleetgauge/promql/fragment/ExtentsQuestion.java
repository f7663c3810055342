package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.fragment.form.SelectorForm;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** Requests the amount that selections would read. */
public record ExtentsQuestion(List<Selection> selections)
    implements Question<ExtentsQuestion.Answer> {
  /**
   * @param extents one for each selection that was asked for, in the same order
   */
  public record Answer(List<Extent> extents) implements Result {
    @Override
    public void write(WireWriter out, WireWriter body) {
      out.list(extents, extent -> out.uvar(extent.series()).uvar(extent.samples()));
    }
  }

  static ExtentsQuestion read(WireReader in) throws WireException {
    return new ExtentsQuestion(SelectorForm.selections(in));
  }

  @Override
  public void write(WireWriter out) {
    SelectorForm.selections(out, selections);
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    List<Extent> extents =
        in.list(2, "extents", each -> new Extent(each.uvar("series"), each.uvar("samples")));
    if (extents.size() != selections.size()) {
      throw new WireException(
          extents.size() + " extents answer " + selections.size() + " selections");
    }
    return new Answer(extents);
  }

  @Override
  public Answer answer(Holdings holdings) {
    return new Answer(selections.stream().map(holdings::extent).toList());
  }

  @Override
  public boolean isWork() {
    return false;
  }

  /** Returns the sum of all gateways, by selection. */
  public List<Extent> merged(List<Answer> answers) {
    List<Extent> merged = new ArrayList<>();
    for (int i = 0; i < selections.size(); i++) {
      long series = 0;
      long samples = 0;
      for (Answer answer : answers) {
        series += answer.extents.get(i).series();
        samples += answer.extents.get(i).samples();
      }
      merged.add(new Extent(series, samples));
    }
    return merged;
  }
}
