package io.fleetgauge.query.fanout;

import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Utf8Order;
import java.util.ArrayList;
import java.util.Arrays;
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
      merged.add(joinEqual(all));
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

  /** Two hosts may send one label set; samples are facts, so the two are united. */
  private static List<Series> joinEqual(List<Series> sorted) {
    List<Series> joined = new ArrayList<>(sorted.size());
    for (Series series : sorted) {
      if (!joined.isEmpty() && joined.getLast().labels().equals(series.labels())) {
        joined.add(union(joined.removeLast(), series));
      } else {
        joined.add(series);
      }
    }
    return joined;
  }

  static Series union(Series a, Series b) {
    long[] times = new long[a.size() + b.size()];
    double[] values = new double[times.length];
    boolean plain = a.histograms() == null && b.histograms() == null;
    Histogram[] histograms = plain ? null : new Histogram[times.length];
    int size = 0;
    int i = 0;
    int j = 0;
    while (i < a.size() || j < b.size()) {
      boolean fromA = j == b.size() || i < a.size() && a.times()[i] <= b.times()[j];
      if (fromA && j < b.size() && a.times()[i] == b.times()[j]) {
        j++; // of two samples at one time the first source's counts
      }
      Series from = fromA ? a : b;
      int at = fromA ? i++ : j++;
      times[size] = from.times()[at];
      values[size] = from.values()[at];
      if (histograms != null && from.histograms() != null) {
        histograms[size] = from.histograms()[at];
      }
      size++;
    }
    return new Series(
        a.labels(),
        Arrays.copyOf(times, size),
        Arrays.copyOf(values, size),
        plain ? null : Arrays.copyOf(histograms, size));
  }
}
