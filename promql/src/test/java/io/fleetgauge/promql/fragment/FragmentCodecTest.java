package io.fleetgauge.promql.fragment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.Reading;
import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.HostRetention;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.plan.PartText;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.UsageExtent;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.NameEscaping;
import io.fleetgauge.sample.vocabulary.Factor;
import io.fleetgauge.sample.vocabulary.MetricAlias;
import io.fleetgauge.sample.vocabulary.SeriesAliases;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The bytes of every kind of fragment, and damaged ones. More than 600 lines, because each kind has
 * a question and an answer here.
 */
class FragmentCodecTest {
  private static final Load LOAD = new Load("red", 3, 4_500_000);
  private static final List<String> N1 = List.of("n1");
  private static final List<Matcher> MATCHERS =
      List.of(Matcher.equal("__name__", "up"), Matcher.of(Matcher.Kind.NOT_REGEX, "rack", "r[12]"));
  private static final SeriesSearch SEARCH =
      new SeriesSearch(-5, 1_700_000_000_000L, 10, List.of(MATCHERS, MATCHERS));
  private static final SamplesQuestion SAMPLES =
      new SamplesQuestion(1000, List.of(new Selection(MATCHERS, -1, 2)));
  private static final PartsQuestion PARTS =
      new PartsQuestion(
          60_000,
          120_000,
          15_000,
          new Query.Settings(300_000, 1_000, 60_000, Set.of(Feature.DURATION_EXPRESSIONS)),
          2_000,
          List.of(
              new PartsQuestion.Part(
                  new PartText(
                      "sum(up)",
                      List.of(
                          List.of(
                              new Reading(
                                  MATCHERS,
                                  new SeriesAliases(
                                      Optional.of(
                                          new MetricAlias("b", "a", new Factor(1, 100), "", "")),
                                      Map.of("hostname", "Hostname")))))),
                  new Grid(60_000, 15_000, 90_000),
                  true,
                  true),
              new PartsQuestion.Part(
                  new PartText("up", List.of()), new Grid(-15_000, 1, -14_998), false, false)),
          Optional.of(new ChangesQuestion.Since(-7, 99)));
  private static final Histogram HISTOGRAM =
      new Histogram(
          0,
          Histogram.ResetHint.UNKNOWN,
          3,
          1.5,
          0.1,
          1,
          new Histogram.Buckets(new int[] {-1, 4}, new double[] {1, 1}),
          Histogram.Buckets.NONE,
          new double[0]);

  /** A question with an answer to it. */
  private record Exchange(Question<?> question, List<String> covered, Result result) {
    byte[] asked() {
      return FragmentCodec.encode(new Fragment(LOAD, 7, List.of("n1", "é"), question));
    }

    byte[] answered() {
      return FragmentCodec.encode(new FragmentAnswer(3, covered, result), question);
    }

    @Override
    public String toString() {
      return question.kind().toString();
    }
  }

  private static final SamplesQuestion.Answer SAMPLES_FOUND =
      new SamplesQuestion.Answer(
          List.of(
              List.of(
                  new Series(
                      Labels.of("__name__", "up", "Hostname", "n1"),
                      new long[] {1_700_000_000_000L, 1_700_000_015_000L, 1_700_000_030_001L},
                      new double[] {1, 0, 1}),
                  new Series(
                      Labels.of("__name__", "t", "Hostname", "n1"),
                      new long[] {-5, 7},
                      new double[] {0.25, Staleness.MARKER}),
                  new Series(
                      Labels.of("__name__", "h"),
                      new long[] {1, 2, 3},
                      new double[] {5, Staleness.MARKER, Staleness.MARKER},
                      new Histogram[] {null, HISTOGRAM, null}))));

  private static final PartsQuestion.Results RESULTS =
      new PartsQuestion.Results(
          List.of("n1", "n2"),
          List.of(
              new PartResult(
                  List.of(),
                  List.of(
                      new Partial(
                          Labels.of("rack", "r1"),
                          Labels.of("Hostname", "n1", "rack", "r1"),
                          false,
                          new int[] {2, 0, 2},
                          new double[][] {{300.25, 0, 301}, {1e-17, 0, 0}, null}),
                      new Partial(
                          Labels.EMPTY, Labels.EMPTY, true, new int[] {1, 1, 1}, new double[0][])),
                  List.of(new Annotation(false, "a counter?", new TextSpan(3, 9))),
                  7),
              new PartResult(
                  List.of(
                      new Column(
                          Labels.of("gpu", "0"),
                          new double[] {40, Staleness.MARKER, 41},
                          null,
                          true),
                      new Column(Labels.of("gpu", "1"), new double[] {0.5, 0.5, 0.5})),
                  List.of(),
                  List.of(),
                  6)),
          List.of("", "taken from rollups"),
          4,
          List.of("node"),
          Optional.of(
              new ChangesQuestion.Answer(
                  -9, 17, -3, List.of(new ChangesQuestion.OfHost("n1", false, List.of(4L, -5L))))));

  private static final List<Exchange> EXCHANGES =
      List.of(
          new Exchange(SAMPLES, N1, SAMPLES_FOUND),
          new Exchange(new LabelNamesQuestion(SEARCH), List.of(), new Strings(List.of("a", "b"))),
          new Exchange(
              new LabelValuesQuestion("job", SEARCH), List.of(), new Strings(List.of("é"))),
          new Exchange(
              new LabelSetsQuestion(SEARCH),
              N1,
              new LabelSetsQuestion.Answer(List.of(Labels.of("a", "b"), Labels.EMPTY))),
          new Exchange(PARTS, N1, RESULTS),
          new Exchange(PARTS, N1, new PartsQuestion.Unfit("why")),
          new Exchange(
              new ExtentsQuestion(
                  List.of(new Selection(MATCHERS, -1, 2), new Selection(MATCHERS, 1, 2))),
              N1,
              new ExtentsQuestion.Answer(List.of(new Extent(2, 480), new Extent(3, 0)))),
          new Exchange(
              new ChangesQuestion(new ChangesQuestion.Since(-7, 99)),
              List.of(),
              new ChangesQuestion.Answer(
                  -9,
                  17,
                  1_700_000_000_000L,
                  List.of(
                      new ChangesQuestion.OfHost("n1", true, List.of()),
                      new ChangesQuestion.OfHost("n2", false, List.of(340_000_000L, -1L))))),
          new Exchange(
              new MetadataQuestion(List.of("a", "b")),
              List.of(),
              new MetadataQuestion.Answer(
                  Map.of("up", new MetricMetadata("gauge", "Whether é.", "")))),
          new Exchange(
              new HostsQuestion(MATCHERS),
              N1,
              new HostsQuestion.Answer(List.of(new HostState("n1", -7, 15_000, 380)))),
          new Exchange(
              newest(NameEscaping.ALLOW_UTF_8),
              N1,
              new NewestQuestion.Answer(
                  true,
                  List.of(
                      new MetricLines(
                          "up", 2, new GzipPiece(new byte[] {9, 8, 7}, 0, 2, 300, 0xcafebabe))))),
          new Exchange(
              newest(NameEscaping.DOTS),
              N1,
              new NewestQuestion.Answer(
                  false,
                  List.of(
                      new MetricLines(
                          "up", 2, new GzipPiece(new byte[] {'-', 'u', 'p', '\n'}, 1, 3, 3, 0))))),
          new Exchange(
              new ReductionsQuestion(List.of(MATCHERS, MATCHERS), MATCHERS, -5, 6),
              N1,
              new ReductionsQuestion.Answer(
                  List.of(
                      new MetricReductions(
                          List.of("rack"),
                          List.of(Labels.of("rack", "r1"), Labels.EMPTY),
                          List.of(
                              new MetricReductions.OfMetric(
                                  "t",
                                  new long[] {2, 1},
                                  new double[] {0.5, -0.0},
                                  new double[] {1e-17, Double.NaN},
                                  new double[] {0.25, Double.NEGATIVE_INFINITY},
                                  new double[] {-3, 7},
                                  new long[] {-5, 1_700_000_000_000L})))))),
          new Exchange(
              new OwnersQuestion(new SeriesSearch(-5, 6, 10, List.of(MATCHERS))),
              N1,
              new OwnersQuestion.Answer(
                  new OwnerIntervals(
                      List.of(
                          new OwnedSeries(
                              Labels.of("UUID", "g"),
                              List.of(
                                  new OwnedSeries.Interval(Labels.of("job", "j"), -2, 9),
                                  new OwnedSeries.Interval(Labels.EMPTY, 10, 10),
                                  new OwnedSeries.Interval(Labels.of("job", "k"), 20, 84)))),
                      5))),
          new Exchange(
              new UsageQuestion(
                  MATCHERS,
                  List.of("tenant", "UUID"),
                  UsagePeriod.every(-5, 60_000, 7_000),
                  new UsageTerms(300_000, 0, 50_000, UsageTerms.WHOLE)),
              N1,
              new UsageQuestion.Answer(
                  List.of(
                      usage(Labels.of("UUID", "g"), Labels.EMPTY, 8, 1, 2),
                      usage(Labels.of("UUID", "g"), Labels.of("tenant", "a"), 0, -1, -44)))),
          new Exchange(
              new UsageExtentQuestion(
                  new UsageQuestion(
                      MATCHERS,
                      List.of("tenant"),
                      UsagePeriod.every(-5, 60_000, 7_000),
                      UsageTerms.DEFAULT)),
              N1,
              new UsageExtentQuestion.Answer(new UsageExtent(3, 480, 1_000_000))),
          new Exchange(
              new RetentionQuestion(),
              N1,
              new RetentionQuestion.Answer(List.of(new HostRetention("n1", -7, 604_800_000)))),
          new Exchange(
              new SeveralQuestion(List.of(SAMPLES, PARTS, PARTS)),
              List.of("n1", "n2"),
              new SeveralQuestion.Answer(
                  List.of(
                      new SeveralQuestion.One(true, List.of(), SAMPLES_FOUND),
                      new SeveralQuestion.One(false, N1, new PartsQuestion.Unfit("why")),
                      new SeveralQuestion.One(
                          true, List.of(), new SeveralQuestion.Refusal("too many samples"))))));

  private static UsageRow usage(Labels device, Labels owner, int interval, long high, long low) {
    List<Integral> amounts = new ArrayList<>();
    for (Amount amount : Amount.values()) {
      amounts.add(amount == Amount.BUSY ? new Integral() : new Integral(high, low));
    }
    return new UsageRow(device, owner, interval, amounts, Amount.PCIE.bit(), 5, -1, 7);
  }

  private static NewestQuestion newest(NameEscaping escaping) {
    return new NewestQuestion(
        List.of(MATCHERS), -5, 1_700_000_000_000L, escaping, false, 7, 1 << 30);
  }

  @Test
  void everyKindComesBackToTheLastBit() throws WireException {
    for (Exchange each : EXCHANGES) {
      Fragment asked = FragmentCodec.decode(each.asked());
      assertThat(asked).isEqualTo(new Fragment(LOAD, 7, List.of("n1", "é"), each.question));
      FragmentAnswer answered = FragmentCodec.decode(each.answered(), each.question);
      assertThat(answered.epoch()).isEqualTo(3);
      assertThat(answered.covered()).isEqualTo(each.covered);
      // Those with arrays are equal when their bytes are.
      assertThat(FragmentCodec.encode(answered, each.question))
          .as("%s", each)
          .isEqualTo(each.answered());
    }
    assertThat(EXCHANGES.stream().map(each -> each.question.kind()))
        .contains(Question.Kind.values());
  }

  @ParameterizedTest
  @EnumSource(NameEscaping.class)
  void howNamesAreWrittenComesBack(NameEscaping escaping) throws WireException {
    byte[] bytes = FragmentCodec.encode(new Fragment(LOAD, 2, N1, newest(escaping)));
    assertThat(FragmentCodec.decode(bytes).question()).isEqualTo(newest(escaping));
  }

  @Test
  void newestSamplesStayInTheArrayThatTheyCameIn() throws WireException {
    for (Exchange each : EXCHANGES) {
      if (each.result instanceof NewestQuestion.Answer) {
        byte[] bytes = each.answered();
        NewestQuestion.Answer back =
            (NewestQuestion.Answer) FragmentCodec.decode(bytes, each.question).result();
        assertThat(back.metrics().getFirst().lines().bytes()).isSameAs(bytes);
      }
    }
  }

  /** A line for each: what it is, and its bytes. */
  private static List<String> golden() {
    List<String> lines = new ArrayList<>();
    for (Exchange each : EXCHANGES) {
      lines.add("ask " + each + " " + HexFormat.of().formatHex(each.asked()));
      lines.add("answer " + each + " " + HexFormat.of().formatHex(each.answered()));
    }
    return lines;
  }

  @Test
  void theBytesOfEveryKindAreTheGoldenOnes() throws IOException {
    try (var in = FragmentCodecTest.class.getResourceAsStream("golden.txt")) {
      assertThat(golden())
          .isEqualTo(new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
    }
  }

  @Test
  void theBytesAreTheOnesThatAreDrawn() {
    byte[] asked =
        FragmentCodec.encode(
            new Fragment(LOAD, 9, N1, new OwnersQuestion(new SeriesSearch(-5, 6, 10, List.of()))));
    assertThat(HexFormat.of().formatHex(asked))
        .isEqualTo("4651010c" + "03726564" + "03" + "a0d49202" + "09" + "01026e31" + "090c0a00");
    Exchange owners = EXCHANGES.get(13);
    assertThat(HexFormat.of().formatHex(owners.answered()))
        .isEqualTo(
            "4641010c"
                + "03"
                + "01026e31"
                + "05"
                + "0455554944"
                + "0167"
                + "036a6f62"
                + "016a"
                + "016b"
                + "05"
                + "01"
                + "010001"
                + "03"
                + "010203"
                + "0316"
                + "00"
                + "0200"
                + "010204"
                + "148001");
    byte[] several =
        FragmentCodec.encode(
            new FragmentAnswer(
                3,
                N1,
                new SeveralQuestion.Answer(
                    List.of(
                        new SeveralQuestion.One(false, List.of(), new PartsQuestion.Unfit("w")),
                        new SeveralQuestion.One(
                            true, List.of(), new SeveralQuestion.Refusal("no"))))),
            new SeveralQuestion(List.of(PARTS, SAMPLES)));
    assertThat(HexFormat.of().formatHex(several))
        .isEqualTo("4641010e" + "03" + "01026e31" + "02" + "05" + "0000000177" + "04" + "02026e6f");
  }

  @Test
  void ownerIntervalsThatOverlapAreRefused() {
    OwnersQuestion question = new OwnersQuestion(SEARCH);
    for (long from : new long[] {8, 9}) {
      OwnedSeries overlapping =
          new OwnedSeries(
              Labels.EMPTY,
              List.of(
                  new OwnedSeries.Interval(Labels.EMPTY, 1, 9),
                  new OwnedSeries.Interval(Labels.EMPTY, from, 20)));
      byte[] bytes =
          FragmentCodec.encode(
              new FragmentAnswer(
                  3,
                  List.of(),
                  new OwnersQuestion.Answer(new OwnerIntervals(List.of(overlapping), 0))),
              question);
      assertThatThrownBy(() -> FragmentCodec.decode(bytes, question))
          .isInstanceOf(WireException.class)
          .hasMessageContaining("not after the one before it");
    }
  }

  @Test
  void aFragmentSaysWhoseQueryItIsAPartOfAndHowMuchWorkThatIs() throws WireException {
    for (Load load : List.of(Load.OWN, LOAD, new Load("é", 1_000, Long.MAX_VALUE))) {
      Fragment fragment = new Fragment(load, 1L << 60, N1, SAMPLES);
      assertThat(FragmentCodec.decode(FragmentCodec.encode(fragment))).isEqualTo(fragment);
    }
    byte[] weightless = FragmentCodec.encode(new Fragment(new Load("", 0, 1), 1, N1, SAMPLES));
    assertThatThrownBy(() -> FragmentCodec.decode(weightless))
        .isInstanceOf(WireException.class)
        .hasMessage("the tenant's weight is 0");
  }

  @Test
  void bytesThatAreCutOrLongerAreRefused() {
    for (Exchange each : EXCHANGES) {
      byte[] asked = each.asked();
      for (int length = 0; length < asked.length; length++) {
        byte[] cut = Arrays.copyOf(asked, length);
        assertThatThrownBy(() -> FragmentCodec.decode(cut))
            .as("%s cut to %d bytes", each, length)
            .isInstanceOf(WireException.class);
      }
      assertThatThrownBy(() -> FragmentCodec.decode(Arrays.copyOf(asked, asked.length + 1)))
          .isInstanceOf(WireException.class);
      byte[] answered = each.answered();
      for (int length = 0; length < answered.length; length++) {
        byte[] cut = Arrays.copyOf(answered, length);
        assertThatThrownBy(() -> FragmentCodec.decode(cut, each.question))
            .as("the answer to %s cut to %d bytes", each, length)
            .isInstanceOf(WireException.class);
      }
      assertThatThrownBy(
              () ->
                  FragmentCodec.decode(Arrays.copyOf(answered, answered.length + 1), each.question))
          .isInstanceOf(WireException.class);
    }
  }

  @Test
  void anotherVersionIsRefusedByItsNumber() {
    byte[] bytes = EXCHANGES.getFirst().asked();
    bytes[2] = 3;
    assertThatThrownBy(() -> FragmentCodec.decode(bytes))
        .isInstanceOf(WireException.class)
        .hasMessage("the bytes begin with 70, 81, 3; expected 'F', 'Q' and version 1");
  }

  @Test
  void anAnswerOfAnotherKindThanTheQuestionIsRefused() {
    assertThatThrownBy(
            () ->
                FragmentCodec.decode(
                    EXCHANGES.getFirst().answered(), new LabelNamesQuestion(SEARCH)))
        .isInstanceOf(WireException.class)
        .hasMessage("the result is of the kind 1, the request 2");
    for (int kind : new int[] {0, 15, 255}) {
      byte[] bytes = EXCHANGES.getFirst().asked();
      bytes[3] = (byte) kind;
      assertThatThrownBy(() -> FragmentCodec.decode(bytes))
          .as("kind %d", kind)
          .isInstanceOf(WireException.class);
    }
  }

  /** Nobody would know which answer is to which question. */
  @Test
  void answersOfAnotherNumberThanWasAskedForAreRefused() {
    SamplesQuestion two =
        new SamplesQuestion(
            1, List.of(SAMPLES.selections().getFirst(), SAMPLES.selections().getFirst()));
    assertThatThrownBy(() -> FragmentCodec.decode(EXCHANGES.getFirst().answered(), two))
        .isInstanceOf(WireException.class)
        .hasMessage("1 selections answer 2");
    PartsQuestion one =
        new PartsQuestion(0, 0, 0, Query.Settings.STOCK, 1, List.of(), Optional.empty());
    byte[] results = FragmentCodec.encode(new FragmentAnswer(3, N1, RESULTS), PARTS);
    assertThatThrownBy(() -> FragmentCodec.decode(results, one)).isInstanceOf(WireException.class);
    byte[] several = EXCHANGES.getLast().answered();
    assertThatThrownBy(() -> FragmentCodec.decode(several, new SeveralQuestion(List.of(SAMPLES))))
        .isInstanceOf(WireException.class)
        .hasMessage("3 answers to 1 questions");
  }

  @Test
  void partsOfUnreasonablyManyStepsAreRefused() {
    for (Grid grid : List.of(new Grid(0, 0, 10), new Grid(10, 1, 9), new Grid(0, 1, 1 << 24))) {
      PartsQuestion question =
          new PartsQuestion(
              0,
              0,
              0,
              Query.Settings.STOCK,
              1,
              List.of(new PartsQuestion.Part(new PartText("x", List.of()), grid, false, false)),
              Optional.empty());
      byte[] bytes = FragmentCodec.encode(new Fragment(LOAD, 1, List.of(), question));
      assertThatThrownBy(() -> FragmentCodec.decode(bytes))
          .isInstanceOf(WireException.class)
          .hasMessageStartingWith("a part has the steps");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void randomColumnsAndPartialsComeBackToTheLastBit(long seed) throws WireException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 300; round++) {
      int steps = 1 + random.nextInt(20);
      PartsQuestion question = ofSteps(steps);
      List<Column> columns = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        columns.add(new Column(Labels.of("a", "" + i), numbers(random, steps, true)));
      }
      List<Partial> partials = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        double[] sums = numbers(random, steps, false);
        int[] counts = new int[sums.length];
        Arrays.setAll(counts, none -> random.nextInt(5));
        double[] rest = random.nextBoolean() ? null : sums.clone();
        partials.add(
            new Partial(
                Labels.of("g", "" + i),
                Labels.of("g", "" + i, "x", "y"),
                random.nextBoolean(),
                counts,
                new double[][] {sums, rest}));
      }
      PartsQuestion.Results results =
          new PartsQuestion.Results(
              List.of(),
              List.of(new PartResult(columns, partials, List.of(), 3)),
              List.of(""),
              0,
              List.of(),
              Optional.empty());
      byte[] bytes = FragmentCodec.encode(new FragmentAnswer(1, List.of(), results), question);
      PartResult back =
          ((PartsQuestion.Results) FragmentCodec.decode(bytes, question).result())
              .parts()
              .getFirst();
      for (int i = 0; i < columns.size(); i++) {
        assertThat(bits(back.columns().get(i).values())).isEqualTo(bits(columns.get(i).values()));
      }
      for (int i = 0; i < partials.size(); i++) {
        Partial one = back.partials().get(i);
        assertThat(one.count()).isEqualTo(partials.get(i).count());
        assertThat(one.nameDropped()).isEqualTo(partials.get(i).nameDropped());
        for (int j = 0; j < 2; j++) {
          assertThat(bits(one.numbers()[j])).isEqualTo(bits(partials.get(i).numbers()[j]));
        }
      }
    }
  }

  private static PartsQuestion ofSteps(int steps) {
    PartText text = new PartText("up", List.of());
    Grid grid = new Grid(0, 1, steps - 1);
    return new PartsQuestion(
        0,
        0,
        0,
        Query.Settings.STOCK,
        1,
        List.of(new PartsQuestion.Part(text, grid, true, true)),
        Optional.empty());
  }

  @Test
  void anAnswerHasNoOtherStepsThanTheQuestion() {
    Column column = new Column(Labels.of("a", "1"), new double[] {7.5, 7.5, 7.5});
    PartsQuestion.Results results =
        new PartsQuestion.Results(
            List.of(),
            List.of(new PartResult(List.of(column), List.of(), List.of(), 3)),
            List.of(""),
            0,
            List.of(),
            Optional.empty());
    byte[] bytes = FragmentCodec.encode(new FragmentAnswer(1, List.of(), results), ofSteps(3));
    for (int steps : new int[] {1, 2, 4, 100}) {
      assertThatThrownBy(() -> FragmentCodec.decode(bytes, ofSteps(steps)))
          .isInstanceOf(WireException.class);
    }
  }

  private static double[] numbers(SplittableRandom random, int steps, boolean gaps) {
    double[] numbers = new double[steps];
    int form = random.nextInt(4);
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] =
          switch (form) {
            case 0 -> 7.5;
            case 1 -> random.nextInt(1_000) - 500;
            case 2 -> random.nextDouble() * 1e300;
            default ->
                switch (random.nextInt(5)) {
                  case 0 -> -0.0;
                  case 1 -> Double.NaN;
                  case 2 -> Double.NEGATIVE_INFINITY;
                  case 3 -> gaps ? Staleness.MARKER : Double.MIN_VALUE;
                  default -> 1L << 53;
                };
          };
    }
    return numbers;
  }

  private static String bits(double[] numbers) {
    return numbers == null
        ? "none"
        : Arrays.stream(numbers).mapToLong(Double::doubleToRawLongBits).boxed().toList().toString();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void damagedBytesAreAnAnswerOrAnErrorOfTheirOwn(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 20_000; round++) {
      Exchange exchange = EXCHANGES.get(random.nextInt(EXCHANGES.size()));
      boolean asks = random.nextBoolean();
      byte[] bytes = asks ? exchange.asked() : exchange.answered();
      for (int hits = random.nextInt(4); hits > 0; hits--) {
        bytes[4 + random.nextInt(bytes.length - 4)] = (byte) random.nextInt();
      }
      byte[] damaged =
          random.nextInt(3) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
      try {
        if (asks) {
          FragmentCodec.decode(damaged);
        } else {
          FragmentCodec.decode(damaged, exchange.question);
        }
      } catch (WireException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }

  @Test
  void bytesOfSomethingElseAreRefused() {
    Exchange first = EXCHANGES.getFirst();
    assertThatThrownBy(() -> FragmentCodec.decode(first.asked(), first.question))
        .isInstanceOf(WireException.class);
    assertThatThrownBy(() -> FragmentCodec.decode(new byte[0])).isInstanceOf(WireException.class);
  }
}
