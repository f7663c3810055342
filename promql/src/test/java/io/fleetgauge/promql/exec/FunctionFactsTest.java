package io.fleetgauge.promql.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@link Function} declares of each function is what the evaluator does. */
class FunctionFactsTest {
  private static final Query.Settings SETTINGS =
      Query.Settings.STOCK.withFeatures(
          java.util.EnumSet.complementOf(java.util.EnumSet.of(Feature.DELAYED_NAME_REMOVAL)));
  private static final long NOW = 120_000;

  private static final InMemorySeries NUMBERS =
      new InMemorySeries(
          List.of(
              series("x", "gpu", "0", 0.1, 0.5, 0.7, 0.9, 0.3),
              series("x", "gpu", "1", 0.9, 0.8, 0.4, 0.2, 0.6),
              series("x", "gpu", "2", 0.2, 0.4, 0.6, 0.8, 0.95)));

  /** One sample every 25 s, so that all are in the last two minutes. */
  private static Series series(String name, String label, String value, double... values) {
    long[] times = new long[values.length];
    for (int i = 0; i < times.length; i++) {
      times[i] = 15_000 + i * 25_000L;
    }
    return new Series(Labels.of("__name__", name, label, value), times, values);
  }

  static Stream<Function> all() {
    return Function.all().stream();
  }

  static Stream<Function.Range> ranges() {
    return Arrays.stream(Function.Range.values());
  }

  /** Functions of series that do not need a histogram or another series. */
  static Stream<Function> ofSeries() {
    return all()
        .filter(function -> function.returns() == ValueType.VECTOR)
        .filter(function -> function.fewestArguments() > 0 || !function.arguments().isEmpty())
        .filter(function -> !(function instanceof Function.OfHistograms));
  }

  /** The call with its fewest arguments, but at least one where there can be one. */
  private static String call(Function function, String vector, String shift) {
    return call(function, vector, shift, Math.max(function.fewestArguments(), 1));
  }

  private static String call(Function function, String vector, String shift, int count) {
    List<String> arguments = new ArrayList<>();
    for (int i = 0; i < Math.min(count, function.mostArguments()); i++) {
      arguments.add(
          switch (function.arguments().isEmpty() ? ValueType.SCALAR : function.argument(i)) {
            // The second vector of info is a list of matchers.
            case VECTOR -> i == 1 ? "{a=\"b\"}" : vector + shift;
            case MATRIX -> vector + "[2m]" + shift;
            case SCALAR -> "0.5";
            case STRING -> "\"a\"";
          });
    }
    return function.text() + "(" + String.join(", ", arguments) + ")";
  }

  private static Query query(String text, long time) throws ParseException {
    Expr expr = Parser.parse(text, new ParseOptions(Feature.ALL, 0, 0));
    return new Query(text, expr, time, time, 0, SETTINGS);
  }

  private static List<Answer.Sample> run(String text, long time, InMemorySeries series)
      throws Exception {
    Answer answer = Engine.run(query(text, time), series, StopCheck.NEVER);
    return ((Answer.Vector) answer.result()).samples();
  }

  @Test
  void everyFunctionIsFoundByItsNameAndNoOtherIs() {
    assertThat(Function.all()).allMatch(one -> Function.named(one.text()).orElseThrow() == one);
    assertThat(Function.named("ABS")).isEmpty();
    assertThat(Function.named("nosuch")).isEmpty();
    assertThat(Function.all()).isSortedAccordingTo((a, b) -> a.name().compareTo(b.name()));
  }

  @ParameterizedTest
  @MethodSource("all")
  void aCallTakesAsManyArgumentsAsItsSignatureSays(Function function) throws Exception {
    int fewest = function.fewestArguments();
    int most = Math.min(function.mostArguments(), fewest + 3);
    for (int count = fewest; count <= most; count++) {
      assertThat(query(call(function, "x", "", count), NOW).expr()).isInstanceOf(Expr.Call.class);
    }
    if (fewest > 0) {
      assertThatThrownBy(() -> query(call(function, "x", "", fewest - 1), NOW))
          .isInstanceOf(ParseException.class)
          .hasMessageContaining("argument(s) in call to \"" + function.text() + "\"");
    }
    if (function.mostArguments() < Integer.MAX_VALUE) {
      String text = call(function, "x", "", most);
      String more = text.substring(0, text.length() - 1) + (most == 0 ? "1)" : ", 1)");
      assertThatThrownBy(() -> query(more, NOW))
          .isInstanceOf(ParseException.class)
          .hasMessageContaining("argument(s) in call to \"" + function.text() + "\"");
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void aCallRefusesArgumentsOfAnotherType(Function function) {
    for (int i = 0; i < function.fewestArguments(); i++) {
      List<String> arguments = new ArrayList<>();
      for (int j = 0; j < function.fewestArguments(); j++) {
        boolean wrong = i == j;
        arguments.add(
            switch (function.argument(j)) {
              case VECTOR -> wrong ? "1" : "x";
              case MATRIX -> wrong ? "x" : "x[1m]";
              case SCALAR -> wrong ? "x" : "1";
              case STRING -> wrong ? "x" : "\"a\"";
            });
      }
      String text = function.text() + "(" + String.join(", ", arguments) + ")";
      assertThatThrownBy(() -> query(text, NOW))
          .as(text)
          .isInstanceOf(ParseException.class)
          .hasMessageContaining("expected type");
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void aFunctionBehindAFlagIsUnknownOrDisabledWithoutIt(Function function) {
    String text = call(function, "x", "", function.fewestArguments());
    if (function.isNewer()) {
      assertThatThrownBy(() -> Parser.parse(text)).hasMessageContaining("unknown function");
    } else if (function.isExperimental()) {
      assertThatThrownBy(() -> Parser.parse(text)).hasMessageContaining("is not enabled");
    }
  }

  @ParameterizedTest
  @MethodSource("ofSeries")
  void resultsHaveThePromisedName(Function function) throws Exception {
    List<Answer.Sample> samples = run(call(function, "x", ""), NOW, NUMBERS);
    switch (function.metricName()) {
      case KEPT ->
          assertThat(samples).isNotEmpty().allMatch(one -> one.labels().metric().equals("x"));
      case DROPPED ->
          assertThat(samples).isNotEmpty().allMatch(one -> one.labels().metric().isEmpty());
      case WRITTEN -> {}
    }
  }

  @ParameterizedTest
  @MethodSource("ofSeries")
  void withoutInputThereAreOnlyThePromisedPoints(Function function) throws Exception {
    List<Answer.Sample> samples = run(call(function, "nosuch", ""), NOW, NUMBERS);
    switch (function.points()) {
      case WITH_INPUT -> assertThat(samples).isEmpty();
      case WITHOUT_INPUT -> assertThat(samples).isNotEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("ofSeries")
  void fixedArgumentsGiveOneValueAtAllTimesUnlessTheTimeCounts(Function function) throws Exception {
    String text = call(function, "x", " @ 120");
    String early = run(text, NOW, NUMBERS).toString();
    String late = run(text, NOW + 86_400_000, NUMBERS).toString();
    boolean takesTime =
        switch (function.steps()) {
          case TIME ->
              function != Function.OfVectors.INFO && function != Function.OfVectors.TIMESTAMP;
          case ARGUMENTS, TIME_WITHOUT_ARGUMENTS, QUERY -> false;
        };
    if (takesTime) {
      assertThat(late).isNotEqualTo(early);
    } else {
      assertThat(late).isEqualTo(early);
    }
  }

  @ParameterizedTest
  @MethodSource("ofSeries")
  void columnsOfOneMetricKeepThePromisedOrder(Function function) throws Exception {
    Query query = query(call(function, "x", ""), NOW);
    List<Column> columns =
        Engine.columns(query, query.expr(), query.grid(), NUMBERS, StopCheck.NEVER).columns();
    switch (function.order()) {
      case KEPT -> assertThat(columns).extracting(Column::labels).isSorted();
      case LOST, READ, SET -> {}
    }
  }

  /** Labels that say the values' order backwards, so that sorting by either shows. */
  @Test
  void sortingFunctionsSetTheOrderOfAnInstantQuery() throws Exception {
    for (Function function : Function.all()) {
      if (function.order() == Function.Order.SET) {
        List<Answer.Sample> samples = run(call(function, "x", ""), NOW, NUMBERS);
        assertThat(samples).as(function.text()).hasSize(3);
        List<Double> values = new ArrayList<>(samples.stream().map(Answer.Sample::value).toList());
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        switch ((Function.OfVectors) function) {
          case SORT -> assertThat(values).isEqualTo(sorted);
          case SORT_DESC -> assertThat(values).isEqualTo(sorted.reversed());
          case SORT_BY_LABEL -> assertThat(samples).extracting(Answer.Sample::labels).isSorted();
          case SORT_BY_LABEL_DESC ->
              assertThat(samples.reversed()).extracting(Answer.Sample::labels).isSorted();
          case ABSENT, ABSENT_OVER_TIME, INFO, LABEL_JOIN, LABEL_REPLACE, TIMESTAMP, VECTOR ->
              throw new AssertionError(function.text() + " sets no order");
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ranges")
  void aWindowNeedsThePromisedSamples(Function.Range function) throws Exception {
    for (int size = 1; size <= 3; size++) {
      InMemorySeries few =
          new InMemorySeries(
              List.of(series("x", "a", "b", Arrays.copyOf(new double[] {0.1, 0.2, 0.4}, size))));
      assertThat(run(call(function, "x", "", 9), NOW, few))
          .as("%d samples", size)
          .hasSize(size >= function.fewestSamples() ? 1 : 0);
    }
  }

  @ParameterizedTest
  @MethodSource("ranges")
  void aWindowsEdgesAreThosePromised(Function.Range function) throws Exception {
    for (Expr.Edges edges : Expr.Edges.values()) {
      String text = call(function, "x", "").replace("[2m]", "[2m] " + edges.text);
      if (function.allows(edges)) {
        assertThat(run(text, NOW, NUMBERS)).as(text).isNotEmpty();
      } else {
        assertThatThrownBy(() -> run(text, NOW, NUMBERS))
            .as(text)
            .isInstanceOf(QueryFailure.class)
            .hasMessageStartingWith(edges.text + " modifier can only be used with: ")
            .hasMessageEndingWith(" - not with " + function.text());
      }
    }
  }

  private static Histogram histogram(double count) {
    return new Histogram(
        0,
        Histogram.ResetHint.UNKNOWN,
        count,
        2 * count,
        0.1,
        0,
        new Histogram.Buckets(new int[] {1}, new double[] {count}),
        Histogram.Buckets.NONE,
        new double[0]);
  }

  /** Two histograms and one number between them. */
  private static InMemorySeries histograms() {
    return new InMemorySeries(
        List.of(
            new Series(
                Labels.of("__name__", "x"),
                new long[] {30_000, 60_000, 90_000},
                new double[] {Staleness.MARKER, 7, Staleness.MARKER},
                new Histogram[] {histogram(3), null, histogram(5)})));
  }

  @ParameterizedTest
  @MethodSource("ranges")
  void nativeHistogramsOfAWindowAreTakenSkippedOrRefused(Function.Range function) throws Exception {
    String text = call(function, "x", "", 9);
    switch (function.histograms()) {
      case TAKEN -> assertThat(run(text, NOW, histograms())).hasSize(1);
      case REFUSED ->
          assertThatThrownBy(() -> run(text, NOW, histograms()))
              .isInstanceOf(QueryFailure.class)
              .hasMessage(function.text() + " of native histograms is not supported yet");
      case SKIPPED ->
          // There is one number only.
          assertThat(run(text, NOW, histograms())).hasSize(function.fewestSamples() == 1 ? 1 : 0);
    }
  }

  @Test
  void functionsThatTakeHistogramsCountThemAsSamples() throws Exception {
    assertThat(run("count_over_time(x[2m])", NOW, histograms()).getFirst().value()).isEqualTo(3);
    assertThat(run("present_over_time(x[2m])", NOW, histograms()).getFirst().value()).isEqualTo(1);
    assertThat(run("ts_of_first_over_time(x[2m])", NOW, histograms()).getFirst().value())
        .isEqualTo(30);
    assertThat(run("ts_of_last_over_time(x[2m])", NOW, histograms()).getFirst().value())
        .isEqualTo(90);
    assertThat(run("first_over_time(x[2m])", NOW, histograms()).getFirst().histogram())
        .isEqualTo(histogram(3));
    assertThat(run("last_over_time(x[2m])", NOW, histograms()).getFirst().histogram())
        .isEqualTo(histogram(5));
    assertThat(run("histogram_count(x)", NOW, histograms()).getFirst().value()).isEqualTo(5);
    assertThat(run("histogram_sum(x)", NOW, histograms()).getFirst().value()).isEqualTo(10);
    assertThat(run("histogram_avg(x)", NOW, histograms()).getFirst().value()).isEqualTo(2);
  }

  @Test
  void arithmeticOfNativeHistogramsIsRefusedByName() {
    for (String text :
        List.of(
            "histogram_stddev(x)",
            "histogram_stdvar(x)",
            "histogram_quantile(0.5, x)",
            "histogram_fraction(0, 1, x)",
            "histogram_quantiles(x, \"q\", 0.5)",
            "-x",
            "x * 2",
            "sum(x)",
            "avg(x)")) {
      assertThatThrownBy(() -> run(text, NOW, histograms()))
          .as(text)
          .isInstanceOf(QueryFailure.class)
          .hasMessageEndingWith(" of native histograms is not supported yet");
    }
  }

  @Test
  void aggregationsThatKnowNoHistogramsSkipThemAndSaySo() throws Exception {
    for (String op : List.of("min", "max", "stddev", "stdvar", "topk(1, x)", "quantile(0.5, x)")) {
      String text = op.contains("(") ? op : op + "(x)";
      Answer answer = Engine.run(query(text, NOW), histograms(), StopCheck.NEVER);
      assertThat(((Answer.Vector) answer.result()).samples()).as(text).isEmpty();
      assertThat(answer.infos())
          .singleElement()
          .asString()
          .contains("ignored histogram in " + text.substring(0, text.indexOf('(')));
    }
    assertThat(run("count(x)", NOW, histograms()).getFirst().value()).isEqualTo(1);
    assertThat(run("group(x)", NOW, histograms()).getFirst().value()).isEqualTo(1);
  }
}
