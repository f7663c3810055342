package io.fleetgauge.promql.fragment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.exec.Selection;
import io.fleetgauge.promql.syntax.Matcher;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.wire.WireException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
          new Fragment.LabelSets(1L << 60, List.of("n1"), SEARCH));
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
              3, List.of("n1"), List.of(Labels.of("a", "b"), Labels.EMPTY)));

  @Test
  void whatIsDecodedIsWhatWasEncoded() throws WireException {
    for (Fragment fragment : FRAGMENTS) {
      assertThat(FragmentCodec.decodeFragment(FragmentCodec.encode(fragment))).isEqualTo(fragment);
    }
    for (FragmentAnswer answer : ANSWERS) {
      assertThat(FragmentCodec.decodeAnswer(FragmentCodec.encode(answer))).isEqualTo(answer);
    }
  }

  @Test
  void theBytesAreTheOnesThatAreDrawn() {
    assertThat(HexFormat.of().formatHex(FragmentCodec.encode(FRAGMENTS.getFirst())))
        .isEqualTo(
            "46510201"
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
            "46410201"
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

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void damagedBytesAreAnAnswerOrAnErrorOfTheirOwn(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes =
          random.nextBoolean()
              ? FragmentCodec.encode(FRAGMENTS.get(random.nextInt(FRAGMENTS.size())))
              : FragmentCodec.encode(ANSWERS.get(random.nextInt(ANSWERS.size())));
      for (int hits = random.nextInt(4); hits > 0; hits--) {
        bytes[4 + random.nextInt(bytes.length - 4)] = (byte) random.nextInt();
      }
      byte[] damaged =
          random.nextInt(3) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
      try {
        if (damaged.length > 1 && damaged[1] == 'Q') {
          FragmentCodec.decodeFragment(damaged);
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
    assertThatThrownBy(() -> FragmentCodec.decodeAnswer(FragmentCodec.encode(FRAGMENTS.getFirst())))
        .isInstanceOf(WireException.class);
    assertThatThrownBy(() -> FragmentCodec.decodeFragment(new byte[0]))
        .isInstanceOf(WireException.class);
  }
}
