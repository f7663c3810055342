package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RemoteWriteReaderTest {
  private final List<String> read = new ArrayList<>();

  private final RemoteWriteReader.Sink sink =
      new RemoteWriteReader.Sink() {
        @Override
        public boolean series(RemoteWriteReader reader) throws WireException {
          if (!reader.problem().isEmpty()) {
            return false;
          }
          try {
            StringBuilder labels = new StringBuilder();
            for (int i = 0; i < reader.labelCount(); i++) {
              labels.append(reader.name(i)).append('=').append(reader.value(i)).append(' ');
            }
            read.add(labels.toString().strip());
            MetricMetadata said = reader.seriesMetadata();
            if (said != null) {
              read.add(said.toString());
            }
            return !labels.toString().startsWith("skip");
          } catch (CharacterCodingException e) {
            read.add("not UTF-8");
            return false;
          }
        }

        @Override
        public void sample(long time, double value) {
          read.add(time + " " + value);
        }

        @Override
        public void histogram(long time, Histogram histogram) {
          read.add(time + " " + histogram.count() + " " + histogram.positive());
        }

        @Override
        public void badHistogram(String why) {
          read.add(why);
        }

        @Override
        public void unwanted(int samples, int histograms) {
          read.add("unwanted " + samples + " " + histograms);
        }

        @Override
        public void exemplars(int count) {
          if (count > 0) {
            read.add("exemplars " + count);
          }
        }

        @Override
        public void metadata(String metric, MetricMetadata metadata) {
          read.add(metric + " " + metadata);
        }
      };

  private static WireWriter field(WireWriter out, int number, WireWriter content) {
    return out.uvar(number << 3 | 2).uvar(content.size()).raw(content.array(), 0, content.size());
  }

  private static WireWriter text(WireWriter out, int number, String text) {
    return out.uvar(number << 3 | 2).string(text);
  }

  private static WireWriter label(String name, String value) {
    return text(text(new WireWriter(), 1, name), 2, value);
  }

  private static WireWriter sample(long time, double value) {
    return new WireWriter().u8(9).f64(value).u8(16).uvar(time);
  }

  private static WireWriter histogram() {
    WireWriter span = new WireWriter().u8(8).svar(1).u8(16).uvar(2);
    WireWriter out = new WireWriter().u8(8).uvar(7).u8(25).f64(1.5).u8(32).svar(2);
    field(out, 11, span);
    field(out, 12, new WireWriter().svar(3).svar(1));
    return out.uvar(15 << 3).uvar(1_000);
  }

  /** The events of a series whose first {@code known} bytes are a key that the receiver knows. */
  private List<String> events(WireWriter series, int known) throws WireException {
    read.clear();
    byte[] bytes = field(new WireWriter(), 1, series).toBytes();
    RemoteWriteReader.Sink recognising =
        new RemoteWriteReader.Sink() {
          @Override
          public int known(byte[] body, int from, int to) {
            assertThat(to - from).isEqualTo(series.size());
            assertThat(Arrays.copyOfRange(body, from, to)).isEqualTo(series.toBytes());
            return known;
          }

          @Override
          public boolean series(RemoteWriteReader reader) {
            int length = reader.keyTo() - reader.keyFrom();
            read.add("key of " + length + ", " + reader.labelCount() + " labels");
            return true;
          }

          @Override
          public void sample(long time, double value) {
            sink.sample(time, value);
          }

          @Override
          public void histogram(long time, Histogram histogram) {
            sink.histogram(time, histogram);
          }

          @Override
          public void badHistogram(String why) {
            read.add(why);
          }

          @Override
          public void unwanted(int samples, int histograms) {
            sink.unwanted(samples, histograms);
          }

          @Override
          public void exemplars(int count) {
            sink.exemplars(count);
          }

          @Override
          public void metadata(String metric, MetricMetadata metadata) {
            sink.metadata(metric, metadata);
          }
        };
    new RemoteWriteReader(Version.V1, bytes, bytes.length).read(recognising);
    return List.copyOf(read);
  }

  @Test
  void ofAKnownSeriesOnlyTheSampleIsRead() throws Exception {
    WireWriter labels = field(new WireWriter(), 1, label("__name__", "a"));
    int key = labels.size();
    String whole = "key of " + key + ", 1 labels";
    for (long time : new long[] {0, 5, 1_700_000_000_000L, -6}) {
      WireWriter one = field(new WireWriter().raw(labels.array(), 0, key), 2, sample(time, 1.5));
      assertThat(events(one, 0)).containsExactly(whole, time + " 1.5");
      assertThat(events(one, key)).containsExactly("key of " + key + ", 0 labels", time + " 1.5");
    }
    WireWriter two = field(new WireWriter().raw(labels.array(), 0, key), 2, sample(5, 1));
    field(two, 2, sample(6, 2));
    assertThat(events(two, key)).containsExactly(whole, "5 1.0", "6 2.0");
    WireWriter backwards = new WireWriter().u8(16).uvar(5).u8(9).f64(1);
    WireWriter other = field(new WireWriter().raw(labels.array(), 0, key), 2, backwards);
    assertThat(events(other, key)).containsExactly(whole, "5 1.0");
    WireWriter without = field(new WireWriter().raw(labels.array(), 0, key), 2, new WireWriter());
    assertThat(events(without, key)).containsExactly(whole, "0 0.0");
    WireWriter more = field(new WireWriter().raw(labels.array(), 0, key), 1, label("b", "c"));
    int longer = more.size();
    field(more, 2, sample(5, 1));
    assertThat(events(more, key)).containsExactly("key of " + longer + ", 2 labels", "5 1.0");
    assertThat(events(labels, key)).containsExactly(whole);
  }

  private static byte[] v1() {
    WireWriter series = new WireWriter();
    field(series, 1, label("__name__", "a"));
    field(series, 1, label("b", "é"));
    field(series, 2, sample(5, 1.5));
    field(series, 2, sample(-6, 2));
    field(series, 3, new WireWriter());
    field(series, 4, histogram());
    series.uvar(99 << 3).uvar(7); // a field that nobody knows yet
    WireWriter backwards = new WireWriter();
    field(backwards, 2, sample(7, 3));
    field(backwards, 1, label("skip", "b"));
    WireWriter out = new WireWriter();
    field(out, 1, series);
    WireWriter metadata = new WireWriter().uvar(1 << 3).uvar(1);
    text(text(text(metadata, 2, "a_total"), 4, "How many."), 5, "things");
    field(out, 3, metadata);
    return field(out, 1, backwards).toBytes();
  }

  private static byte[] v2() {
    WireWriter series = new WireWriter();
    field(series, 1, new WireWriter().uvar(1).uvar(2).uvar(3).uvar(4));
    field(series, 2, sample(5, 1.5));
    field(series, 3, histogram());
    field(
        series, 5, new WireWriter().uvar(1 << 3).uvar(2).uvar(3 << 3).uvar(4).uvar(4 << 3).uvar(0));
    WireWriter out = field(new WireWriter(), 5, series);
    for (String symbol : List.of("", "__name__", "a", "b", "é")) {
      text(out, 4, symbol);
    }
    return out.toBytes();
  }

  @Test
  void aMessageOfVersionOneIsReadInItsOrder() throws WireException {
    byte[] bytes = v1();
    new RemoteWriteReader(Version.V1, bytes, bytes.length).read(sink);
    assertThat(read)
        .containsExactly(
            "__name__=a b=é",
            "exemplars 1",
            "5 1.5",
            "-6 2.0",
            "1000 7.0 [1, 2][3.0, 4.0]",
            "a_total MetricMetadata[type=counter, help=How many., unit=things]",
            "skip=b",
            "unwanted 1 0");
  }

  @Test
  void aMessageOfVersionTwoIsReadWhereverItsSymbolsStand() throws WireException {
    byte[] bytes = v2();
    new RemoteWriteReader(Version.V2, bytes, bytes.length).read(sink);
    assertThat(read)
        .containsExactly(
            "__name__=a b=é",
            "MetricMetadata[type=gauge, help=é, unit=]",
            "5 1.5",
            "1000 7.0 [1, 2][3.0, 4.0]");
  }

  /** Whatever the bytes are, they are read or refused. */
  @ParameterizedTest
  @EnumSource(Version.class)
  void damagedBytesAreReadOrRefusedAndNothingElse(Version version) {
    SplittableRandom random = new SplittableRandom(1);
    byte[] good = version == Version.V1 ? v1() : v2();
    int refused = 0;
    for (int i = 0; i < 50_000; i++) {
      byte[] bytes = Arrays.copyOf(good, random.nextInt(1, good.length + 1));
      for (int j = random.nextInt(4); j > 0; j--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        new RemoteWriteReader(version, bytes, bytes.length).read(sink);
      } catch (WireException e) {
        refused++;
      }
      read.clear();
    }
    assertThat(refused).isPositive();
  }
}
