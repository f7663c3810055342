package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.wire.WireException;
import java.lang.management.ManagementFactory;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bodies are golden bytes, and what the reader reads. */
class RemoteWriteWriterTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final List<String> read = new ArrayList<>();

  private final RemoteWriteReader.Sink sink =
      new RemoteWriteReader.Sink() {
        @Override
        public boolean series(RemoteWriteReader reader) throws WireException {
          assertThat(reader.problem()).isEmpty();
          try {
            StringBuilder labels = new StringBuilder();
            for (int i = 0; i < reader.labelCount(); i++) {
              labels.append(reader.name(i)).append('=').append(reader.value(i)).append(' ');
            }
            read.add(labels.toString().strip());
          } catch (CharacterCodingException e) {
            throw new AssertionError(e);
          }
          return true;
        }

        @Override
        public void sample(long time, double value) {
          read.add(time + " " + Long.toHexString(Double.doubleToRawLongBits(value)));
        }

        @Override
        public void histogram(long time, Histogram histogram) {
          read.add(time + " " + shown(histogram));
        }

        @Override
        public void badHistogram(String why) {
          throw new AssertionError(why);
        }

        @Override
        public void unwanted(int samples, int histograms) {
          throw new AssertionError("unwanted");
        }

        @Override
        public void exemplars(int count) {
          assertThat(count).isZero();
        }

        @Override
        public void metadata(String metric, MetricMetadata metadata) {
          throw new AssertionError("metadata");
        }
      };

  private List<String> events(Version version, RemoteWriteWriter written) throws WireException {
    byte[] bytes = written.toBytes();
    read.clear();
    new RemoteWriteReader(version, bytes, bytes.length).read(sink);
    return read;
  }

  private static String shown(Histogram of) {
    return of.toString().replaceFirst("customBounds=.*", "" + of.customBounds().length);
  }

  private static Histogram histogram() {
    return new Histogram(
        2,
        Histogram.ResetHint.GAUGE,
        10,
        17.5,
        1e-9,
        1,
        new Histogram.Buckets(new int[] {-3, -2, 4}, new double[] {2, 3, 1}),
        new Histogram.Buckets(new int[] {0}, new double[] {3}),
        new double[0]);
  }

  @Test
  void aBodyOfVersionOneHasTheLabelsOfEachSeriesAsTexts() {
    RemoteWriteWriter out = new RemoteWriteWriter(Version.V1);
    out.series(Labels.of("__name__", "up", "a", "é")).sample(300, 1.0);
    assertThat(HexFormat.of().formatHex(out.toBytes()))
        .isEqualTo(
            "0a27" // a series of 39 bytes
                + "0a0e"
                + "0a085f5f6e616d655f5f"
                + "12027570" // __name__ up
                + "0a07"
                + "0a0161"
                + "1202c3a9" // a é
                + "120c"
                + "09000000000000f03f"
                + "10ac02"); // 1 at 300
  }

  @Test
  void aBodyOfVersionTwoHasEachTextOnceAndSeriesReferToThem() {
    RemoteWriteWriter out = new RemoteWriteWriter(Version.V2);
    out.series("a", "b").sample(1, 1.0).series("b", "a").sample(2, 1.0);
    assertThat(HexFormat.of().formatHex(out.toBytes()))
        .isEqualTo(
            "2200"
                + "220161"
                + "220162" // symbols: "", a, b
                + "2a11"
                + "0a020102"
                + "120b"
                + "09000000000000f03f"
                + "1001"
                + "2a11"
                + "0a020201"
                + "120b"
                + "09000000000000f03f"
                + "1002");
  }

  @ParameterizedTest
  @EnumSource
  void theReaderReadsWhatWasWritten(Version version) throws WireException {
    double marker = Double.longBitsToDouble(0x7ff0000000000002L);
    RemoteWriteWriter out = new RemoteWriteWriter(version);
    out.series(Labels.of("__name__", "a", "x", "\ud83d\ude00 ü"))
        .sample(1_700_000_000_000L, -0.0)
        .sample(1_700_000_000_001L, marker)
        .series(
            new Series(
                Labels.of("__name__", "h"),
                new long[] {1, 2},
                new double[] {5, marker},
                new Histogram[] {null, histogram()}))
        .series("z", "", "a", "ab")
        .sample(-5, Double.MIN_VALUE);
    assertThat(out.samples()).isEqualTo(5);
    assertThat(events(version, out))
        .containsExactly(
            "__name__=a x=\ud83d\ude00 ü",
            "1700000000000 8000000000000000",
            "1700000000001 7ff0000000000002",
            "__name__=h",
            "1 4014000000000000",
            "2 " + shown(histogram()),
            "z= a=ab",
            "-5 1");
  }

  @ParameterizedTest
  @EnumSource
  void aWriterIsUsedAgainAndOwesNothingToTheBodyBefore(Version version) throws WireException {
    RemoteWriteWriter out = new RemoteWriteWriter(version);
    out.series("a", "1").sample(1, 1).series("b", "2").sample(1, 1).toBytes();
    byte[] again = out.clear().series("b", "2").sample(2, 2).toBytes();
    assertThat(again)
        .isEqualTo(new RemoteWriteWriter(version).series("b", "2").sample(2, 2).toBytes());
    assertThat(out.samples()).isEqualTo(1);
    assertThat(events(version, out.clear())).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void theSizeIsThatOfTheBodyButForTheHeadOfTheLastSeries(Version version) {
    RemoteWriteWriter out = new RemoteWriteWriter(version);
    for (int i = 0; i < 1_000; i++) {
      out.series("i", "" + i).sample(i, i);
      int size = out.size();
      assertThat(out.toBytes().length - size).isBetween(0, 5);
    }
  }

  @Test
  void aSeriesOfVersionTwoHasItsMetadata() {
    RemoteWriteWriter out = new RemoteWriteWriter(Version.V2);
    Series series = new Series(Labels.of("a", "b"), new long[] {1}, new double[] {1});
    out.series(series, new MetricMetadata("gauge", "h", "b"));
    assertThat(HexFormat.of().formatHex(out.toBytes()))
        .isEqualTo(
            "2200"
                + "220161"
                + "220162"
                + "220168" // symbols: "", a, b, h
                + "2a19"
                + "0a020102"
                + "120b"
                + "09000000000000f03f"
                + "1001" // a=b, a sample
                + "2a06"
                + "0802"
                + "1803"
                + "2002"); // gauge, help h, unit b
  }

  @Test
  void aLoneHalfOfASurrogatePairIsAQuestionMark() throws WireException {
    RemoteWriteWriter out = new RemoteWriteWriter(Version.V1);
    assertThat(events(Version.V1, out.series("a", "x\ud83d", "b", "\ude00é")))
        .containsExactly("a=x? b=?é");
  }

  @ParameterizedTest
  @EnumSource
  void noMemoryIsTakenForSamplesOnceBuffersAreLargeEnough(Version version) {
    Labels[] labels = new Labels[100];
    for (int i = 0; i < labels.length; i++) {
      labels[i] = Labels.of("__name__", "DCGM_FI_DEV_GPU_UTIL", "gpu", "" + i);
    }
    RemoteWriteWriter out = new RemoteWriteWriter(version);
    long used = 0;
    for (int round = 0; round < 3; round++) {
      out.clear();
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (Labels each : labels) {
        out.series(each);
        for (int i = 0; i < 1_000; i++) {
          out.sample(1_700_000_000_000L + i, i);
        }
      }
      used = THREADS.getCurrentThreadAllocatedBytes() - before;
    }
    // Version 2 has an entry of a map for each text of a body.
    assertThat(used).isLessThan(version == Version.V1 ? 1_000 : 100_000);
  }
}
