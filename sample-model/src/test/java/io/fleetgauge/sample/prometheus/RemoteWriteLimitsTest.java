package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys of label sets, texts of errors, and the limits of a remote write. */
class RemoteWriteLimitsTest {
  /** Keeps what the reader says about each series. */
  private static final class Recorder implements RemoteWriteReader.Sink {
    private final List<String> described = new ArrayList<>();
    private final List<byte[]> keys = new ArrayList<>();
    private final List<MetricMetadata> said = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    @Override
    public boolean series(RemoteWriteReader reader) throws WireException {
      if (!reader.problem().isEmpty()) {
        problems.add(reader.problem());
        return false;
      }
      described.add(reader.describe());
      keys.add(Arrays.copyOfRange(reader.keyBytes(), reader.keyFrom(), reader.keyTo()));
      said.add(reader.seriesMetadata());
      return true;
    }

    @Override
    public void sample(long time, double value) {
      events.add("sample " + time + " " + value);
    }

    @Override
    public void histogram(long time, Histogram histogram) {
      events.add("histogram " + time + " " + histogram.count());
    }

    @Override
    public void badHistogram(String why) {
      events.add("bad histogram: " + why);
    }

    @Override
    public void unwanted(int samples, int histograms) {
      events.add("unwanted " + (samples + histograms));
    }

    @Override
    public void exemplars(int count) {
      events.add("exemplars " + count);
    }

    @Override
    public void metadata(String metric, MetricMetadata metadata) {
      events.add(metric + ": " + metadata.type());
    }
  }

  private final Recorder recorder = new Recorder();

  private static WireWriter field(WireWriter out, int number, WireWriter content) {
    return out.uvar(number << 3 | 2).uvar(content.size()).raw(content.array(), 0, content.size());
  }

  private static WireWriter label(String name, String value) {
    return new WireWriter().u8(10).string(name).u8(18).string(value);
  }

  private static WireWriter seriesV1(String... namesAndValues) {
    WireWriter series = new WireWriter();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      field(series, 1, label(namesAndValues[i], namesAndValues[i + 1]));
    }
    return series;
  }

  private void read(Version version, WireWriter message) throws WireException {
    byte[] bytes = message.toBytes();
    new RemoteWriteReader(version, bytes, bytes.length).read(recorder);
  }

  private void assertRefused(Version version, WireWriter message, String why) {
    assertThatThrownBy(() -> read(version, message))
        .isInstanceOf(WireException.class)
        .hasMessageContaining(why);
  }

  /** The series is refused, and the one behind it is read. */
  private void assertSeriesIsRefused(Version version, WireWriter message, String why)
      throws WireException {
    recorder.described.clear();
    recorder.problems.clear();
    if (version == Version.V1) {
      field(message, 1, seriesV1("next", "1"));
    } else {
      field(message, 5, new WireWriter());
    }
    read(version, message);
    assertThat(recorder.problems).singleElement().asString().contains(why);
    assertThat(recorder.described).hasSize(1);
  }

  @Test
  void aSeriesIsDescribedByItsLabelsAsTheyWereSent() throws WireException {
    WireWriter message = field(new WireWriter(), 1, seriesV1("b", "2", "a", "é"));
    read(Version.V1, field(message, 1, seriesV1()));
    assertThat(recorder.described).containsExactly("{b=\"2\", a=\"é\"}", "{}");
  }

  @Test
  void bytesThatAreNotUtf8AreShownButAreNoText() throws WireException {
    WireWriter label = new WireWriter().u8(10).uvar(1).u8(0xff).u8(18).uvar(1).u8('v');
    byte[] bytes = field(new WireWriter(), 1, field(new WireWriter(), 1, label)).toBytes();
    RemoteWriteReader reader = new RemoteWriteReader(Version.V1, bytes, bytes.length);
    reader.read(recorder);
    assertThat(recorder.described).containsExactly("{\ufffd=\"v\"}");
    assertThatThrownBy(() -> reader.name(0)).isInstanceOf(CharacterCodingException.class);
    assertThat(reader.keyTo()).isGreaterThan(reader.keyFrom());
  }

  @Test
  void aLabelWithoutAFieldHasAnEmptyNameOrValue() throws Exception {
    WireWriter series = field(new WireWriter(), 1, new WireWriter().u8(10).string("a"));
    field(series, 1, new WireWriter().u8(18).string("v"));
    field(series, 1, new WireWriter());
    field(series, 1, new WireWriter().u8(18).string("w").u8(24).uvar(1).u8(10).string("b"));
    read(Version.V1, field(new WireWriter(), 1, series));
    assertThat(recorder.described).containsExactly("{a=\"\", =\"v\", =\"\", b=\"w\"}");
  }

  /** However a label set is sent, its key tells it from each other one. */
  @ParameterizedTest
  @EnumSource(Version.class)
  void equalKeysMeanEqualLabelSets(Version version) throws WireException {
    SplittableRandom random = new SplittableRandom(3);
    Map<String, String> labelsByKey = new HashMap<>();
    for (int round = 0; round < 3_000; round++) {
      TreeMap<String, String> labels = new TreeMap<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        labels.put("n".repeat(1 + random.nextInt(3)), "v".repeat(random.nextInt(300)));
      }
      List<String> flat = new ArrayList<>();
      labels.forEach((name, value) -> flat.addAll(List.of(name, value)));
      recorder.keys.clear();
      boolean apart = random.nextBoolean();
      read(version, version == Version.V1 ? v1(flat, apart) : v2(flat, apart));
      String key = Arrays.toString(recorder.keys.getFirst());
      assertThat(labelsByKey.computeIfAbsent(key, none -> flat.toString()))
          .isEqualTo(flat.toString());
    }
    assertThat(labelsByKey).hasSizeGreaterThan(100);
  }

  /** Labels together in front of the samples, or with a sample between them. */
  private static WireWriter v1(List<String> flat, boolean apart) {
    WireWriter series = new WireWriter();
    for (int i = 0; i < flat.size(); i += 2) {
      field(series, 1, label(flat.get(i), flat.get(i + 1)));
      if (apart) {
        field(series, 2, new WireWriter().u8(16).uvar(i));
      }
    }
    return field(new WireWriter(), 1, series);
  }

  private static WireWriter v2(List<String> flat, boolean symbolsFirst) {
    WireWriter refs = new WireWriter();
    WireWriter symbols = new WireWriter();
    for (int i = 0; i < flat.size(); i++) {
      refs.uvar(i);
      symbols.uvar(4 << 3 | 2).string(flat.get(i));
    }
    WireWriter series = field(new WireWriter(), 5, field(new WireWriter(), 1, refs));
    return symbolsFirst
        ? symbols.raw(series.array(), 0, series.size())
        : series.raw(symbols.array(), 0, symbols.size());
  }

  @Test
  void inVersionTwoTheKeyIsTheSameWhateverTheNumbersOfTheSymbols() throws WireException {
    read(Version.V2, v2(List.of("a", "1", "b", "2"), true));
    WireWriter refs = new WireWriter().uvar(3).uvar(2).uvar(1).uvar(0);
    WireWriter message = field(new WireWriter(), 5, field(new WireWriter(), 1, refs));
    for (String symbol : List.of("2", "b", "1", "a")) {
      message.uvar(4 << 3 | 2).string(symbol);
    }
    read(Version.V2, message);
    assertThat(recorder.keys).hasSize(2);
    assertThat(recorder.keys.get(0)).isEqualTo(recorder.keys.get(1));
  }

  @Test
  void asManyLabelsAsTheLimitAreReadAndOneMoreIsRefused() throws WireException {
    List<String> most = new ArrayList<>();
    for (int i = 0; i < 2 * RemoteWriteReader.MAX_LABELS; i++) {
      most.add("x" + i);
    }
    read(Version.V1, v1(most, false));
    read(Version.V2, v2(most, false));
    assertThat(recorder.keys).hasSize(2);
    most.addAll(List.of("y", "z"));
    assertSeriesIsRefused(Version.V1, v1(most, false), "it has more than 256 labels");
    assertSeriesIsRefused(Version.V2, v2(most, false), "it has more than 256 labels");
  }

  @ParameterizedTest
  @EnumSource(Version.class)
  void asLongALabelAsTheLimitIsReadAndALongerOneIsRefused(Version version) throws WireException {
    String longest = "x".repeat(RemoteWriteReader.MAX_LABEL_BYTES);
    for (List<String> labels : List.of(List.of(longest, "v"), List.of("n", longest))) {
      read(version, version == Version.V1 ? v1(labels, true) : v2(labels, true));
      List<String> longer =
          labels.stream().map(text -> text.length() > 1 ? text + "x" : text).toList();
      assertSeriesIsRefused(
          version,
          version == Version.V1 ? v1(longer, true) : v2(longer, true),
          "a label's name or value has 16385 bytes, allowed are 16384");
    }
  }

  @Test
  void labelReferencesComeInPairsPackedOrOneByOne() throws WireException {
    WireWriter oneByOne = new WireWriter().u8(8).uvar(0).u8(8).uvar(1);
    WireWriter series = field(oneByOne, 1, new WireWriter().uvar(1).uvar(0).uvar(1));
    series.u8(8).uvar(1);
    WireWriter message = field(new WireWriter(), 5, series);
    message.uvar(4 << 3 | 2).string("a").uvar(4 << 3 | 2).string("b");
    read(Version.V2, message);
    assertThat(recorder.described).containsExactly("{a=\"b\", b=\"a\", b=\"b\"}");
    WireWriter odd = field(new WireWriter(), 1, new WireWriter().uvar(0));
    WireWriter half = field(new WireWriter(), 5, odd).uvar(4 << 3 | 2).string("a");
    assertSeriesIsRefused(Version.V2, half, "it has an odd number of label references");
  }

  @Test
  void aReferenceWithoutATableIsNamedUnsigned() throws WireException {
    WireWriter refs = field(new WireWriter(), 1, new WireWriter().uvar(-1).uvar(0));
    assertSeriesIsRefused(
        Version.V2,
        field(new WireWriter(), 5, refs),
        "the label reference 18446744073709551615 is outside the table of 0 symbols");
  }

  @Test
  void metadataThatRefersToNoTextHasNone() throws WireException {
    WireWriter metadata = new WireWriter().u8(8).uvar(1).u8(24).uvar(9).u8(32).uvar(-1);
    read(Version.V2, field(new WireWriter(), 5, field(new WireWriter(), 5, metadata)));
    assertThat(recorder.said).containsExactly(new MetricMetadata("counter", "", ""));
  }

  @Test
  void aHistogramWhoseFieldsContradictEachOtherCostsNothingElse() throws WireException {
    WireWriter span = field(new WireWriter(), 11, new WireWriter().u8(8).svar(0).u8(16).uvar(3));
    WireWriter series = field(seriesV1("a", "1"), 4, span);
    field(series, 2, new WireWriter().u8(16).uvar(7));
    read(Version.V1, field(field(new WireWriter(), 1, series), 1, seriesV1("b", "1")));
    assertThat(recorder.events)
        .containsExactly(
            "exemplars 0",
            "bad histogram: a histogram's spans need more buckets than it has",
            "sample 7 0.0",
            "exemplars 0");
  }

  @Test
  void aSeriesOfManyLabelsIsDescribedByTheFirstOnes() throws WireException {
    String[] many = new String[400];
    Arrays.fill(many, "x".repeat(50));
    read(Version.V1, field(new WireWriter(), 1, seriesV1(many)));
    assertThat(recorder.described.getFirst()).hasSizeBetween(1_000, 1_200).endsWith("\"}");
  }

  @ParameterizedTest
  @CsvSource({
    "0, unknown",
    "1, counter",
    "2, gauge",
    "3, histogram",
    "4, gaugehistogram",
    "5, summary",
    "6, info",
    "7, stateset",
    "8, unknown",
    "-1, unknown"
  })
  void theTypeOfAMetricIsItsNumber(long number, String type) throws WireException {
    WireWriter metadata = new WireWriter().u8(8).uvar(number).u8(18).string("m");
    read(Version.V1, field(new WireWriter(), 3, metadata));
    assertThat(recorder.events).containsExactly("m: " + type);
    WireWriter series = field(new WireWriter(), 5, new WireWriter().u8(8).uvar(number));
    read(Version.V2, field(new WireWriter(), 5, series));
    assertThat(recorder.said).containsExactly(new MetricMetadata(type, "", ""));
  }

  @Test
  void metadataOfVersionTwoNamesItsTextsByNumber() throws WireException {
    WireWriter metadata = new WireWriter().u8(8).uvar(1).u8(24).uvar(1).u8(32).uvar(2);
    metadata.u8(80).uvar(5); // a field that is not known
    WireWriter message = field(new WireWriter(), 5, field(new WireWriter(), 5, metadata));
    for (String symbol : List.of("", "Some help.", "bytes")) {
      message.uvar(4 << 3 | 2).string(symbol);
    }
    read(Version.V2, message);
    assertThat(recorder.said).containsExactly(new MetricMetadata("counter", "Some help.", "bytes"));
  }

  @Test
  void aSeriesOfVersionOneHasNoMetadata() throws WireException {
    WireWriter series = field(seriesV1("a", "1"), 5, new WireWriter().u8(8).uvar(1));
    read(Version.V1, field(new WireWriter(), 1, series));
    assertThat(recorder.said).containsExactly((MetricMetadata) null);
  }

  @Test
  void metadataDoesNotStayForTheNextSeries() throws WireException {
    WireWriter with = field(new WireWriter(), 5, new WireWriter().u8(8).uvar(1));
    WireWriter message = field(new WireWriter(), 5, with);
    read(Version.V2, field(message, 5, new WireWriter()));
    assertThat(recorder.said).containsExactly(new MetricMetadata("counter", "", ""), null);
  }

  @Test
  void aSampleWithoutFieldsIsZeroAtTheEpochAndTheLastOfARepeatedFieldCounts() throws WireException {
    WireWriter series = field(seriesV1("a", "1"), 2, new WireWriter());
    field(series, 2, new WireWriter().u8(16).uvar(1).u8(9).f64(3).u8(16).uvar(2).u8(24).uvar(4));
    read(Version.V1, field(new WireWriter(), 1, series));
    assertThat(recorder.events).containsExactly("exemplars 0", "sample 0 0.0", "sample 2 3.0");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void fieldsOfTheOtherVersionAreSkipped(int field) throws WireException {
    read(Version.V2, field(new WireWriter(), field, seriesV1("a", "1")));
    read(Version.V1, field(new WireWriter(), 5, seriesV1("a", "1")));
    assertThat(recorder.described).isEmpty();
    assertThat(recorder.events).isEmpty();
  }

  @Test
  void onlyTheBytesOfTheBodyAreRead() throws WireException {
    byte[] body = field(new WireWriter(), 1, seriesV1("a", "1")).toBytes();
    byte[] larger = Arrays.copyOf(body, body.length + 20);
    Arrays.fill(larger, body.length, larger.length, (byte) 0xff);
    new RemoteWriteReader(Version.V1, larger, body.length).read(recorder);
    assertThat(recorder.described).containsExactly("{a=\"1\"}");
  }

  @Test
  void aPartThatIsLongerThanWhatItIsInIsRefused() {
    WireWriter cut = new WireWriter().u8(10).uvar(50).u8(0);
    assertRefused(Version.V1, cut, "the length of a series at byte 1 is 50, allowed are 0 to 2");
    WireWriter label = new WireWriter().u8(10).uvar(4);
    WireWriter message = field(new WireWriter(), 1, label).u8(24).uvar(1).u8(24).uvar(1);
    assertRefused(Version.V1, message, "a label at byte 4 does not end where it says");
    WireWriter sample = seriesV1("a", "1").u8(18).uvar(3).u8(9);
    assertRefused(
        Version.V1, field(new WireWriter(), 1, sample).u8(24).uvar(1), "does not end where");
  }

  @ParameterizedTest
  @CsvSource({
    "0, no field begins before byte 1",
    "3, no field begins before byte 1",
    "11, a field of the unknown wire type 3 before byte 1",
    "12, a field of the unknown wire type 4 before byte 1",
    "14, a field of the unknown wire type 6 before byte 1",
    "15, a field of the unknown wire type 7 before byte 1",
    "4294967296, no field begins before byte 5"
  })
  void aTagThatIsNoneIsRefusedWithItsPlace(long tag, String why) {
    assertRefused(Version.V1, new WireWriter().uvar(tag).u8(0), why);
    assertRefused(Version.V2, new WireWriter().uvar(tag).u8(0), why);
  }

  @ParameterizedTest
  @EnumSource(Version.class)
  void fieldsThatAreNotKnownAreSkippedWhateverTheirWireType(Version version) throws WireException {
    WireWriter message = new WireWriter().uvar(9 << 3).uvar(-1).uvar(9 << 3 | 1).u64(-1);
    message.uvar(9 << 3 | 5).u32(-1).uvar(0x1fffffffL << 3 | 2).string("any");
    read(version, message);
    assertThat(recorder.described).isEmpty();
  }

  /** Any bytes at all: nothing but a WireException comes out. */
  @ParameterizedTest
  @EnumSource(Version.class)
  void noiseIsReadOrRefusedAndNothingElse(Version version) {
    SplittableRandom random = new SplittableRandom(9);
    int refused = 0;
    for (int round = 0; round < 30_000; round++) {
      byte[] noise = new byte[1 + random.nextInt(60)];
      random.nextBytes(noise);
      noise[0] = (byte) (version == Version.V1 ? 10 : 42);
      noise[Math.min(1, noise.length - 1)] = (byte) (noise.length - 2);
      try {
        new RemoteWriteReader(version, noise, noise.length).read(recorder);
      } catch (WireException e) {
        assertThat(e.getMessage()).isNotBlank();
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(10_000);
  }
}
