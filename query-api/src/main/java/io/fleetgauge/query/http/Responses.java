package io.fleetgauge.query.http;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.tenant.Grant;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends bodies and failures. Safe for all threads. */
final class Responses {
  /** {@code gzip} or {@code x-gzip}, without the weight 0. */
  private static final Pattern GZIP =
      Pattern.compile(
          "(?i)(^|,)\\s*+(x-)?gzip\\s*+(;(?!\\s*q\\s*=\\s*0(\\.0*)?\\s*(,|$))[^,]*+)?(,|$)");

  private static final Logger LOG = LoggerFactory.getLogger(Responses.class);

  private final WorkerExecutor workers;
  private final FailureCounts counts;
  private final SlowReaders slowReaders = new SlowReaders();

  /**
   * @param workers where large bodies are encoded
   */
  Responses(WorkerExecutor workers, FailureCounts counts) {
    this.workers = workers;
    this.counts = counts;
  }

  /**
   * Returns true if a client accepts gzip.
   *
   * @param accepted its {@code Accept-Encoding}, such as {@code gzip, br;q=0.5}; may be null
   */
  static boolean acceptsGzip(String accepted) {
    return accepted != null && (accepted.equals("gzip") || GZIP.matcher(accepted).find());
  }

  /** Number of long bodies that are being sent. */
  int beingSent() {
    return slowReaders.count();
  }

  /** Sends a body with status 200; fails when it could not be encoded. */
  Future<Void> send(RoutingContext http, Body body) {
    return switch (body) {
      case Body.Small small -> {
        end(http, small.encoding().get());
        yield Future.succeededFuture();
      }
      case Body.Large large ->
          workers
              .executeBlocking(large.encoding()::get, false)
              .onSuccess(bytes -> end(http, bytes))
              .mapEmpty();
      case Body.Kept kept -> sendKept(http, kept);
      case Body.Streamed streamed -> stream(http, streamed);
    };
  }

  private Future<Void> sendKept(RoutingContext http, Body.Kept kept) {
    boolean gzip = acceptsGzip(http.request().getHeader("Accept-Encoding"));
    boolean soon = kept.isSmall() || kept.cached().isReady(gzip);
    return (soon
            ? Future.succeededFuture(kept.cached().body(gzip, kept.encoding()))
            : workers.executeBlocking(() -> kept.cached().body(gzip, kept.encoding()), false))
        .onSuccess(
            encoded -> {
              if (encoded.isCompressed()) {
                http.response().putHeader("Content-Encoding", "gzip");
              }
              end(http, encoded.bytes());
            })
        .mapEmpty();
  }

  private Future<Void> stream(RoutingContext http, Body.Streamed body) {
    HttpServerResponse response = http.response();
    if (response.closed()) {
      return Future.succeededFuture();
    }
    putDefaultType(response);
    if (body.isCompressed()) {
      response.putHeader("Content-Encoding", "gzip");
    }
    response.setChunked(true);
    Optional<Grant> grant = Guard.grant(http);
    return slowReaders
        .send(
            http.vertx(),
            grant.map(Grant::tenant).orElse(""),
            grant.map(each -> each.limits().running()).orElse(1),
            () -> {
              StreamedBody out = new StreamedBody(response);
              body.encoding().write(out);
              out.close();
              return null;
            })
        .recover(
            failure -> {
              if (!response.headWritten()) {
                response.setChunked(false);
                return Future.failedFuture(failure);
              }
              // The status is sent. Only a closed connection tells the client that a part is
              // missing.
              if (failure instanceof Error) {
                LOG.error("the response of {} broke off", http.request().path(), failure);
              } else {
                LOG.debug("the response of {} broke off", http.request().path(), failure);
              }
              http.request().connection().close();
              return Future.succeededFuture();
            });
  }

  private static void end(RoutingContext http, Buffer body) {
    if (!http.response().closed()) {
      putDefaultType(http.response());
      http.response().end(body);
    }
  }

  private static void putDefaultType(HttpServerResponse response) {
    if (!response.headers().contains("Content-Type")) {
      response.putHeader("Content-Type", "application/json");
    }
  }

  /** Reports a failure, as the catalogue of {@link QueryFailure.Kind} has it, and counts it. */
  void fail(RoutingContext http, ErrorForm form, Throwable failure) {
    fail(http, form, catalogued(http, failure));
  }

  void fail(RoutingContext http, ErrorForm form, QueryFailure failure) {
    QueryFailure.Kind kind = failure.kind();
    counts.add(kind);
    HttpServerResponse response = http.response();
    if (response.closed()) {
      return;
    }
    // The error is sent as it is, however the body would have been.
    response.headers().remove("Content-Encoding").remove("Content-Disposition");
    if (kind.retryAfterSeconds > 0) {
      response.putHeader("Retry-After", Integer.toString(kind.retryAfterSeconds));
    }
    response
        .setStatusCode(kind.httpStatus)
        .putHeader("Content-Type", form.contentType)
        .end(form.body(failure));
  }

  private static QueryFailure catalogued(RoutingContext http, Throwable failure) {
    return switch (failure) {
      case QueryFailure known -> known;
      case IllegalArgumentException unreadable ->
          new QueryFailure(QueryFailure.Kind.BAD_DATA, "bad request: " + unreadable.getMessage());
      default -> {
        LOG.error("{} failed", http.request().path(), failure);
        yield new QueryFailure(QueryFailure.Kind.INTERNAL, String.valueOf(failure.getMessage()));
      }
    };
  }

  /** Reports a request that Vert.x could not read, or a defect of a handler. */
  void failRequest(RoutingContext http, ErrorForm form) {
    if (http.statusCode() < 400 || http.statusCode() >= 500) {
      fail(http, form, http.failure());
      return;
    }
    fail(http, form, unreadable(http.statusCode(), http.failure()));
  }

  private static QueryFailure unreadable(int status, Throwable failure) {
    if (status == QueryFailure.Kind.TOO_LARGE.httpStatus) {
      return new QueryFailure(
          QueryFailure.Kind.TOO_LARGE,
          "the request cannot be read; a body may have " + ApiRoutes.MAX_BODY_BYTES + " bytes");
    }
    String limit = HttpListener.exceededFormLimit(failure);
    String message = failure == null ? null : failure.getMessage();
    return new QueryFailure(
        QueryFailure.Kind.BAD_DATA,
        limit.isEmpty()
            ? "the request cannot be read" + (message == null ? "" : ": " + message)
            : limit);
  }
}
