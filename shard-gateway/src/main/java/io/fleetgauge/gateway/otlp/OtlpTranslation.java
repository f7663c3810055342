package io.fleetgauge.gateway.otlp;

import io.fleetgauge.gateway.remotewrite.RemoteWriteRoute;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Utf8Order;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.Numbers;
import io.fleetgauge.sample.prometheus.RemoteWriteReader;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.prometheus.RemoteWriteWriter;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.resource.v1.Resource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One request of OpenTelemetry as a message of remote write, version 1. Not for several threads.
 *
 * <p>Exemplars are not kept, as those of remote write are not.
 */
final class OtlpTranslation {
  /** Most reasons that are told. */
  private static final int MAX_REASONS = 10;

  private static final String JOB = "job";
  private static final String INSTANCE = "instance";
  private static final String SERVICE_NAME = "service.name";
  private static final String SERVICE_NAMESPACE = "service.namespace";
  private static final String SERVICE_INSTANCE = "service.instance.id";
  private static final List<String> IDENTIFYING =
      List.of(SERVICE_NAMESPACE, SERVICE_NAME, SERVICE_INSTANCE);

  private final OtlpSettings settings;
  private final OtlpNames names;

  /** By labels: the data points of one series may stand in several metrics. */
  private final Map<Labels, Points> series = new LinkedHashMap<>();

  private final Map<String, MetricMetadata> metadata = new LinkedHashMap<>();
  private final List<String> reasons = new ArrayList<>();
  private long refused;

  /** The labels that all series of a resource have. */
  private Map<String, String> promoted = Map.of();

  private Map<String, String> identity = Map.of();

  /** About how long the message becomes. */
  private long bytes;

  /** Data points of a series, in order of their times. */
  private static final class Points {
    private final TreeMap<Long, Double> numbers = new TreeMap<>();
    private final TreeMap<Long, Histogram> histograms = new TreeMap<>();
  }

  OtlpTranslation(OtlpSettings settings) {
    this.settings = settings;
    this.names = new OtlpNames(settings.strategy());
  }

  /** Data points that have no form here. */
  long refused() {
    return refused;
  }

  /** Why data points have no form here, with the names of their metrics. */
  List<String> reasons() {
    return reasons;
  }

  /** The message of remote write. */
  byte[] translate(ExportMetricsServiceRequest request) {
    for (ResourceMetrics of : request.getResourceMetricsList()) {
      Resource resource = bounded(of.getResource());
      identity = identity(resource);
      promoted = promoted(resource);
      long newest = 0;
      for (ScopeMetrics scope : of.getScopeMetricsList()) {
        for (Metric metric : scope.getMetricsList()) {
          newest = Math.max(newest, newest(metric));
          take(metric);
        }
      }
      if (newest != 0) {
        target(resource, newest);
      }
    }
    RemoteWriteWriter out = new RemoteWriteWriter(Version.V1);
    series.forEach(
        (labels, points) -> {
          out.series(labels);
          points.numbers.forEach(out::sample);
          points.histograms.forEach(out::histogram);
        });
    metadata.forEach(out::metadata);
    return out.toBytes();
  }

  private void refuse(Metric metric, int points, String why) {
    refused += Math.max(1, points);
    if (reasons.size() < MAX_REASONS) {
      reasons.add("metric \"" + metric.getName() + "\": " + why);
    }
  }

  private void take(Metric metric) {
    int points = points(metric);
    AggregationTemporality temporality = temporality(metric);
    if (points == 0 || metric.getName().isEmpty()) {
      refuse(metric, points, points == 0 ? "it has no data points" : "it has no name");
      return;
    }
    if (temporality != AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE) {
      refuse(
          metric,
          points,
          temporality == AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
              ? "delta temporality is not accepted; set the exporter to cumulative temporality"
              : "its temporality is not known");
      return;
    }
    boolean isCounter = metric.hasSum() && metric.getSum().getIsMonotonic();
    String name = names.metric(metric.getName(), metric.getUnit(), isCounter, metric.hasGauge());
    metadata.put(name, new MetricMetadata(type(metric), metric.getDescription(), metric.getUnit()));
    switch (metric.getDataCase()) {
      case GAUGE -> metric.getGauge().getDataPointsList().forEach(at -> number(metric, name, at));
      case SUM -> metric.getSum().getDataPointsList().forEach(at -> number(metric, name, at));
      case HISTOGRAM ->
          metric.getHistogram().getDataPointsList().forEach(at -> histogram(metric, name, at));
      case EXPONENTIAL_HISTOGRAM ->
          metric
              .getExponentialHistogram()
              .getDataPointsList()
              .forEach(at -> exponential(metric, name, at));
      case SUMMARY ->
          metric.getSummary().getDataPointsList().forEach(at -> summary(metric, name, at));
      case DATA_NOT_SET -> throw new IllegalStateException("it has data points");
    }
  }

  private static int points(Metric metric) {
    return switch (metric.getDataCase()) {
      case GAUGE -> metric.getGauge().getDataPointsCount();
      case SUM -> metric.getSum().getDataPointsCount();
      case HISTOGRAM -> metric.getHistogram().getDataPointsCount();
      case EXPONENTIAL_HISTOGRAM -> metric.getExponentialHistogram().getDataPointsCount();
      case SUMMARY -> metric.getSummary().getDataPointsCount();
      case DATA_NOT_SET -> 0;
    };
  }

  private static AggregationTemporality temporality(Metric metric) {
    return switch (metric.getDataCase()) {
      case SUM -> metric.getSum().getAggregationTemporality();
      case HISTOGRAM -> metric.getHistogram().getAggregationTemporality();
      case EXPONENTIAL_HISTOGRAM -> metric.getExponentialHistogram().getAggregationTemporality();
      case GAUGE, SUMMARY, DATA_NOT_SET ->
          AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE;
    };
  }

  private static String type(Metric metric) {
    return switch (metric.getDataCase()) {
      case GAUGE -> "gauge";
      case SUM -> metric.getSum().getIsMonotonic() ? "counter" : "gauge";
      case HISTOGRAM, EXPONENTIAL_HISTOGRAM -> "histogram";
      case SUMMARY -> "summary";
      case DATA_NOT_SET -> "unknown";
    };
  }

  private static long newest(Metric metric) {
    return switch (metric.getDataCase()) {
      case GAUGE -> newestNumber(metric.getGauge().getDataPointsList());
      case SUM -> newestNumber(metric.getSum().getDataPointsList());
      case HISTOGRAM ->
          metric.getHistogram().getDataPointsList().stream()
              .mapToLong(HistogramDataPoint::getTimeUnixNano)
              .max()
              .orElse(0);
      case EXPONENTIAL_HISTOGRAM ->
          metric.getExponentialHistogram().getDataPointsList().stream()
              .mapToLong(ExponentialHistogramDataPoint::getTimeUnixNano)
              .max()
              .orElse(0);
      case SUMMARY ->
          metric.getSummary().getDataPointsList().stream()
              .mapToLong(SummaryDataPoint::getTimeUnixNano)
              .max()
              .orElse(0);
      case DATA_NOT_SET -> 0;
    };
  }

  private static long newestNumber(List<NumberDataPoint> points) {
    return points.stream().mapToLong(NumberDataPoint::getTimeUnixNano).max().orElse(0);
  }

  private void number(Metric metric, String name, NumberDataPoint point) {
    double value =
        switch (point.getValueCase()) {
          case AS_INT -> point.getAsInt();
          case AS_DOUBLE -> point.getAsDouble();
          case VALUE_NOT_SET -> 0;
        };
    labels(metric, point.getAttributesList(), name)
        .ifPresent(labels -> add(labels, point.getTimeUnixNano(), value, point.getFlags()));
  }

  private void summary(Metric metric, String name, SummaryDataPoint point) {
    labels(metric, point.getAttributesList(), name)
        .ifPresent(labels -> summary(labels, name, point));
  }

  private void summary(Labels labels, String name, SummaryDataPoint point) {
    long time = point.getTimeUnixNano();
    int flags = point.getFlags();
    add(labels.with(Labels.NAME, name + "_sum"), time, point.getSum(), flags);
    double count = OtlpHistograms.unsigned(point.getCount());
    add(labels.with(Labels.NAME, name + "_count"), time, count, flags);
    for (SummaryDataPoint.ValueAtQuantile each : point.getQuantileValuesList()) {
      add(labels.with("quantile", Numbers.plain(each.getQuantile())), time, each.getValue(), flags);
    }
  }

  private void histogram(Metric metric, String name, HistogramDataPoint point) {
    labels(metric, point.getAttributesList(), name)
        .ifPresent(labels -> histogram(metric, labels, name, point));
  }

  private void histogram(Metric metric, Labels labels, String name, HistogramDataPoint point) {
    long time = point.getTimeUnixNano();
    if (settings.convertsHistograms()) {
      try {
        add(labels, time, OtlpHistograms.explicit(point));
      } catch (IllegalArgumentException e) {
        refuse(metric, 1, e.getMessage());
      }
      return;
    }
    int flags = point.getFlags();
    if (point.hasSum()) {
      add(labels.with(Labels.NAME, name + "_sum"), time, point.getSum(), flags);
    }
    double count = OtlpHistograms.unsigned(point.getCount());
    add(labels.with(Labels.NAME, name + "_count"), time, count, flags);
    Labels bucket = labels.with(Labels.NAME, name + "_bucket");
    long below = 0;
    int bounds = Math.min(point.getExplicitBoundsCount(), point.getBucketCountsCount());
    for (int i = 0; i < bounds; i++) {
      below += point.getBucketCounts(i);
      String bound = Numbers.plain(point.getExplicitBounds(i));
      add(bucket.with("le", bound), time, OtlpHistograms.unsigned(below), flags);
    }
    add(bucket.with("le", "+Inf"), time, count, flags);
  }

  private void exponential(Metric metric, String name, ExponentialHistogramDataPoint point) {
    if (!OtlpHistograms.isRepresentable(point.getScale())) {
      refuse(metric, 1, "its scale is " + point.getScale() + ", the lowest is -4");
      return;
    }
    labels(metric, point.getAttributesList(), name)
        .ifPresent(
            labels -> add(labels, point.getTimeUnixNano(), OtlpHistograms.exponential(point)));
  }

  private void add(Labels labels, long nanos, double value, int flags) {
    points(labels)
        .numbers
        .putIfAbsent(
            millis(nanos), OtlpHistograms.isWithoutValue(flags) ? Staleness.MARKER : value);
  }

  private void add(Labels labels, long nanos, Histogram histogram) {
    points(labels).histograms.putIfAbsent(millis(nanos), histogram);
  }

  private Points points(Labels labels) {
    return series.computeIfAbsent(
        labels,
        none -> {
          for (int i = 0; i < labels.size(); i++) {
            bytes += labels.name(i).length() + labels.value(i).length();
          }
          return new Points();
        });
  }

  private static long millis(long nanos) {
    return nanos / 1_000_000;
  }

  /** What is known of the resource itself, as the series {@code target_info}. */
  private void target(Resource resource, long nanos) {
    long others =
        resource.getAttributesList().stream()
            .filter(each -> !IDENTIFYING.contains(each.getKey()))
            .count();
    if (others == 0) {
      return;
    }
    List<KeyValue> told =
        resource.getAttributesList().stream()
            .filter(each -> settings.keepsIdentifying() || !IDENTIFYING.contains(each.getKey()))
            .toList();
    Map<String, String> all = attributes(told);
    all.putAll(identity);
    if (all.containsKey(JOB) || all.containsKey(INSTANCE)) {
      all.put(Labels.NAME, "target_info");
      add(Labels.of(all), nanos, 1, 0);
    }
  }

  /** A resource without attributes that are too long for labels, or too many. */
  private Resource bounded(Resource resource) {
    Resource.Builder bounded = Resource.newBuilder();
    for (KeyValue each : resource.getAttributesList()) {
      if (bounded.getAttributesCount() < RemoteWriteReader.MAX_LABELS && fits(each)) {
        bounded.addAttributes(each);
      } else if (reasons.size() < MAX_REASONS) {
        reasons.add("an attribute of a resource is left out: it is too long, or one of too many");
      }
    }
    return bounded.build();
  }

  private static boolean fits(KeyValue attribute) {
    return attribute.getSerializedSize() <= RemoteWriteReader.MAX_LABEL_BYTES;
  }

  private Map<String, String> promoted(Resource resource) {
    Map<String, String> all = new HashMap<>();
    for (KeyValue each : sorted(resource.getAttributesList())) {
      if (settings.promotes(each.getKey())) {
        all.putIfAbsent(names.label(each.getKey()), OtlpValues.text(each.getValue()));
      }
    }
    return all;
  }

  private Optional<Labels> labels(Metric metric, List<KeyValue> attributes, String name) {
    if (attributes.size() > RemoteWriteReader.MAX_LABELS
        || !attributes.stream().allMatch(OtlpTranslation::fits)) {
      refuse(
          metric,
          1,
          "an attribute has more than "
              + RemoteWriteReader.MAX_LABEL_BYTES
              + " bytes, or there are more than "
              + RemoteWriteReader.MAX_LABELS);
      return Optional.empty();
    }
    if (bytes > RemoteWriteRoute.MAX_DECODED_BYTES) {
      refuse(metric, 1, "the request has too long labels; send fewer data points in one");
      return Optional.empty();
    }
    Map<String, String> all = attributes(attributes);
    promoted.forEach(all::putIfAbsent);
    all.putAll(identity);
    all.put(Labels.NAME, name);
    return Optional.of(Labels.of(all));
  }

  /** Attributes as labels; those whose names become one have their values joined. */
  private Map<String, String> attributes(List<KeyValue> attributes) {
    Map<String, String> all = new HashMap<>();
    for (KeyValue each : sorted(attributes)) {
      all.merge(
          names.label(each.getKey()),
          OtlpValues.text(each.getValue()),
          (one, two) -> one + ";" + two);
    }
    return all;
  }

  /** By name, byte by byte; an attribute without a name can be no label. */
  private static List<KeyValue> sorted(List<KeyValue> attributes) {
    return attributes.stream()
        .filter(each -> !each.getKey().isEmpty())
        .sorted((one, two) -> Utf8Order.compare(one.getKey(), two.getKey()))
        .toList();
  }

  private static Map<String, String> identity(Resource resource) {
    Map<String, String> all = new HashMap<>();
    Optional<String> service = attribute(resource, SERVICE_NAME);
    Optional<String> namespace = attribute(resource, SERVICE_NAMESPACE);
    service.ifPresent(name -> all.put(JOB, namespace.map(each -> each + "/" + name).orElse(name)));
    attribute(resource, SERVICE_INSTANCE).ifPresent(id -> all.put(INSTANCE, id));
    return all;
  }

  private static Optional<String> attribute(Resource resource, String key) {
    return resource.getAttributesList().stream()
        .filter(each -> each.getKey().equals(key))
        .findFirst()
        .map(each -> OtlpValues.text(each.getValue()));
  }
}
