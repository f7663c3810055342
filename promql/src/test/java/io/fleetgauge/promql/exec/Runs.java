package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.RandomSeries;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Runs texts of the whole language; metric names are removed at once, as in a stock server. */
final class Runs {
  static final Query.Settings SETTINGS =
      Query.Settings.STOCK
          .withLookback(12_000)
          .withFeatures(EnumSet.complementOf(EnumSet.of(Feature.DELAYED_NAME_REMOVAL)));

  private Runs() {}

  /** The series of three hosts, from a seed. */
  static InMemorySeries series(long seed) {
    RandomSeries random = new RandomSeries(new SplittableRandom(seed), false);
    List<Series> all = new ArrayList<>();
    for (String host : List.of("n1", "n2", "n3")) {
      all.addAll(random.host(host));
    }
    return new InMemorySeries(all);
  }

  /** One sample of each series, at 0. */
  static Series sample(double value, String... labels) {
    return new Series(Labels.of(labels), new long[] {0}, new double[] {value});
  }

  static Answer answer(String text, long start, long end, long step, SeriesSource source)
      throws Exception {
    ParseOptions options = new ParseOptions(Feature.ALL, end - start, step);
    Query query = new Query(text, Parser.parse(text, options), start, end, step, SETTINGS);
    return Engine.run(query, source, StopCheck.NEVER);
  }

  static Answer answer(String text, long time, SeriesSource source) throws Exception {
    return answer(text, time, time, 0, source);
  }

  /** The samples of an instant query, in the order of its answer. */
  static Map<Labels, Double> instant(String text, long time, SeriesSource source) throws Exception {
    Map<Labels, Double> samples = new LinkedHashMap<>();
    for (Answer.Sample one : ((Answer.Vector) answer(text, time, source).result()).samples()) {
      samples.put(one.labels(), one.value());
    }
    return samples;
  }

  /** The samples of each step that has one. */
  static Map<Long, Map<Labels, Double>> range(
      String text, long start, long end, long step, SeriesSource source) throws Exception {
    Map<Long, Map<Labels, Double>> steps = new TreeMap<>();
    Answer answer = answer(text, start, end, step, source);
    for (Series one : ((Answer.Matrix) answer.result()).series()) {
      for (int i = 0; i < one.size(); i++) {
        steps
            .computeIfAbsent(one.times()[i], none -> new TreeMap<>())
            .put(one.labels(), one.values()[i]);
      }
    }
    return steps;
  }
}
