package io.fleetgauge.query.fanout;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.Provided;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.shards.EvaluatedParts;
import io.fleetgauge.query.shards.Extent;
import io.fleetgauge.query.shards.Owners;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Utf8Order;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Merges the answers of several gateways to one fragment. */
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

  /** The parts of a query plan, each as if one gateway had all hosts. */
  static EvaluatedParts parts(List<FragmentAnswer> answers, Planned planned) {
    long samples = 0;
    long cells = 0;
    for (FragmentAnswer answer : answers) {
      if (answer instanceof FragmentAnswer.Unfit unfit) {
        return EvaluatedParts.unfit(unfit.reason());
      }
      FragmentAnswer.Parts parts = (FragmentAnswer.Parts) answer;
      samples += parts.parts().stream().mapToLong(PartResult::samples).sum();
      cells += parts.rollupCells();
    }
    if (!FragmentAnswer.Parts.haveSameHostLabels(answers)) {
      return EvaluatedParts.unfit("gateways have different ingest.hostLabels");
    }
    List<Provided> merged = new ArrayList<>();
    for (int i = 0; i < planned.cuts().size(); i++) {
      Planned.Cut cut = planned.cuts().get(i);
      List<Column> columns = new ArrayList<>();
      List<Partial> partials = new ArrayList<>();
      Map<String, Annotation> annotations = new LinkedHashMap<>();
      for (FragmentAnswer answer : answers) {
        PartResult part = ((FragmentAnswer.Parts) answer).parts().get(i);
        columns.addAll(part.columns());
        partials.addAll(part.partials());
        for (Annotation annotation : part.annotations()) {
          Annotation same =
              annotations.putIfAbsent(annotation.warning() + annotation.text(), annotation);
          if (same != null && same.span().start() != annotation.span().start()) {
            return EvaluatedParts.unfit("gateways make one annotation about different parts");
          }
        }
      }
      if (cut.partial()) {
        try {
          Expr.Aggregate aggregate = (Expr.Aggregate) cut.expr();
          columns = Engine.merged(planned.query(), aggregate, cut.grid(), partials);
        } catch (QueryFailure e) {
          return EvaluatedParts.unfit(e.getMessage());
        }
      } else {
        columns.sort(Comparator.comparing(Column::labels));
      }
      merged.add(new Provided(columns, List.copyOf(annotations.values())));
    }
    return new EvaluatedParts(merged, "", samples, cells, notes(answers, planned));
  }

  /** How each part was executed: the first note that a gateway made about it. */
  private static Map<String, String> notes(List<FragmentAnswer> answers, Planned planned) {
    Map<String, String> notes = new LinkedHashMap<>();
    for (FragmentAnswer answer : answers) {
      List<String> texts = ((FragmentAnswer.Parts) answer).notes();
      for (int i = 0; i < texts.size(); i++) {
        if (!texts.get(i).isEmpty()) {
          notes.putIfAbsent(planned.cuts().get(i).expr().toString(), texts.get(i));
        }
      }
    }
    return notes;
  }

  /** How many series and samples all gateways have, by selection. */
  static List<Extent> extents(List<FragmentAnswer> answers, int selections) {
    List<Extent> extents = new ArrayList<>();
    for (int i = 0; i < selections; i++) {
      long series = 0;
      long samples = 0;
      for (FragmentAnswer answer : answers) {
        FragmentAnswer.Extent extent = (FragmentAnswer.Extent) answer;
        series += extent.series().get(i);
        samples += extent.samples().get(i);
      }
      extents.add(new Extent(series, samples));
    }
    return extents;
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

  static Map<String, MetricMetadata> metadata(List<FragmentAnswer> answers) {
    Map<String, MetricMetadata> all = new TreeMap<>();
    answers.forEach(answer -> all.putAll(((FragmentAnswer.Metadata) answer).metrics()));
    return all;
  }

  /** By name. */
  static List<FragmentAnswer.Host> hosts(List<FragmentAnswer> answers) {
    return answers.stream()
        .flatMap(answer -> ((FragmentAnswer.Hosts) answer).hosts().stream())
        .sorted(Comparator.comparing(FragmentAnswer.Host::name))
        .toList();
  }

  /** Ordered by identity; a series that moved between hosts has the intervals of both. */
  static Owners owners(List<FragmentAnswer> answers) {
    long omitted = 0;
    Map<Labels, List<FragmentAnswer.OwnerInterval>> all = new TreeMap<>();
    for (FragmentAnswer answer : answers) {
      FragmentAnswer.Owners owners = (FragmentAnswer.Owners) answer;
      omitted += owners.omitted();
      for (FragmentAnswer.OwnedSeries series : owners.series()) {
        all.computeIfAbsent(series.identity(), none -> new ArrayList<>())
            .addAll(series.intervals());
      }
    }
    List<FragmentAnswer.OwnedSeries> merged = new ArrayList<>();
    all.forEach(
        (identity, intervals) -> {
          intervals.sort(Comparator.comparingLong(FragmentAnswer.OwnerInterval::from));
          merged.add(new FragmentAnswer.OwnedSeries(identity, intervals));
        });
    return new Owners(omitted, merged);
  }

  /** By metric, one piece from each gateway that has any. */
  static SortedMap<String, List<FragmentAnswer.Family>> families(List<FragmentAnswer> answers) {
    SortedMap<String, List<FragmentAnswer.Family>> all = new TreeMap<>(Utf8Order::compare);
    for (FragmentAnswer answer : answers) {
      for (FragmentAnswer.Family family : ((FragmentAnswer.Newest) answer).families()) {
        all.computeIfAbsent(family.name(), none -> new ArrayList<>()).add(family);
      }
    }
    return all;
  }

  /** Reductions by the same labels once, with each group and each metric once. */
  static List<FragmentAnswer.Reductions> reductions(List<FragmentAnswer> answers) {
    Map<List<String>, List<FragmentAnswer.Reductions>> equal = new LinkedHashMap<>();
    for (FragmentAnswer answer : answers) {
      for (FragmentAnswer.Reductions each : ((FragmentAnswer.Reduced) answer).reductions()) {
        equal.computeIfAbsent(each.by(), none -> new ArrayList<>()).add(each);
      }
    }
    return equal.values().stream().map(Merge::together).toList();
  }

  private static FragmentAnswer.Reductions together(List<FragmentAnswer.Reductions> pieces) {
    if (pieces.size() == 1) {
      return pieces.getFirst();
    }
    Map<Labels, Integer> places = new LinkedHashMap<>();
    Map<String, FragmentAnswer.Reduction> metrics = new TreeMap<>();
    for (FragmentAnswer.Reductions piece : pieces) {
      piece.groups().forEach(group -> places.putIfAbsent(group, places.size()));
    }
    for (FragmentAnswer.Reductions piece : pieces) {
      int[] place = piece.groups().stream().mapToInt(places::get).toArray();
      for (FragmentAnswer.Reduction each : piece.metrics()) {
        add(
            metrics.computeIfAbsent(
                each.metric(), name -> FragmentAnswer.Reduction.empty(name, places.size())),
            each,
            place);
      }
    }
    return new FragmentAnswer.Reductions(
        pieces.getFirst().by(), List.copyOf(places.keySet()), List.copyOf(metrics.values()));
  }

  /**
   * @param place index of each of the piece's groups in the sum's
   */
  private static void add(
      FragmentAnswer.Reduction to, FragmentAnswer.Reduction piece, int[] place) {
    for (int i = 0; i < place.length; i++) {
      if (piece.counts()[i] == 0) {
        continue;
      }
      int at = place[i];
      boolean first = to.counts()[at] == 0;
      to.counts()[at] += piece.counts()[i];
      double sum = to.sums()[at];
      double more = piece.sums()[i];
      double next = sum + more;
      to.sums()[at] = next;
      to.carries()[at] += piece.carries()[i];
      to.carries()[at] += Math.abs(sum) >= Math.abs(more) ? sum - next + more : more - next + sum;
      if (first || piece.mins()[i] < to.mins()[at] || Double.isNaN(to.mins()[at])) {
        to.mins()[at] = piece.mins()[i];
      }
      if (first || piece.maxs()[i] > to.maxs()[at] || Double.isNaN(to.maxs()[at])) {
        to.maxs()[at] = piece.maxs()[i];
      }
      to.newest()[at] = first ? piece.newest()[i] : Math.max(to.newest()[at], piece.newest()[i]);
    }
  }
}
