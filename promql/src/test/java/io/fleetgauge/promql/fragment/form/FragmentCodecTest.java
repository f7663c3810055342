package io.fleetgauge.promql.fragment.form;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.Span;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentRequest;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryText;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.NameEscaping;
import io.fleetgauge.sample.vocabulary.Aliases;
import io.fleetgauge.sample.vocabulary.Factor;
import io.fleetgauge.sample.vocabulary.MetricAlias;
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
 * its golden bytes, drawn field by field.
 */
class FragmentCodecTest {
  private static final List<Matcher> MATCHERS =
      List.of(Matcher.equal("__name__", "up"), Matcher.of(Matcher.Kind.NOT_REGEX, "rack", "r[12]"));
  private static final Fragment.Search SEARCH =
      new Fragment.Search(-5, 1_700_000_000_000L, 10, List.of(MATCHERS, MATCHERS));
  private static final List<Fragment> FRAGMENTS =
      List.of(
          new Fragment.Samples(
              7, List.of("n1", "n2"), 1000, List.of(new Selection(MATCHERS, -1, 2))),
          new Fragment.LabelNames(0, List.of(), SEARCH),
          new Fragment.LabelValues(1, List.of("é"), "job", SEARCH),
          new Fragment.LabelSets(1L << 60, List.of("n1"), SEARCH),
          new Fragment.Parts(
              9,
              List.of("n1"),
              new QueryText(
                  "sum(up)",
                  60_000,
                  120_000,
                  15_000,
                  new Query.Settings(300_000, 1_000, 60_000, Set.of(Feature.DURATION_EXPRESSIONS))),
              MATCHERS,
              new Aliases(
                  Map.of("b", new MetricAlias("b", "a", new Factor(1, 100), "", "")),
                  Map.of("hostname", "Hostname")),
              2_000,
              List.of(
                  new Fragment.Part(0, new Grid(60_000, 15_000, 120_000), true, true),
                  new Fragment.Part(1, new Grid(-15_000, 1, -15_000), false, false)),
              Optional.of(new Fragment.Since(-7, 99))),
          new Fragment.Extent(1, List.of("n1"), List.of(new Selection(MATCHERS, -1, 2))),
          new Fragment.Changes(2, List.of(), new Fragment.Since(-7, 99)),
          new Fragment.Metadata(2, List.of("n1"), List.of("a", "b")),
          new Fragment.Hosts(2, List.of("n1"), MATCHERS),
          new Fragment.Newest(
              2,
              List.of("n1"),
              List.of(MATCHERS),
              -5,
              1_700_000_000_000L,
              NameEscaping.ALLOW_UTF_8,
              false,
              7,
              1 << 30),
          new Fragment.Reduced(2, List.of(), List.of(MATCHERS, MATCHERS), MATCHERS, -5, 6),
          new Fragment.Several(
              2,
              List.of("n1"),
              List.of(
                  new Fragment.Samples(
                      2, List.of("n1"), 1000, List.of(new Selection(MATCHERS, -1, 2))),
                  new Fragment.Parts(
                      2,
                      List.of("n1"),
                      new QueryText("up", 5, 5, 0, Query.Settings.STOCK),
                      List.of(),
                      2_000,
                      List.of(new Fragment.Part(0, new Grid(5, 1, 5), false, false))))),
          new Fragment.Owners(2, List.of("n1"), new Fragment.Search(-5, 6, 10, List.of(MATCHERS))));

  private static final Load LOAD = new Load("red", 3, 4_500_000);
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
  private static final FragmentAnswer.Owners OWNERS =
      new FragmentAnswer.Owners(
          3,
          List.of("n1"),
          5,
          List.of(
              new FragmentAnswer.OwnedSeries(
                  Labels.of("UUID", "g"),
                  List.of(
                      new FragmentAnswer.OwnerInterval(Labels.of("job", "j"), -2, 9),
                      new FragmentAnswer.OwnerInterval(Labels.EMPTY, 10, 10),
                      new FragmentAnswer.OwnerInterval(Labels.of("job", "k"), 20, 84)))));
  private static final List<FragmentAnswer> ANSWERS =
      List.of(
          new FragmentAnswer.Samples(
              3,
              List.of("n1"),
              List.of(
                  List.of(
                      new Series(
                          Labels.of("__name__", "up", "Hostname", "n1"),
                          new long[] {1_700_000_000_000L, 1_700_000_015_000L, 1_700_000_030_001L},
                          new double[] {1, 0, 1}),
                      new Series(
                          Labels.of("__name__", "t", "Hostname", "n1"),
                          new long[] {-5, 7},
                          new double[] {0.25, Staleness.MARKER})),
                  List.of())),
          new FragmentAnswer.Samples(
              4,
              List.of("n2"),
              List.of(
                  List.of(
                      new Series(
                          Labels.of("__name__", "h"),
                          new long[] {1, 2, 3},
                          new double[] {5, Staleness.MARKER, Staleness.MARKER},
                          new Histogram[] {null, HISTOGRAM, null})))),
          new FragmentAnswer.Strings(3, List.of(), List.of("a", "b")),
          new FragmentAnswer.LabelSets(
              3, List.of("n1"), List.of(Labels.of("a", "b"), Labels.EMPTY)),
          new FragmentAnswer.Unfit(3, List.of("n1"), "why"),
          new FragmentAnswer.Refused(3, List.of("n1"), "too many"),
          new FragmentAnswer.Metadata(
              3, List.of(), Map.of("up", new MetricMetadata("gauge", "Whether é.", ""))),
          new FragmentAnswer.Hosts(
              3, List.of("n1"), List.of(new FragmentAnswer.Host("n1", -7, 15_000, 380))),
          new FragmentAnswer.Extent(3, List.of("n1"), List.of(2L, 3L), List.of(480L, 0L)),
          new FragmentAnswer.Changes(
              3,
              List.of(),
              -9,
              17,
              1_700_000_000_000L,
              List.of(
                  new FragmentAnswer.Changed("n1", true, List.of()),
                  new FragmentAnswer.Changed("n2", false, List.of(340_000_000L, -1L)))),
          OWNERS,
          new FragmentAnswer.Newest(
              4,
              List.of("n1"),
              true,
              List.of(
                  new FragmentAnswer.Family(
                      "up", 2, new GzipPiece(new byte[] {9, 8, 7}, 0, 2, 300, 0xcafebabe)))),
          new FragmentAnswer.Reduced(
              4,
              List.of("n1"),
              List.of(
                  new FragmentAnswer.Reductions(
                      List.of("rack"),
                      List.of(Labels.of("rack", "r1"), Labels.EMPTY),
                      List.of(
                          new FragmentAnswer.Reduction(
                              "t",
                              new long[] {2, 1},
                              new double[] {0.5, 2},
                              new double[] {0, 0},
                              new double[] {0.25, -1},
                              new double[] {-3, 7},
                              new long[] {-5, 9}))))),
          new FragmentAnswer.Several(
              6,
              List.of("n1", "n2"),
              List.of(
                  new FragmentAnswer.Samples(6, List.of("n1", "n2"), List.of(List.of())),
                  new FragmentAnswer.Unfit(6, List.of("n1"), "why"),
                  new FragmentAnswer.Refused(6, List.of("n1", "n2"), "too many samples"))));

  private static final FragmentAnswer.Parts PARTS =
      new FragmentAnswer.Parts(
          5,
          List.of("n1"),
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
                          Labels.EMPTY, Labels.EMPTY, true, new int[] {1}, new double[0][])),
                  List.of(new Annotation(false, "a counter?", new Span(3, 9))),
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
              new FragmentAnswer.Changes(
                  5,
                  List.of(),
                  -9,
                  17,
                  -3,
                  List.of(new FragmentAnswer.Changed("n1", false, List.of(4L, -5L))))));

  @Test
  void whatIsDecodedIsWhatWasEncoded() throws WireException {
    for (Fragment fragment : FRAGMENTS) {
      assertThat(FragmentCodec.decodeRequest(encoded(fragment)))
          .isEqualTo(new FragmentRequest(LOAD, fragment));
    }
    for (FragmentAnswer answer : ANSWERS) {
      switch (answer) {
        // Those with arrays are equal when their bytes are.
        case FragmentAnswer.Newest _, FragmentAnswer.Reduced _, FragmentAnswer.Parts _ -> {
          byte[] bytes = FragmentCodec.encode(answer);
          assertThat(FragmentCodec.encode(FragmentCodec.decodeAnswer(bytes))).isEqualTo(bytes);
        }
        case FragmentAnswer.Samples _,
            FragmentAnswer.Strings _,
            FragmentAnswer.LabelSets _,
            FragmentAnswer.Owners _,
            FragmentAnswer.Unfit _,
            FragmentAnswer.Extent _,
            FragmentAnswer.Metadata _,
            FragmentAnswer.Hosts _,
            FragmentAnswer.Changes _,
            FragmentAnswer.Several _,
            FragmentAnswer.Refused _ ->
            assertThat(FragmentCodec.decodeAnswer(FragmentCodec.encode(answer))).isEqualTo(answer);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(NameEscaping.class)
  void howNamesAreWrittenComesBack(NameEscaping escaping) throws WireException {
    Fragment.Newest asked =
        new Fragment.Newest(2, List.of("n1"), List.of(MATCHERS), 5, 6, escaping, true, 7, 8);
    FragmentRequest request = new FragmentRequest(LOAD, asked);
    assertThat(FragmentCodec.decodeRequest(FragmentCodec.encode(request))).isEqualTo(request);
  }

  @Test
  void newestSamplesComeBackToTheLastBit() throws WireException {
    FragmentAnswer newest =
        new FragmentAnswer.Newest(
            4,
            List.of("n1"),
            false,
            List.of(
                new FragmentAnswer.Family(
                    "up", 2, new GzipPiece(new byte[] {'-', 'u', 'p', '\n'}, 1, 3, 3, 0))));
    FragmentAnswer packed =
        new FragmentAnswer.Newest(
            4,
            List.of("n1"),
            true,
            List.of(
                new FragmentAnswer.Family(
                    "up", 2, new GzipPiece(new byte[] {9, 8, 7}, 0, 2, 300, 0xcafebabe))));
    FragmentAnswer reduced =
        new FragmentAnswer.Reduced(
            4,
            List.of("n1"),
            List.of(
                new FragmentAnswer.Reductions(
                    List.of("rack"),
                    List.of(Labels.of("rack", "r1"), Labels.EMPTY),
                    List.of(
                        new FragmentAnswer.Reduction(
                            "t",
                            new long[] {2, 1},
                            new double[] {0.5, -0.0},
                            new double[] {1e-17, Double.NaN},
                            new double[] {0.25, Double.NEGATIVE_INFINITY},
                            new double[] {-3, 7},
                            new long[] {-5, 1_700_000_000_000L})))));
    for (FragmentAnswer answer : List.of(newest, packed, reduced)) {
      byte[] bytes = FragmentCodec.encode(answer);
      assertThat(FragmentCodec.encode(FragmentCodec.decodeAnswer(bytes))).isEqualTo(bytes);
    }
    assertThat(HexFormat.of().formatHex(FragmentCodec.encode(newest)))
        .isEqualTo("4641080b" + "04" + "01026e31" + "00" + "01" + "027570" + "02" + "0375700a");
    assertThat(HexFormat.of().formatHex(FragmentCodec.encode(packed)))
        .isEqualTo(
            "4641080b" + "04" + "01026e31" + "01" + "01" + "027570" + "02" + "02ac02bebafeca0908");
    FragmentAnswer.Reductions back =
        ((FragmentAnswer.Reduced) FragmentCodec.decodeAnswer(FragmentCodec.encode(reduced)))
            .reductions()
            .getFirst();
    assertThat(back.groups()).containsExactly(Labels.of("rack", "r1"), Labels.EMPTY);
    FragmentAnswer.Reduction metric = back.metrics().getFirst();
    assertThat(metric.sums()).containsExactly(0.5, -0.0);
    assertThat(metric.maxs()).containsExactly(-3, 7);
    assertThat(metric.newest()).containsExactly(-5, 1_700_000_000_000L);
  }

  @Test
  void theBytesAreTheOnesThatAreDrawn() {
    assertThat(HexFormat.of().formatHex(encoded(FRAGMENTS.getFirst())))
        .isEqualTo(
            "46510801"
                + "03726564"
                + "03"
                + "a0d49202"
                + "07"
                + "02026e31026e32"
                + "e807"
                + "01"
                + "02"
                + "00085f5f6e616d655f5f027570"
                + "03047261636b05725b31325d"
                + "0104");
    assertThat(HexFormat.of().formatHex(FragmentCodec.encode(ANSWERS.getFirst())))
        .isEqualTo(
            "46410801"
                + "03"
                + "01026e31"
                + "0508486f73746e616d65026e31085f5f6e616d655f5f0275700174"
                + "02"
                + "02"
                + "02000102030301"
                + "80a0abfef962"
                + "b0ea01"
                + "02"
                + "020102"
                + "02000102040200"
                + "0918"
                + "000000000000d03f"
                + "020000000000f07f"
                + "00");
  }

  @Test
  void theBytesOfOwnersAreTheOnesThatAreDrawn() {
    assertThat(HexFormat.of().formatHex(encoded(FRAGMENTS.getLast())))
        .isEqualTo(
            "4651080d"
                + "03726564"
                + "03"
                + "a0d49202"
                + "02"
                + "01026e31"
                + "09"
                + "0c"
                + "0a"
                + "0102"
                + "00085f5f6e616d655f5f027570"
                + "03047261636b05725b31325d");
    assertThat(HexFormat.of().formatHex(FragmentCodec.encode(OWNERS)))
        .isEqualTo(
            "4641080d"
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
  }

  @Test
  void ownerIntervalsThatOverlapAreRefused() {
    for (long from : new long[] {8, 9}) {
      byte[] bytes =
          FragmentCodec.encode(
              new FragmentAnswer.Owners(
                  3,
                  List.of(),
                  0,
                  List.of(
                      new FragmentAnswer.OwnedSeries(
                          Labels.EMPTY,
                          List.of(
                              new FragmentAnswer.OwnerInterval(Labels.EMPTY, 1, 9),
                              new FragmentAnswer.OwnerInterval(Labels.EMPTY, from, 20))))));
      assertThatThrownBy(() -> FragmentCodec.decodeAnswer(bytes))
          .isInstanceOf(WireException.class)
          .hasMessageContaining("not after the one before it");
    }
  }

  @Test
  void aFragmentSaysWhoseQueryItIsAPartOfAndHowMuchWorkThatIs() throws WireException {
    for (Load load : List.of(Load.OWN, LOAD, new Load("é", 1_000, Long.MAX_VALUE))) {
      FragmentRequest request = new FragmentRequest(load, FRAGMENTS.getFirst());
      assertThat(FragmentCodec.decodeRequest(FragmentCodec.encode(request))).isEqualTo(request);
    }
    byte[] weightless =
        FragmentCodec.encode(new FragmentRequest(new Load("", 0, 1), FRAGMENTS.getFirst()));
    assertThatThrownBy(() -> FragmentCodec.decodeRequest(weightless))
        .isInstanceOf(WireException.class)
        .hasMessage("the tenant's weight is 0");
  }

  @Test
  void partsOfQueriesComeBackToTheLastBit() throws WireException {
    byte[] bytes = FragmentCodec.encode(PARTS);
    FragmentAnswer.Parts back = (FragmentAnswer.Parts) FragmentCodec.decodeAnswer(bytes);
    assertThat(FragmentCodec.encode(back)).isEqualTo(bytes);
    Partial partial = back.parts().getFirst().partials().getFirst();
    assertThat(partial.group()).isEqualTo(Labels.of("rack", "r1"));
    assertThat(partial.first()).isEqualTo(Labels.of("Hostname", "n1", "rack", "r1"));
    assertThat(partial.count()).containsExactly(2, 0, 2);
    assertThat(partial.numbers()[0]).containsExactly(300.25, 0, 301);
    assertThat(partial.numbers()[1]).containsExactly(1e-17, 0, 0);
    assertThat(partial.numbers()[2]).isNull();
    Column column = back.parts().getLast().columns().getFirst();
    assertThat(Staleness.isMarker(column.values()[1])).isTrue();
    assertThat(column.values()[2]).isEqualTo(41);
    assertThat(column.nameDropped()).isTrue();
    assertThat(back.parts().getFirst().annotations().getFirst().span().start()).isEqualTo(3);
  }

  @Test
  void theBytesOfPartsAreTheOnesThatAreDrawn() {
    assertThat(HexFormat.of().formatHex(FragmentCodec.encode(PARTS)))
        .isEqualTo(
            "464108050501026e310002026e31026e3201046e6f646502001274616b656e2066726f6d20726f6c6c757073"
                + "01f7ffffffffffffff110501026e3100020809"
                + "07047261636b02723108486f73746e616d65026e31036770750130013104020701000a6120636f756e7465"
                + "723f0309000201000102020300010001030403040300030000000000c47240000000000000000000"
                + "00000000d07240000397d44646f50e673c0000000000000000000000000000000003000001020100"
                + "0000000000f03f0006000201040501030105010250020104060003000203000000000000e03f00");
  }

  private static byte[] encoded(Fragment fragment) {
    return FragmentCodec.encode(new FragmentRequest(LOAD, fragment));
  }

  private static List<FragmentAnswer> answers() {
    List<FragmentAnswer> all = new ArrayList<>(ANSWERS);
    all.add(PARTS);
    return all;
  }

  /** A line for each: what it is, and its bytes. */
  private static List<String> golden() {
    List<String> lines = new ArrayList<>();
    for (Fragment fragment : FRAGMENTS) {
      lines.add(line("ask", fragment, encoded(fragment)));
    }
    for (FragmentAnswer answer : answers()) {
      lines.add(line("answer", answer, FragmentCodec.encode(answer)));
    }
    return lines;
  }

  private static String line(String what, Object value, byte[] bytes) {
    return what + " " + value.getClass().getSimpleName() + " " + HexFormat.of().formatHex(bytes);
  }

  @Test
  void theBytesOfEveryKindAreTheGoldenOnes() throws IOException {
    try (var in = FragmentCodecTest.class.getResourceAsStream("golden.txt")) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList())
          .isEqualTo(golden());
    }
    assertThat(FRAGMENTS.stream().map(Object::getClass))
        .containsAll(List.of(Fragment.class.getPermittedSubclasses()));
    assertThat(answers().stream().map(Object::getClass))
        .containsAll(List.of(FragmentAnswer.class.getPermittedSubclasses()));
  }

  /** The golden bytes of earlier versions; with aliases, 6 could not ask for parts. */
  @ParameterizedTest
  @ValueSource(ints = {6, 7})
  void theBytesOfEarlierVersionsAreReadAndWritten(int version) throws Exception {
    List<String> before;
    try (var in = FragmentCodecTest.class.getResourceAsStream("golden-" + version + ".txt")) {
      before = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
    int requests = 0;
    for (String line : before) {
      String[] words = line.split(" ");
      byte[] bytes = HexFormat.of().parseHex(words[2]);
      assertThat(FragmentCodec.version(bytes)).isEqualTo(version);
      if (words[0].equals("ask")) {
        FragmentRequest read = FragmentCodec.decodeRequest(bytes);
        assertThat(FragmentCodec.fits(read, version)).isTrue();
        assertThat(FragmentCodec.encode(read, version)).as(line).isEqualTo(bytes);
        assertThat(FragmentCodec.decodeRequest(FragmentCodec.encode(read))).isEqualTo(read);
        requests++;
      } else {
        FragmentAnswer read = FragmentCodec.decodeAnswer(bytes);
        assertThat(FragmentCodec.encode(read, version)).as(line).isEqualTo(bytes);
      }
    }
    assertThat(requests).isGreaterThan(10);
  }

  @Test
  void bytesThatAreCutOrLongerAreRefused() {
    for (Fragment fragment : FRAGMENTS) {
      byte[] bytes = encoded(fragment);
      for (int length = 0; length < bytes.length; length++) {
        byte[] cut = Arrays.copyOf(bytes, length);
        assertThatThrownBy(() -> FragmentCodec.decodeRequest(cut))
            .as("%s cut to %d bytes", fragment, length)
            .isInstanceOf(WireException.class);
      }
      byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
      assertThatThrownBy(() -> FragmentCodec.decodeRequest(longer))
          .isInstanceOf(WireException.class);
    }
    for (FragmentAnswer answer : answers()) {
      byte[] bytes = FragmentCodec.encode(answer);
      for (int length = 0; length < bytes.length; length++) {
        byte[] cut = Arrays.copyOf(bytes, length);
        assertThatThrownBy(() -> FragmentCodec.decodeAnswer(cut))
            .as("%s cut to %d bytes", answer, length)
            .isInstanceOf(WireException.class);
      }
      byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
      assertThatThrownBy(() -> FragmentCodec.decodeAnswer(longer))
          .isInstanceOf(WireException.class);
    }
  }

  @Test
  void anotherVersionIsRefusedByItsNumber() {
    byte[] bytes = encoded(FRAGMENTS.getFirst());
    bytes[2] = 3;
    assertThatThrownBy(() -> FragmentCodec.decodeRequest(bytes))
        .isInstanceOf(WireException.class)
        .hasMessage("the bytes begin with 70, 81, 3; expected 'F', 'Q' and a version from 6 to 8");
  }

  @Test
  void aKindOfTheOtherDirectionOrOfNoneIsRefused() {
    for (int kind : new int[] {0, 6, 15, 255}) {
      byte[] bytes = encoded(FRAGMENTS.getFirst());
      bytes[3] = (byte) kind;
      assertThatThrownBy(() -> FragmentCodec.decodeRequest(bytes))
          .as("kind %d", kind)
          .isInstanceOf(WireException.class);
    }
    byte[] bytes = FragmentCodec.encode(ANSWERS.getFirst());
    bytes[3] = 3;
    assertThatThrownBy(() -> FragmentCodec.decodeAnswer(bytes))
        .isInstanceOf(WireException.class)
        .hasMessage("the kind 3 is of questions only");
  }

  @Test
  void aQuestionForChangesIsToldFromItsBytes() {
    for (Fragment fragment : FRAGMENTS) {
      assertThat(FragmentCodec.isChanges(encoded(fragment)))
          .isEqualTo(fragment instanceof Fragment.Changes);
    }
    assertThat(FragmentCodec.isChanges(new byte[3])).isFalse();
  }

  @Test
  void theSameQuestionForOtherHostsDiffersInNothingElse() {
    for (Fragment fragment : FRAGMENTS) {
      Fragment other = fragment.at(77, List.of("other"));
      assertThat(other.epoch()).isEqualTo(77);
      assertThat(other.hosts()).containsExactly("other");
      assertThat(other.at(fragment.epoch(), fragment.hosts())).isEqualTo(fragment);
    }
  }

  @Test
  void partsOfUnreasonablyManyStepsAreRefused() {
    QueryText text = new QueryText("x", 0, 0, 0, Query.Settings.STOCK);
    for (Fragment.Part part :
        List.of(
            new Fragment.Part(0, new Grid(0, 0, 10), false, false),
            new Fragment.Part(0, new Grid(10, 1, 9), false, false),
            new Fragment.Part(0, new Grid(0, 1, 1 << 24), false, false))) {
      byte[] bytes = encoded(new Fragment.Parts(1, List.of(), text, List.of(), 1, List.of(part)));
      assertThatThrownBy(() -> FragmentCodec.decodeRequest(bytes))
          .isInstanceOf(WireException.class)
          .hasMessageStartingWith("a part has the steps");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void randomColumnsAndPartialsComeBackToTheLastBit(long seed) throws WireException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 300; round++) {
      List<Column> columns = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        columns.add(new Column(Labels.of("a", "" + i), numbers(random, true)));
      }
      List<Partial> partials = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        double[] sums = numbers(random, false);
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
      FragmentAnswer.Parts parts =
          new FragmentAnswer.Parts(
              1,
              List.of(),
              List.of(),
              List.of(new PartResult(columns, partials, List.of(), 3)),
              List.of(""),
              0,
              List.of());
      PartResult back =
          ((FragmentAnswer.Parts) FragmentCodec.decodeAnswer(FragmentCodec.encode(parts)))
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

  private static double[] numbers(SplittableRandom random, boolean gaps) {
    double[] numbers = new double[1 + random.nextInt(20)];
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
      byte[] bytes =
          random.nextBoolean()
              ? encoded(FRAGMENTS.get(random.nextInt(FRAGMENTS.size())))
              : FragmentCodec.encode(answers().get(random.nextInt(answers().size())));
      for (int hits = random.nextInt(4); hits > 0; hits--) {
        bytes[4 + random.nextInt(bytes.length - 4)] = (byte) random.nextInt();
      }
      byte[] damaged =
          random.nextInt(3) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
      try {
        if (damaged.length > 1 && damaged[1] == 'Q') {
          FragmentCodec.decodeRequest(damaged);
        } else {
          FragmentCodec.decodeAnswer(damaged);
        }
      } catch (WireException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }

  @Test
  void bytesOfSomethingElseAreRefused() {
    assertThatThrownBy(() -> FragmentCodec.decodeAnswer(encoded(FRAGMENTS.getFirst())))
        .isInstanceOf(WireException.class);
    assertThatThrownBy(() -> FragmentCodec.decodeRequest(new byte[0]))
        .isInstanceOf(WireException.class);
  }
}
