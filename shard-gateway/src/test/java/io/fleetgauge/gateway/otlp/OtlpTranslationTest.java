package io.fleetgauge.gateway.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.RemoteWriteReader;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.wire.WireException;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogram;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.metrics.v1.Summary;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.resource.v1.Resource;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Series that requests of OpenTelemetry become. */
class OtlpTranslationTest {
  private static final long TIME = 1_800_000_000_123L;
  private static final AggregationTemporality CUMULATIVE =
      AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE;
  private static final AggregationTemporality DELTA =
      AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA;

  private final Map<String, MetricMetadata> metadata = new TreeMap<>();
  private OtlpTranslation translation;

  private static KeyValue attribute(String key, String value) {
    return attribute(key, AnyValue.newBuilder().setStringValue(value).build());
  }

  private static KeyValue attribute(String key, AnyValue value) {
    return KeyValue.newBuilder().setKey(key).setValue(value).build();
  }

  private static Resource resource(String... attributes) {
    Resource.Builder resource = Resource.newBuilder();
    for (int i = 0; i < attributes.length; i += 2) {
      resource.addAttributes(attribute(attributes[i], attributes[i + 1]));
    }
    return resource.build();
  }

  private static NumberDataPoint.Builder point(String... attributes) {
    return NumberDataPoint.newBuilder()
        .addAllAttributes(resource(attributes).getAttributesList())
        .setTimeUnixNano(TIME * 1_000_000 + 999_999);
  }

  private static Metric gauge(String name, NumberDataPoint.Builder... points) {
    Gauge.Builder gauge = Gauge.newBuilder();
    Arrays.stream(points).forEach(gauge::addDataPoints);
    return Metric.newBuilder().setName(name).setGauge(gauge).build();
  }

  private Map<String, Object> translate(OtlpSettings settings, Resource of, Metric... metrics)
      throws WireException {
    return translate(
        settings,
        ResourceMetrics.newBuilder()
            .setResource(of)
            .addScopeMetrics(ScopeMetrics.newBuilder().addAllMetrics(List.of(metrics))));
  }

  private Map<String, Object> translate(Resource of, Metric... metrics) throws WireException {
    return translate(OtlpSettings.DEFAULT, of, metrics);
  }

  /** Samples by their series: a number, or a histogram. */
  private Map<String, Object> translate(OtlpSettings settings, ResourceMetrics.Builder... all)
      throws WireException {
    ExportMetricsServiceRequest.Builder request = ExportMetricsServiceRequest.newBuilder();
    Arrays.stream(all).forEach(request::addResourceMetrics);
    translation = new OtlpTranslation(settings);
    byte[] message = translation.translate(request.build());
    Map<String, Object> samples = new TreeMap<>();
    new RemoteWriteReader(Version.V1, message, message.length).read(new Read(samples));
    return samples;
  }

  private final class Read implements RemoteWriteReader.Sink {
    private final Map<String, Object> samples;
    private String series;

    Read(Map<String, Object> samples) {
      this.samples = samples;
    }

    @Override
    public boolean series(RemoteWriteReader reader) {
      assertThat(reader.problem()).isEmpty();
      List<String> pairs = new ArrayList<>();
      for (int i = 0; i < reader.labelCount(); i++) {
        try {
          pairs.add(reader.name(i));
          pairs.add(reader.value(i));
        } catch (CharacterCodingException e) {
          throw new AssertionError(e);
        }
      }
      Labels labels = Labels.of(pairs.toArray(String[]::new));
      series = labels.value(Labels.NAME) + labels.withoutMetric();
      return true;
    }

    @Override
    public void sample(long time, double value) {
      assertThat(time).isEqualTo(TIME);
      assertThat(samples.put(series, Staleness.isMarker(value) ? "stale" : (Object) value))
          .isNull();
    }

    @Override
    public void histogram(long time, Histogram histogram) {
      assertThat(time).isEqualTo(TIME);
      assertThat(samples.put(series, histogram)).isNull();
    }

    @Override
    public void badHistogram(String why) {
      throw new AssertionError(why);
    }

    @Override
    public void unwanted(int numbers, int histograms) {}

    @Override
    public void exemplars(int count) {}

    @Override
    public void metadata(String metric, MetricMetadata of) {
      metadata.put(metric, of);
    }
  }

  @Test
  void theServiceIsTheJobAndWhatElseIsKnownOfTheResourceIsTargetInfo() throws Exception {
    Resource of =
        resource(
            "service.name",
            "train",
            "service.namespace",
            "ml",
            "service.instance.id",
            "i1",
            "host.name",
            "h1");
    assertThat(translate(of, gauge("a.b", point("x.y", "1").setAsDouble(2.5))))
        .isEqualTo(
            Map.of(
                "a_b{instance=\"i1\", job=\"ml/train\", x_y=\"1\"}",
                2.5,
                "target_info{host_name=\"h1\", instance=\"i1\", job=\"ml/train\"}",
                1.0));
  }

  @Test
  void thereIsNoTargetInfoWithoutOtherAttributesOrWithoutIdentity() throws Exception {
    assertThat(translate(resource("service.name", "s"), gauge("a", point().setAsInt(1))))
        .containsOnlyKeys("a{job=\"s\"}");
    assertThat(translate(resource("host.name", "h1"), gauge("a", point().setAsInt(1))))
        .containsOnlyKeys("a{}");
  }

  @Test
  void promotedAttributesAreLabelsUnlessTheDataPointHasThem() throws Exception {
    OtlpSettings settings =
        new OtlpSettings(
            TranslationStrategy.UnderscoreEscapingWithSuffixes,
            List.of("host.name", "zone"),
            false,
            List.of(),
            true,
            false);
    Resource of = resource("service.name", "s", "host.name", "h1", "zone", "z", "other", "o");
    assertThat(translate(settings, of, gauge("a", point("zone", "own").setAsInt(1))))
        .containsOnlyKeys(
            "a{host_name=\"h1\", job=\"s\", zone=\"own\"}",
            "target_info{host_name=\"h1\", job=\"s\", other=\"o\", service_name=\"s\","
                + " zone=\"z\"}");
  }

  @Test
  void allAttributesButSomeMayBePromoted() throws Exception {
    OtlpSettings settings =
        new OtlpSettings(
            TranslationStrategy.NoTranslation, List.of(), true, List.of("pid"), false, false);
    Resource of = resource("service.name", "s", "host.name", "h1", "pid", "7");
    assertThat(translate(settings, of, gauge("a.b", point().setAsInt(1))))
        .containsKey("a.b{host.name=\"h1\", job=\"s\", service.name=\"s\"}");
  }

  @Test
  void attributesOfOneNameAreJoinedInTheOrderOfTheirKeys() throws Exception {
    assertThat(
            translate(
                resource(),
                gauge("a", point("b_c", "2", "b.c", "1", "", "x", "d", "").setAsInt(1))))
        .containsOnlyKeys("a{b_c=\"1;2\"}");
  }

  @Test
  void valuesThatAreNoTextAreJson() throws Exception {
    AnyValue list =
        AnyValue.newBuilder()
            .setArrayValue(
                ArrayValue.newBuilder()
                    .addValues(AnyValue.newBuilder().setIntValue(-3))
                    .addValues(AnyValue.newBuilder().setDoubleValue(1e-9))
                    .addValues(AnyValue.newBuilder().setStringValue("<\"é\n"))
                    .addValues(AnyValue.getDefaultInstance()))
            .build();
    AnyValue map =
        AnyValue.newBuilder()
            .setKvlistValue(
                KeyValueList.newBuilder()
                    .addValues(attribute("z", list))
                    .addValues(attribute("a", AnyValue.newBuilder().setBoolValue(true).build())))
            .build();
    AnyValue bytes =
        AnyValue.newBuilder().setBytesValue(ByteString.copyFrom(new byte[] {1, -1})).build();
    NumberDataPoint.Builder point =
        point()
            .setAsInt(1)
            .addAttributes(attribute("b", bytes))
            .addAttributes(attribute("l", list))
            .addAttributes(attribute("m", map));
    String text = "[-3,1e-9,\\\"\\\\u003c\\\\\\\"é\\\\n\\\",null]";
    assertThat(translate(resource(), gauge("a", point)))
        .containsOnlyKeys(
            "a{b=\"Af8=\", l=\"" + text + "\", m=\"{\\\"a\\\":true,\\\"z\\\":" + text + "}\"}");
  }

  @Test
  void aMonotonicSumIsACounterAndAnotherOneAGauge() throws Exception {
    Metric.Builder sum = Metric.newBuilder().setName("io").setUnit("By").setDescription("Bytes.");
    Sum.Builder of = Sum.newBuilder().setAggregationTemporality(CUMULATIVE);
    of.addDataPoints(point().setAsInt(7));
    translate(resource(), sum.setSum(of.setIsMonotonic(true)).build());
    translate(resource(), sum.setName("queue").setSum(of.setIsMonotonic(false)).build());
    assertThat(metadata)
        .isEqualTo(
            Map.of(
                "io_bytes_total", new MetricMetadata("counter", "Bytes.", "By"),
                "queue_bytes", new MetricMetadata("gauge", "Bytes.", "By")));
  }

  @Test
  void whatHasNoValueIsStale() throws Exception {
    assertThat(translate(resource(), gauge("a", point().setAsInt(1).setFlags(1))))
        .isEqualTo(Map.of("a{}", "stale"));
  }

  @Test
  void aMetricThatHasNoFormIsNamedAndTheOthersAreKept() throws Exception {
    Sum.Builder delta = Sum.newBuilder().setAggregationTemporality(DELTA);
    delta.addDataPoints(point("x", "1").setAsInt(1)).addDataPoints(point("x", "2").setAsInt(1));
    Sum.Builder unknown = Sum.newBuilder().addDataPoints(point().setAsInt(1));
    ExponentialHistogram.Builder coarse =
        ExponentialHistogram.newBuilder()
            .setAggregationTemporality(CUMULATIVE)
            .addDataPoints(ExponentialHistogramDataPoint.newBuilder().setScale(-5));
    Map<String, Object> kept =
        translate(
            resource(),
            Metric.newBuilder().setName("delta").setSum(delta).build(),
            Metric.newBuilder().setName("unknown").setSum(unknown).build(),
            Metric.newBuilder().setName("empty").setGauge(Gauge.newBuilder()).build(),
            Metric.newBuilder().setName("nothing").build(),
            gauge("", point().setAsInt(1)),
            Metric.newBuilder().setName("coarse").setExponentialHistogram(coarse).build(),
            gauge("kept", point().setAsInt(1)));
    assertThat(kept).containsOnlyKeys("kept{}");
    assertThat(translation.refused()).isEqualTo(7);
    assertThat(translation.reasons())
        .containsExactly(
            "metric \"delta\": delta temporality is not accepted; set the exporter to cumulative"
                + " temporality",
            "metric \"unknown\": its temporality is not known",
            "metric \"empty\": it has no data points",
            "metric \"nothing\": it has no data points",
            "metric \"\": it has no name",
            "metric \"coarse\": its scale is -5, the lowest is -4");
  }

  @Test
  void aDataPointWithTooLongOrTooManyAttributesIsNamedAndTheOthersAreKept() throws Exception {
    String[] many = new String[2 * 257];
    for (int i = 0; i < many.length; i += 2) {
      many[i] = "a" + i;
      many[i + 1] = "x";
    }
    Map<String, Object> kept =
        translate(
            resource(),
            gauge("long", point("a", "x".repeat(16_385)).setAsInt(1), point().setAsInt(2)),
            gauge("many", point(many).setAsInt(1)));
    assertThat(kept).containsOnlyKeys("long{}");
    assertThat(translation.refused()).isEqualTo(2);
    assertThat(translation.reasons())
        .hasSize(2)
        .allMatch(each -> each.contains("an attribute has more than 16384 bytes"));
  }

  @Test
  void anAttributeOfAResourceThatIsTooLongIsLeftOut() throws Exception {
    Resource of = resource("service.name", "s", "long", "x".repeat(16_385), "zone", "z");
    assertThat(translate(of, gauge("a", point().setAsInt(1))))
        .containsOnlyKeys("a{job=\"s\"}", "target_info{job=\"s\", zone=\"z\"}");
    assertThat(translation.refused()).isZero();
    assertThat(translation.reasons()).hasSize(1);
  }

  @Test
  void aShortRequestDoesNotBecomeALongOne() throws Exception {
    OtlpSettings settings =
        new OtlpSettings(
            TranslationStrategy.NoTranslation, List.of(), true, List.of(), false, false);
    NumberDataPoint.Builder[] points = new NumberDataPoint.Builder[3_000];
    for (int i = 0; i < points.length; i++) {
      points[i] = point("i", "" + i).setAsInt(i);
    }
    Resource of = resource("long", "x".repeat(16_000));
    int kept = translate(settings, of, gauge("a", points)).size();
    assertThat(kept).isBetween(2_000, 2_200);
    assertThat(translation.refused()).isEqualTo(points.length - kept);
    assertThat(translation.reasons()).anyMatch(each -> each.contains("has too long labels"));
  }

  private static Metric histogram(HistogramDataPoint.Builder point) {
    return Metric.newBuilder()
        .setName("d")
        .setUnit("s")
        .setHistogram(
            io.opentelemetry.proto.metrics.v1.Histogram.newBuilder()
                .setAggregationTemporality(CUMULATIVE)
                .addDataPoints(point.setTimeUnixNano(TIME * 1_000_000)))
        .build();
  }

  private static HistogramDataPoint.Builder buckets() {
    return HistogramDataPoint.newBuilder()
        .setCount(6)
        .setSum(10.5)
        .addAllExplicitBounds(List.of(1e-7, 1.0, 1e21))
        .addAllBucketCounts(List.of(0L, 1L, 2L, 3L));
  }

  @Test
  void aHistogramIsItsBucketsSumAndCount() throws Exception {
    assertThat(translate(resource(), histogram(buckets())))
        .isEqualTo(
            Map.of(
                "d_seconds_bucket{le=\"0.0000001\"}", 0.0,
                "d_seconds_bucket{le=\"1\"}", 1.0,
                "d_seconds_bucket{le=\"1000000000000000000000\"}", 3.0,
                "d_seconds_bucket{le=\"+Inf\"}", 6.0,
                "d_seconds_sum{}", 10.5,
                "d_seconds_count{}", 6.0));
    assertThat(metadata.get("d_seconds").type()).isEqualTo("histogram");
    assertThat(translate(resource(), histogram(buckets().clearSum())))
        .doesNotContainKey("d_seconds_sum{}");
  }

  @Test
  void aHistogramMayBeANativeOneWithItsBounds() throws Exception {
    OtlpSettings settings =
        new OtlpSettings(
            TranslationStrategy.UnderscoreEscapingWithSuffixes,
            List.of(),
            false,
            List.of(),
            false,
            true);
    Histogram native_ =
        (Histogram) translate(settings, resource(), histogram(buckets())).get("d_seconds{}");
    assertThat(native_.schema()).isEqualTo(Histogram.CUSTOM_SCHEMA);
    assertThat(native_.customBounds()).containsExactly(1e-7, 1, 1e21);
    assertThat(native_.positive())
        .isEqualTo(new Histogram.Buckets(new int[] {1, 2, 3}, new double[] {1, 2, 3}));
    assertThat(native_.count()).isEqualTo(6);
    assertThat(native_.sum()).isEqualTo(10.5);
  }

  private Histogram exponential(int scale, int offset, Long... counts) throws WireException {
    ExponentialHistogramDataPoint.Builder point =
        ExponentialHistogramDataPoint.newBuilder()
            .setTimeUnixNano(TIME * 1_000_000)
            .setScale(scale)
            .setZeroCount(2)
            .setCount(2 + Arrays.stream(counts).mapToLong(Long::longValue).sum())
            .setPositive(
                ExponentialHistogramDataPoint.Buckets.newBuilder()
                    .setOffset(offset)
                    .addAllBucketCounts(List.of(counts)));
    Metric metric =
        Metric.newBuilder()
            .setName("e")
            .setExponentialHistogram(
                ExponentialHistogram.newBuilder()
                    .setAggregationTemporality(CUMULATIVE)
                    .addDataPoints(point))
            .build();
    return (Histogram) translate(resource(), metric).get("e{}");
  }

  private static String buckets(Histogram of) {
    return Arrays.stream(of.positive().indexes())
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(" "));
  }

  @Test
  void anExponentialHistogramIsANativeOne() throws Exception {
    Histogram of = exponential(3, -2, 3L, 1L, 0L, 0L, 0L, 1L);
    assertThat(of.schema()).isEqualTo(3);
    assertThat(buckets(of)).isEqualTo("-1 0 4");
    assertThat(of.positive().counts()).containsExactly(3, 1, 1);
    assertThat(of.zeroCount()).isEqualTo(2);
    assertThat(of.zeroThreshold()).isEqualTo(1e-128);
    assertThat(of.count()).isEqualTo(7);
  }

  @Test
  void bucketsOfAFinerScaleThanEightAreMerged() throws Exception {
    Histogram of = exponential(10, -2, 3L, 1L, 0L, 0L, 0L, 1L, 1L);
    assertThat(of.schema()).isEqualTo(8);
    assertThat(buckets(of)).isEqualTo("0 1 2");
    assertThat(of.positive().counts()).containsExactly(4, 1, 1);
    assertThat(buckets(exponential(45, Integer.MAX_VALUE, 1L))).isEqualTo("1");
    assertThat(buckets(exponential(45, -1, 1L))).isEqualTo("0");
  }

  @Test
  void aSummaryIsItsQuantilesSumAndCount() throws Exception {
    SummaryDataPoint.Builder point =
        SummaryDataPoint.newBuilder()
            .setTimeUnixNano(TIME * 1_000_000)
            .setCount(-1)
            .setSum(2)
            .addQuantileValues(
                SummaryDataPoint.ValueAtQuantile.newBuilder().setQuantile(0.999).setValue(5));
    Metric metric =
        Metric.newBuilder()
            .setName("s")
            .setSummary(Summary.newBuilder().addDataPoints(point))
            .build();
    assertThat(translate(resource(), metric))
        .isEqualTo(Map.of("s{quantile=\"0.999\"}", 5.0, "s_sum{}", 2.0, "s_count{}", 0x1p64));
  }

  @Test
  void dataPointsOfOneSeriesAreInOrderOfTimeWhereverTheyStand() throws Exception {
    ExportMetricsServiceRequest request =
        ExportMetricsServiceRequest.newBuilder()
            .addResourceMetrics(
                ResourceMetrics.newBuilder()
                    .addScopeMetrics(
                        ScopeMetrics.newBuilder()
                            .addMetrics(gauge("a", point().setTimeUnixNano(3_000_000).setAsInt(3)))
                            .addMetrics(
                                gauge(
                                    "a",
                                    point().setTimeUnixNano(1_000_000).setAsInt(1),
                                    point().setTimeUnixNano(2_000_000).setAsInt(2)))))
            .build();
    byte[] message = new OtlpTranslation(OtlpSettings.DEFAULT).translate(request);
    byte[] expected =
        new io.fleetgauge.sample.prometheus.RemoteWriteWriter(Version.V1)
            .series(Labels.of(Labels.NAME, "a"))
            .sample(1, 1)
            .sample(2, 2)
            .sample(3, 3)
            .metadata("a", new MetricMetadata("gauge", "", ""))
            .toBytes();
    assertThat(message).isEqualTo(expected);
  }
}
