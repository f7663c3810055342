package io.fleetgauge.load.traces;

import com.google.protobuf.InvalidProtocolBufferException;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A collector of traces that keeps what it is sent. */
final class Collector implements AutoCloseable {
  private final HttpServer server;
  private final List<ProcessSpan> spans = new CopyOnWriteArrayList<>();
  private volatile int status = 200;
  private volatile String authorization = "";

  /**
   * A span.
   *
   * @param process that sent it
   */
  record ProcessSpan(String process, Span span) {
    String name() {
      return span.getName();
    }

    boolean isChildOf(ProcessSpan other) {
      return span.getParentSpanId().equals(other.span.getSpanId())
          && span.getTraceId().equals(other.span.getTraceId());
    }

    String text(String attribute) {
      return value(span.getAttributesList(), attribute);
    }

    long number(String attribute) {
      return span.getAttributesList().stream()
          .filter(each -> each.getKey().equals(attribute))
          .mapToLong(each -> each.getValue().getIntValue())
          .findFirst()
          .orElse(-1);
    }
  }

  Collector(Vertx vertx) {
    server =
        vertx
            .createHttpServer(
                new HttpServerOptions()
                    .setDecompressionSupported(true)
                    .setHttp2ClearTextEnabled(false))
            .requestHandler(
                request ->
                    request
                        .body()
                        .onSuccess(
                            body -> {
                              authorization =
                                  Optional.ofNullable(request.getHeader("Authorization"))
                                      .orElse("");
                              if (status == 200) {
                                keep(request.path(), body.getBytes());
                              }
                              request.response().setStatusCode(status).end();
                            }))
            .listen(0, "127.0.0.1")
            .await();
  }

  private void keep(String path, byte[] body) {
    if (!path.equals("/v1/traces")) {
      throw new IllegalArgumentException(path);
    }
    try {
      for (ResourceSpans each : ExportTraceServiceRequest.parseFrom(body).getResourceSpansList()) {
        String process = value(each.getResource().getAttributesList(), "service.instance.id");
        for (ScopeSpans scope : each.getScopeSpansList()) {
          scope.getSpansList().forEach(span -> spans.add(new ProcessSpan(process, span)));
        }
      }
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static String value(List<KeyValue> attributes, String key) {
    return attributes.stream()
        .filter(each -> each.getKey().equals(key))
        .map(each -> each.getValue().getStringValue())
        .findFirst()
        .orElse("");
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + server.actualPort());
  }

  List<ProcessSpan> spans(String name) {
    return spans.stream().filter(each -> each.name().equals(name)).toList();
  }

  /** Sets the answer to requests from now on. */
  void answer(int newStatus) {
    status = newStatus;
  }

  /** A header of the last request. */
  String authorization() {
    return authorization;
  }

  @Override
  public void close() {
    server.close().await();
  }
}
