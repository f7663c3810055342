package io.fleetgauge.promql.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.RandomQueries;
import io.fleetgauge.promql.query.RandomSeries;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.fleetgauge.sample.vocabulary.Aliases;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A query that uses aliases is answered as if series were stored under them. */
class AliasLawsTest {
  private static final List<String> HOST_LABELS = List.of("Hostname", "node", "instance");
  private static final String HEAD = "vocabulary\tkind\talias\tstored\tfactor\tunit\thelp\n";

  /** What the random queries name, under names that are stored otherwise. */
  private static final AliasTable TABLE =
      table(
          "new\tmetric\tpower\told_power\t1/1000\t-\t-",
          "new\tmetric\trequests_total\told_requests\t1\t-\t-",
          "new\tlabel\track\told_rack\t-\t-\t-",
          "new\tlabel\tmachine\told_machine\t-\t-\t-",
          "other\tlabel\tgpu\told_gpu\t-\t-\t-");

  private static AliasTable table(String... lines) {
    try {
      return AliasTable.EMPTY.with("test", HEAD + String.join("\n", lines));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static Query instant(String text) throws Exception {
    return new Query(text, Parser.parse(text), 150_000, 150_000, 0, Query.Settings.STOCK);
  }

  private static Query range(String text) throws Exception {
    return new Query(text, Parser.parse(text), 30_000, 170_000, 7_000, Query.Settings.STOCK);
  }

  /** A series as the probe of an older vocabulary would have stored it. */
  private static Series asStored(Series wanted, SplittableRandom random) {
    Map<String, String> labels = new HashMap<>();
    boolean own = random.nextInt(5) == 0;
    for (int i = 0; i < wanted.labels().size(); i++) {
      String name = wanted.labels().name(i);
      String value = wanted.labels().value(i);
      boolean keeps = own || random.nextInt(6) == 0;
      switch (name) {
        case "__name__" ->
            labels.put(
                name,
                own
                    ? value
                    : switch (value) {
                      case "power" -> "old_power";
                      case "requests_total" -> "old_requests";
                      default -> value;
                    });
        case "rack", "machine", "gpu" -> labels.put(keeps ? name : "old_" + name, value);
        default -> labels.put(name, value);
      }
    }
    return new Series(Labels.of(labels), wanted.times(), wanted.values(), wanted.histograms());
  }

  /** The stored series, and beside them one for each name and with each label that is in effect. */
  private static InMemorySeries explicit(InMemorySeries stored, Aliases used) {
    List<Series> all = new ArrayList<>();
    for (Series series : stored.all()) {
      Labels labels = series.labels();
      for (var label : new TreeMap<>(used.labels()).entrySet()) {
        String value = series.labels().value(label.getValue());
        if (labels.value(label.getKey()).isEmpty()) {
          labels = labels.with(label.getKey(), value);
        }
      }
      all.add(new Series(labels, series.times(), series.values(), series.histograms()));
      for (var metric : used.metrics().values()) {
        if (metric.stored().equals(labels.metric())) {
          double[] values = series.values().clone();
          for (int i = 0; i < values.length; i++) {
            boolean scaled = metric.name().equals("power") && !Double.isNaN(values[i]);
            values[i] = scaled ? values[i] / 1000 : values[i];
          }
          all.add(new Series(labels.with("__name__", metric.name()), series.times(), values));
        }
      }
    }
    return new InMemorySeries(all);
  }

  private static InMemoryShards shards(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    RandomSeries series = new RandomSeries(random, true);
    List<InMemoryShards.Shard> shards = new ArrayList<>();
    for (int shard = 0; shard < 3; shard++) {
      List<Series> all = new ArrayList<>();
      for (int host = 0; host < 2; host++) {
        for (Series each : series.host("n" + (2 * shard + host))) {
          all.add(asStored(each, random));
        }
      }
      shards.add(
          new InMemoryShards.Shard(
              HOST_LABELS,
              Set.of("n" + 2 * shard, "n" + (2 * shard + 1)),
              new InMemorySeries(all)));
    }
    return new InMemoryShards(shards);
  }

  private interface Answering {
    String answer() throws Exception;
  }

  private static String shown(Answering answering) throws Exception {
    try {
      return answering.answer();
    } catch (QueryFailure e) {
      // Which of the series with equal labels it names depends on where it fails.
      return e.kind() + e.getMessage().replaceAll("operation: .*;", "");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void anyQueryThroughAliasesIsThatOverSeriesStoredUnderThem(long seed) throws Exception {
    InMemoryShards shards = shards(seed);
    RandomQueries queries = new RandomQueries(seed);
    int pushedDown = 0;
    int used = 0;
    for (int i = 0; i < 250; i++) {
      String text = queries.next();
      for (Query query : List.of(instant(text), range(text))) {
        Aliases aliases = AliasUse.of(query.expr(), TABLE);
        InMemorySeries explicit = explicit(shards.whole(), aliases);
        String expected =
            shown(() -> DistributionTest.shown(Engine.run(query, explicit, StopCheck.NEVER)));
        for (Planner.Mode mode : Planner.Mode.values()) {
          assertThat(shown(() -> DistributionTest.shown(shards.run(query, aliases, mode))))
              .as("%s of seed %d: %s with %s", i, seed, text, aliases)
              .isEqualTo(expected);
          pushedDown += shards.pushedDown() && !aliases.isEmpty() ? 1 : 0;
        }
        used += aliases.isEmpty() ? 0 : 1;
      }
    }
    assertThat(used).as("queries that use aliases").isGreaterThan(200);
    assertThat(pushedDown).as("those that shards evaluated").isGreaterThan(50);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      textBlock =
          """
          power                                                   ; power
          {__name__="power"}                                      ; power
          {__name__=~"power|util"}                                ; power
          {__name__=~"pow.*"}                                     ;
          {__name__!="power",zone="1"}                            ;
          sum(rate(requests_total[5m]))                           ; requests_total
          util                                                    ;
          old_power                                               ;
          """)
  void anAliasOfAMetricIsUsedWhereASelectorNamesIt(String text, String names) throws Exception {
    Aliases used = AliasUse.of(Parser.parse(text), TABLE);
    assertThat(used.metrics().keySet()).isEqualTo(names == null ? Set.of() : Set.of(names));
    assertThat(used.labels().keySet())
        .isEqualTo(names == null ? Set.of() : Set.of("rack", "machine"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      textBlock =
          """
          util{gpu="0"}                                           ; true
          util{gpu=""}                                            ; true
          sum by (gpu) (util)                                     ; true
          sum without (gpu) (util)                                ; false
          util * on (gpu) other                                   ; true
          util * ignoring (gpu) other                             ; false
          util * on (x) group_left (gpu) other                    ; true
          label_replace(util, "x", "$1", "gpu", "(.*)")           ; true
          label_replace(util, "gpu", "$1", "x", "(.*)")           ; false
          label_replace(util, "x", "gpu", "y", "gpu")             ; false
          label_join(util, "x", "-", "y", "gpu")                  ; true
          label_join(util, "gpu", "gpu", "y")                     ; false
          count_values("gpu", util)                               ; false
          """)
  void anAliasOfALabelIsUsedWhereItIsRead(String text, boolean isUsed) throws Exception {
    assertThat(AliasUse.of(Parser.parse(text), TABLE).labels().containsKey("gpu"))
        .isEqualTo(isUsed);
  }

  /** Rollups are of what is stored: a label that is seen beside it is in none of their groups. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      textBlock =
          """
          sum by (zone) (util)                                       ; 1
          sum without (zone) (util)                                  ; 1
          sum by (zone) (power)                                      ; 0
          sum by (gpu) (util)                                        ; 0
          sum by (zone) (util{gpu="1"})                              ; 0
          sum by (gpu) (util) or sum by (zone) (util)                ; 1
          sum by (gpu) (util) or sum by (zone, gpu) (util)           ; 0
          sum by (gpu) (util) or sum by (old_gpu) (util)             ; 1
          sum by (gpu) (util) or sum without (zone) (util)           ; 0
          sum by (gpu) (util) or sum without (gpu) (util)            ; 0
          sum by (gpu) (util) or sum without (zone) (rate(util[1m])) ; 0
          sum by (gpu) (util) or sum by (zone) (rate(util[1m]))      ; 1
          """)
  void rollupsAreUsedWhereTheGroupsAreThoseOfStoredSeries(String text, int rollups)
      throws Exception {
    Query query = range(text);
    Planned planned =
        Planner.plan(query, List.of(), AliasUse.of(query.expr(), TABLE), Planner.Mode.AUTO);

    assertThat(planned.cuts()).filteredOn(Planned.Cut::rollups).hasSize(rollups);
  }

  @Test
  void aQueryWithoutAliasesStaysTheSameObject() throws Exception {
    Query query = instant("sum by (zone) (util{Hostname=\"n1\"})");
    assertThat(AliasUse.of(query.expr(), TABLE)).isSameAs(Aliases.NONE);
    assertThat(AliasUse.apply(query.expr(), Aliases.NONE)).isSameAs(query.expr());
  }

  private static Series series(String labels, double... values) throws Exception {
    Map<String, String> all = new HashMap<>();
    for (Matcher matcher : Parser.parseSelector(labels)) {
      all.put(matcher.name(), matcher.value());
    }
    long[] times = new long[values.length];
    for (int i = 0; i < times.length; i++) {
      times[i] = 100_000 + 10_000L * i;
    }
    return new Series(Labels.of(all), times, values);
  }

  private static String answer(InMemorySeries stored, String text, List<Matcher> scope)
      throws Exception {
    Query query = instant(text);
    Aliases aliases = AliasUse.of(query.expr(), TABLE);
    return shown(
        () ->
            Engine.run(Planner.prepared(query, scope, aliases), stored, StopCheck.NEVER)
                .result()
                .toString());
  }

  @Test
  void whatIsStoredUnderTheAliasIsNeitherHiddenNorDoubled() throws Exception {
    InMemorySeries stored =
        new InMemorySeries(
            List.of(
                series("power{old_gpu=\"0\", Hostname=\"a\"}", 1, 2, 3),
                series("old_power{old_gpu=\"0\", Hostname=\"a\"}", 7_000, 8_000, 9_000, 4_000),
                series("power{old_gpu=\"0\", Hostname=\"b\"}", 10),
                series("old_power{old_gpu=\"0\", Hostname=\"c\"}", 20_000)));
    assertThat(answer(stored, "count(power)", List.of())).contains("value=3.0");
    assertThat(answer(stored, "sum(power)", List.of())).contains("value=34.0");
    assertThat(answer(stored, "sum_over_time(power{Hostname=\"a\"}[1m])", List.of()))
        .contains("value=10.0");
  }

  @Test
  void aMarkerThatEndsOneVocabularyDoesNotHideASampleOfTheOther() throws Exception {
    InMemorySeries stored =
        new InMemorySeries(
            List.of(
                series("power{Hostname=\"a\"}", 1, Staleness.MARKER),
                series("old_power{Hostname=\"a\"}", 7_000, 8_000)));
    assertThat(answer(stored, "power", List.of())).contains("value=8.0");
  }

  @Test
  void aSeriesWithTheLabelItselfKeepsIt() throws Exception {
    InMemorySeries stored =
        new InMemorySeries(
            List.of(series("util{old_gpu=\"0\", gpu=\"9\"}", 1), series("util{old_gpu=\"1\"}", 2)));
    assertThat(answer(stored, "util{gpu=\"9\"}", List.of())).contains("value=1.0");
    assertThat(answer(stored, "util{gpu=\"1\"}", List.of()))
        .contains("util{gpu=\"1\", old_gpu=\"1\"}")
        .contains("value=2.0");
    assertThat(answer(stored, "count(util{gpu=\"0\"})", List.of())).doesNotContain("value");
    assertThat(answer(stored, "count(util{gpu!=\"0\"})", List.of())).contains("value=2.0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "count(util{gpu=\"1\"})",
        "count by (gpu) (util)",
        "count(util) + on () group_left count by (gpu) (util)",
        "count(power) or count by (rack) ({__name__=~\"util|power\"})",
        "count(util{gpu=~\".*\"})",
        "count(util{gpu!=\"0\"})"
      })
  void aScopeHoldsForWhatIsStoredWhateverAliasesAreUsed(String text) throws Exception {
    InMemorySeries stored =
        new InMemorySeries(
            List.of(
                series("util{old_gpu=\"0\", tenant=\"mine\"}", 1),
                series("util{old_gpu=\"1\", tenant=\"theirs\"}", 2),
                series("old_power{old_gpu=\"0\", tenant=\"mine\"}", 1),
                series("old_power{old_gpu=\"1\", tenant=\"theirs\"}", 2)));
    for (String scope :
        List.of(
            "{tenant=\"mine\"}",
            "{old_gpu=\"0\"}",
            "{old_gpu!=\"1\",tenant=~\".+\"}",
            "{gpu=\"1\"}",
            "{gpu=\"\",tenant=\"mine\"}",
            "{__name__=\"old_power\",tenant=\"mine\"}",
            "{__name__!=\"old_power\",tenant=~\".+\"}")) {
      List<Matcher> matchers = Parser.parseSelector(scope);
      InMemorySeries visible =
          stored.only(labels -> matchers.stream().allMatch(each -> each.matches(labels)));
      assertThat(answer(stored, text, matchers))
          .as(scope)
          .isEqualTo(answer(visible, text, List.of()));
    }
  }

  @Test
  void moreAliasesThanTheLimitInOneSelectorAreAnError() throws Exception {
    AliasTable wide =
        table(
            "v\tlabel\ta\tx_a\t-\t-\t-",
            "v\tlabel\tb\tx_b\t-\t-\t-",
            "v\tlabel\tc\tx_c\t-\t-\t-",
            "v\tlabel\td\tx_d\t-\t-\t-",
            "v\tlabel\te\tx_e\t-\t-\t-");
    Query query = instant("m{a=\"1\",b=\"1\",c=\"1\",d=\"1\",e=\"1\"}");
    assertThatThrownBy(() -> Planner.prepared(query, List.of(), AliasUse.of(query.expr(), wide)))
        .hasMessage(
            "a selector has matchers of 5 labels that are aliases (a, b, c, d, e); the limit is 4:"
                + " use the stored labels in their place");
  }
}
