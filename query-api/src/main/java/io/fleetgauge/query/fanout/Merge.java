package io.fleetgauge.query.fanout;

import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Utf8Order;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/** Answers of several gateways as one. */
final class Merge {
  private Merge() {}

  /** One list for each selection, ordered by label set, each label set once. */
  static List<List<Series>> samples(List<FragmentAnswer> answers, int selections) {
    List<List<Series>> merged = new ArrayList<>(selections);
    for (int i = 0; i < selections; i++) {
      List<Series> all = new ArrayList<>();
      for (FragmentAnswer answer : answers) {
        all.addAll(((FragmentAnswer.Samples) answer).series().get(i));
      }
      all.sort(Comparator.comparing(Series::labels));
      merged.add(Series.joinEqual(all));
    }
    return merged;
  }

  static List<String> strings(List<FragmentAnswer> answers) {
    TreeSet<String> all = new TreeSet<>(Utf8Order::compare);
    answers.forEach(answer -> all.addAll(((FragmentAnswer.Strings) answer).strings()));
    return List.copyOf(all);
  }

  static List<Labels> labelSets(List<FragmentAnswer> answers) {
    TreeSet<Labels> all = new TreeSet<>();
    answers.forEach(answer -> all.addAll(((FragmentAnswer.LabelSets) answer).labelSets()));
    return List.copyOf(all);
  }
}
