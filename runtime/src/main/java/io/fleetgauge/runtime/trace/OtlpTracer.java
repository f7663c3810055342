package io.fleetgauge.runtime.trace;

import io.fleetgauge.runtime.config.TracingSettings;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Sends spans to a collector by OTLP over HTTP. */
final class OtlpTracer implements Tracer {
  private static final String PATH = "/v1/traces";
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final int MAX_WAITING = 8_192;
  private static final int MAX_BATCH = 512;

  // Kept, since a logger that nobody refers to forgets its level.
  private static final Logger LIBRARY = Logger.getLogger("io.opentelemetry");

  private final SdkTracerProvider provider;
  private final io.opentelemetry.api.trace.Tracer tracer;
  private final CountedExport export;
  private final LongAdder ended = new LongAdder();

  private OtlpTracer(SdkTracerProvider provider, CountedExport export) {
    this.provider = provider;
    this.export = export;
    this.tracer = provider.get("io.fleetgauge");
  }

  static OtlpTracer start(TracingSettings settings, String process, String id) throws StartFailure {
    // What fails is counted and logged here.
    LIBRARY.setLevel(Level.OFF);
    OtlpHttpSpanExporterBuilder exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(traces(settings.endpoint().orElseThrow()))
            .setTimeout(TIMEOUT)
            .setCompression("gzip")
            // What the collector does not take now is dropped: newer spans are worth more.
            .setRetryPolicy(null);
    if (settings.ca().isPresent()) {
      exporter.setTrustedCertificates(read("tracing.ca", settings.ca()));
    }
    if (settings.token().isPresent()) {
      // Read again for each export, so that a token that is renewed is used.
      exporter.setHeaders(new BearerToken(settings.token().get()));
    }
    CountedExport export = new CountedExport(exporter.build(), settings.endpoint().get());
    SdkTracerProvider provider =
        SdkTracerProvider.builder()
            .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(settings.ratio())))
            .setResource(
                Resource.create(
                    Attributes.of(
                        AttributeKey.stringKey("service.name"),
                        "fleetgauge-" + process,
                        AttributeKey.stringKey("service.instance.id"),
                        id)))
            .addSpanProcessor(
                BatchSpanProcessor.builder(export)
                    .setMaxQueueSize(MAX_WAITING)
                    .setMaxExportBatchSize(MAX_BATCH)
                    .setScheduleDelay(PERIOD)
                    .setExporterTimeout(TIMEOUT)
                    .build())
            .build();
    return new OtlpTracer(provider, export);
  }

  private static String traces(URI endpoint) {
    boolean isBase = endpoint.getPath() == null || endpoint.getPath().length() <= 1;
    return isBase ? endpoint.resolve(PATH).toString() : endpoint.toString();
  }

  private static byte[] read(String key, Optional<Path> file) throws StartFailure {
    try {
      return Files.readAllBytes(file.orElseThrow());
    } catch (IOException e) {
      throw new StartFailure(
          "the file " + file.get() + " of " + key + " cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public Span serve(String name, String header) {
    io.opentelemetry.api.trace.Span span =
        tracer.spanBuilder(name).setParent(parent(header)).setSpanKind(SpanKind.SERVER).startSpan();
    return span.isRecording() ? new Recorded(span) : Span.NONE;
  }

  /** The span that a header names; none when the header is not one of W3C's. */
  private static Context parent(String header) {
    return header == null || header.isEmpty()
        ? Context.root()
        : W3CTraceContextPropagator.getInstance().extract(Context.root(), header, HEADER_ONLY);
  }

  private static final TextMapGetter<String> HEADER_ONLY =
      new TextMapGetter<>() {
        @Override
        @SuppressWarnings("deprecation") // it has to be there until it is gone
        public Iterable<String> keys(String carrier) {
          return List.of(Span.HEADER);
        }

        @Override
        public String get(String carrier, String key) {
          return Span.HEADER.equals(key) ? carrier : null;
        }
      };

  @Override
  public void declare(Meters meters) {
    meters.counter("trace_spans", "Spans of traces that ended.", ended::sum);
    meters.counter("trace_spans_sent", "Spans that the collector accepted.", export::sent);
    meters.counter(
        "trace_spans_failed", "Spans that the collector did not accept.", export::failed);
  }

  @Override
  public void close() {
    provider.shutdown().join(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
  }

  private final class Recorded implements Span {
    private final io.opentelemetry.api.trace.Span span;
    private final AtomicBoolean isOver = new AtomicBoolean();

    private Recorded(io.opentelemetry.api.trace.Span span) {
      this.span = span;
    }

    @Override
    public boolean isRecorded() {
      return true;
    }

    private Span within(String name, SpanKind kind) {
      return new Recorded(
          tracer
              .spanBuilder(name)
              .setParent(Context.root().with(span))
              .setSpanKind(kind)
              .startSpan());
    }

    @Override
    public Span child(String name) {
      return within(name, SpanKind.INTERNAL);
    }

    @Override
    public Span call(String name) {
      return within(name, SpanKind.CLIENT);
    }

    @Override
    public Span with(String attribute, String value) {
      span.setAttribute(attribute, value);
      return this;
    }

    @Override
    public Span with(String attribute, long value) {
      span.setAttribute(attribute, value);
      return this;
    }

    @Override
    public void failed(String why) {
      span.setStatus(StatusCode.ERROR, why);
    }

    @Override
    public String header() {
      SpanContext context = span.getSpanContext();
      return "00-"
          + context.getTraceId()
          + "-"
          + context.getSpanId()
          + "-"
          + context.getTraceFlags().asHex();
    }

    @Override
    public void end() {
      if (isOver.compareAndSet(false, true)) {
        ended.increment();
        span.end();
      }
    }
  }
}
