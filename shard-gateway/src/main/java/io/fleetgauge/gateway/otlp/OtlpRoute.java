package io.fleetgauge.gateway.otlp;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fleetgauge.gateway.remotewrite.SeriesWrites;
import io.fleetgauge.runtime.http.BodyPace;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.wire.ProtobufFields;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsPartialSuccess;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.GZIPInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code POST /api/v1/otlp/v1/metrics}.
 *
 * @see <a href="https://opentelemetry.io/docs/specs/otlp/#otlphttp">OTLP/HTTP</a>
 */
public final class OtlpRoute implements AutoCloseable {
  public static final String PATH = "/api/v1/otlp/v1/metrics";

  /**
   * Longest body, and longest after decompression. Messages take many times their bytes in memory,
   * so one is read at a time.
   */
  static final int MAX_BYTES = 8 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(OtlpRoute.class);
  private static final String PROTOBUF = "application/x-protobuf";
  private static final String JSON = "application/json";

  /** Codes of google.rpc.Status, by HTTP status. */
  private static final Map<Integer, Integer> CODES = Map.of(400, 3, 415, 3, 429, 8, 503, 14);

  private static final int UNKNOWN = 2;

  /** Bodies that wait to be read. */
  private static final int MAX_WAITING = 16;

  private final Vertx vertx;
  private final WorkerExecutor reading;
  private final AtomicInteger waiting = new AtomicInteger();
  private final SeriesWrites writes;
  private final OtlpSettings settings;
  private final LongAdder kept = new LongAdder();
  private final LongAdder partly = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder retry = new LongAdder();
  private final LongAdder refusedPoints = new LongAdder();

  public OtlpRoute(Vertx vertx, SeriesWrites writes, OtlpSettings settings, Meters meters) {
    this.vertx = vertx;
    this.reading = vertx.createSharedWorkerExecutor("otlp", 1);
    this.writes = writes;
    this.settings = settings;
    declare(meters);
  }

  private void declare(Meters meters) {
    meters.counters(
        "otlp_requests",
        "OTLP requests, by outcome.",
        "outcome",
        () ->
            Map.of(
                "kept",
                kept.sum(),
                "partly_kept",
                partly.sum(),
                "refused",
                refused.sum(),
                "retry",
                retry.sum()));
    meters.counter(
        "otlp_refused_points",
        "Data points of OTLP requests rejected because their metric cannot be represented, such as"
            + " those of delta temporality.",
        refusedPoints::sum);
  }

  /**
   * @param guard authenticates senders
   */
  public OtlpRoute mount(Router router, Guard guard) {
    Guard.readBody(
            router
                .post(PATH)
                .handler(guard.needsPeerOr(Permission.WRITE))
                .handler(
                    new BodyPace(
                        BodyPace.OF_SAMPLES,
                        (late, why) -> fail(late, 503, why + "; send it again", 1_000))),
            MAX_BYTES)
        .handler(this::write);
    return this;
  }

  private void write(RoutingContext http) {
    String type = type(http);
    if (!type.equals(PROTOBUF) && !type.equals(JSON)) {
      fail(
          http,
          415,
          "the content type " + type + " is not accepted; use " + PROTOBUF + " or " + JSON,
          0);
      return;
    }
    String encoding = http.request().getHeader("Content-Encoding");
    boolean isGzip = "gzip".equalsIgnoreCase(encoding);
    if (!isGzip && encoding != null && !encoding.isEmpty() && !encoding.equals("identity")) {
      fail(http, 415, encoding + " encoding is not accepted; use gzip", 0);
      return;
    }
    if (waiting.incrementAndGet() > MAX_WAITING) {
      waiting.decrementAndGet();
      fail(http, 503, MAX_WAITING + " OTLP requests are waiting; send it again later", 1_000);
      return;
    }
    Buffer body = http.body().buffer();
    byte[] bytes = body == null ? new byte[0] : body.getBytes();
    Context loop = vertx.getOrCreateContext();
    OtlpTranslation translation = new OtlpTranslation(settings);
    reading
        .executeBlocking(
            () -> translation.translate(request(bytes, isGzip, type.equals(JSON))), true)
        .onComplete(done -> waiting.decrementAndGet())
        .transform(
            read ->
                writes.write(
                    Guard.grant(http),
                    false,
                    Version.V1,
                    SeriesWrites.Mode.IN_PARTS,
                    () -> message(read)))
        .onSuccess(answer -> loop.runOnContext(none -> end(http, translation, answer)));
  }

  private static SeriesWrites.Message message(AsyncResult<byte[]> read) throws WireException {
    if (read.cause() instanceof WireException problem) {
      throw problem;
    }
    if (read.failed()) {
      throw new IllegalStateException(read.cause());
    }
    return new SeriesWrites.Message(read.result(), read.result().length);
  }

  private static String type(RoutingContext http) {
    String type = http.request().getHeader("Content-Type");
    return type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
  }

  private static ExportMetricsServiceRequest request(byte[] body, boolean isGzip, boolean isJson)
      throws WireException {
    byte[] plain = isGzip ? unzipped(body) : body;
    if (isJson) {
      ExportMetricsServiceRequest.Builder request = ExportMetricsServiceRequest.newBuilder();
      OtlpJson.read(plain, request);
      return request.build();
    }
    try {
      return ExportMetricsServiceRequest.parseFrom(plain);
    } catch (InvalidProtocolBufferException e) {
      throw new WireException("the body is not an ExportMetricsServiceRequest: " + e.getMessage());
    }
  }

  private static byte[] unzipped(byte[] body) throws WireException {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
      byte[] plain = in.readNBytes(MAX_BYTES + 1);
      if (plain.length > MAX_BYTES) {
        throw new WireException(
            "the body has more than " + MAX_BYTES + " bytes after decompression");
      }
      return plain;
    } catch (IOException e) {
      throw new WireException("the body is not gzip: " + e.getMessage());
    }
  }

  private void end(RoutingContext http, OtlpTranslation translation, SeriesWrites.Answer answer) {
    refusedPoints.add(translation.refused());
    List<String> reasons = new ArrayList<>(translation.reasons());
    answer.text().lines().forEach(reasons::add);
    long written =
        answer.samples()
            + answer.histograms()
            + answer.droppedSamples()
            + answer.droppedHistograms();
    int status = answer.status();
    boolean isAllRefused = written == 0 && !reasons.isEmpty();
    if (status != 204 && status != 400 || isAllRefused) {
      fail(http, status == 204 ? 400 : status, String.join("\n", reasons), answer.retryMillis());
      return;
    }
    ExportMetricsServiceResponse.Builder response = ExportMetricsServiceResponse.newBuilder();
    if (reasons.isEmpty()) {
      kept.increment();
    } else {
      partly.increment();
      log(http, 200, reasons.getFirst());
      response.setPartialSuccess(
          ExportMetricsPartialSuccess.newBuilder()
              .setRejectedDataPoints(translation.refused() + answer.refused())
              .setErrorMessage(String.join("\n", reasons)));
    }
    if (type(http).equals(JSON)) {
      send(http, 200, JSON, Buffer.buffer(OtlpJson.text(response.build())));
    } else {
      send(http, 200, PROTOBUF, Buffer.buffer(response.build().toByteArray()));
    }
  }

  /** Answers with a google.rpc.Status, which is a code and a message. */
  private void fail(RoutingContext http, int status, String why, long retryMillis) {
    (status == 429 || status == 503 ? retry : refused).increment();
    if (status == 429 || status == 503) {
      http.response()
          .putHeader(
              "Retry-After",
              Long.toString(Math.max(1, IntakeProtocol.retryAfterSeconds(retryMillis))));
    } else {
      log(http, status, why);
    }
    int code = CODES.getOrDefault(status, UNKNOWN);
    if (type(http).equals(PROTOBUF)) {
      send(http, status, PROTOBUF, Buffer.buffer(status(code, why)));
    } else {
      send(http, status, JSON, Buffer.buffer(OtlpJson.status(code, why)));
    }
  }

  private static byte[] status(int code, String why) {
    return new WireWriter(256)
        .uvar(1 << 3 | ProtobufFields.VARINT)
        .uvar(code)
        .uvar(2 << 3 | ProtobufFields.BYTES)
        .string(why)
        .toBytes();
  }

  private static void log(RoutingContext http, int status, String why) {
    String whose = Guard.grant(http).map(grant -> " of " + grant.tenant()).orElse("");
    String line = why.lines().findFirst().orElse("").replaceAll("\\p{Cntrl}", " ");
    LOG.warn("OTLP request{}: {} {}", whose, status, line);
  }

  private static void send(RoutingContext http, int status, String type, Buffer body) {
    if (!http.response().closed()) {
      http.response().setStatusCode(status).putHeader("Content-Type", type).end(body);
    }
  }

  @Override
  public void close() {
    reading.close();
  }
}
