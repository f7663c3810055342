package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.fragment.form.ListForm;
import io.fleetgauge.sample.Utf8Order;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;
import java.util.TreeSet;

/** Names or values of labels, sorted, each once. */
public record Strings(List<String> strings) implements Result {
  static Strings read(WireReader in) throws WireException {
    return new Strings(ListForm.strings(in, "strings"));
  }

  @Override
  public void write(WireWriter out, WireWriter body) {
    ListForm.strings(out, strings);
  }

  static List<String> merged(List<Strings> answers) {
    TreeSet<String> all = new TreeSet<>(Utf8Order::compare);
    answers.forEach(answer -> all.addAll(answer.strings));
    return List.copyOf(all);
  }
}
