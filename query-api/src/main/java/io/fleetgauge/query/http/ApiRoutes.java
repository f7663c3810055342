package io.fleetgauge.query.http;

import io.fleetgauge.cluster.process.BodyPace;
import io.fleetgauge.cluster.process.Guard;
import io.fleetgauge.cluster.tenant.Right;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Written;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import io.vertx.ext.web.handler.PlatformHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all routes have in common: who may use them, how long a body may be, what other origins may
 * see, and how failures are told.
 */
public final class ApiRoutes {
  static final int MAX_BODY_BYTES = 4 << 20;

  private static final String TEXT = "fleetgauge.text";
  private static final String MESSAGE = "fleetgauge.message";

  /** Named, and not with the weight 0. */
  private static final Pattern GZIP =
      Pattern.compile(
          "(?i)(^|,)\\s*(x-)?gzip\\s*(;(?!\\s*q\\s*=\\s*0(\\.0*)?\\s*(,|$))[^,]*)?\\s*(,|$)");

  private static final Logger LOG = LoggerFactory.getLogger(ApiRoutes.class);

  private final Router router;
  private final Guard guard;
  private final WorkerExecutor workers;
  private final QueryCounts counts;

  /** A route's work: what writes the body of its answer, or a failure. */
  public interface Handler {
    Future<Supplier<Buffer>> answer(RoutingContext http, Parameters parameters) throws QueryFailure;
  }

  /** A body that is there, or is soon written. */
  public record Ready(Supplier<Buffer> body) implements Supplier<Buffer> {
    @Override
    public Buffer get() {
      return body.get();
    }
  }

  /**
   * A body that is kept, compressed too, for who asks the same.
   *
   * @param isLittle whether it is written sooner than another thread wakes up
   */
  public record Kept(Written body, Supplier<Buffer> writing, boolean isLittle)
      implements Supplier<Buffer> {
    @Override
    public Buffer get() {
      return body.body(false, writing).bytes();
    }
  }

  /**
   * A body that is sent while it is written.
   *
   * @param isCompressed as gzip
   */
  public record Streamed(Writing writing, boolean isCompressed) implements Supplier<Buffer> {
    public Streamed(Writing writing) {
      this(writing, false);
    }

    @Override
    public Buffer get() {
      throw new IllegalStateException("it is sent while it is written");
    }
  }

  /** Writes a body. */
  public interface Writing {
    void write(OutputStream out) throws IOException;
  }

  public ApiRoutes(Router router, Guard guard, WorkerExecutor workers, QueryCounts counts) {
    this.router = router;
    this.guard = guard;
    this.workers = workers;
    this.counts = counts;
  }

  /** A route that is read by GET. */
  public void get(String path, Handler handler) {
    mount(path, List.of(HttpMethod.GET), handler);
  }

  /** A route that is read by GET and answers, failures too, with text. */
  public void getText(String path, Handler handler) {
    mount(path, List.of(HttpMethod.GET), asText(handler));
  }

  /** A route that takes its parameters by GET or in a form by POST. */
  public void getOrPost(String path, Handler handler) {
    mount(path, List.of(HttpMethod.GET, HttpMethod.POST), handler);
  }

  /** A route that takes a body by POST and tells failures by text. */
  public void postText(String path, Handler handler) {
    mount(path, List.of(HttpMethod.POST), asText(handler));
  }

  private static Handler asText(Handler handler) {
    return (http, parameters) -> {
      http.put(TEXT, true);
      return handler.answer(http, parameters);
    };
  }

  /** A route that takes JSON by POST and tells failures as Grafana's data sources for JSON do. */
  public void postJson(String path, Handler handler) {
    mount(
        path,
        List.of(HttpMethod.POST),
        (http, parameters) -> {
          http.put(MESSAGE, true);
          return handler.answer(http, parameters);
        });
  }

  /** A route that takes a body by POST. */
  public void post(String path, Handler handler) {
    mount(path, List.of(HttpMethod.POST), handler);
  }

  private void mount(String path, List<HttpMethod> methods, Handler handler) {
    router.route(HttpMethod.OPTIONS, path).handler(ApiRoutes::preflight);
    Route route = router.route(path);
    methods.forEach(route::method);
    route.handler(
        (PlatformHandler)
            http -> {
              shareWithOrigins(http);
              http.next();
            });
    route.handler(guard.needs(Right.READ));
    if (methods.contains(HttpMethod.POST)) {
      route.handler(new BodyPace(BodyPace.OF_QUESTIONS, ApiRoutes::refuseSlow));
      route.handler(
          BodyHandler.create(false).setBodyLimit(MAX_BODY_BYTES).setMergeFormAttributes(false));
    }
    route.handler(
        http -> {
          Future<Supplier<Buffer>> answer;
          try {
            answer = handler.answer(http, new Parameters(http));
          } catch (QueryFailure e) {
            answer = Future.failedFuture(e);
          }
          answer.compose(body -> send(http, body)).onFailure(failure -> fail(http, failure));
        });
    route.failureHandler(this::failRequest);
    router.route(path).handler(http -> refuseMethod(http, methods));
  }

  private static void preflight(RoutingContext http) {
    shareWithOrigins(http);
    http.response().setStatusCode(204).end();
  }

  private static void refuseSlow(RoutingContext http, String why) {
    end(http, 408, Json.error(new QueryFailure(QueryFailure.Kind.TIMEOUT, why), false));
  }

  /** As Prometheus does: pages of other origins may read, when they say where they come from. */
  private static void shareWithOrigins(RoutingContext http) {
    MultiMap headers = http.response().headers();
    headers.set("Vary", "Origin");
    String origin = http.request().getHeader("Origin");
    if (origin != null) {
      headers.set(
          "Access-Control-Allow-Headers",
          "Accept, Authorization, Content-Type, Origin, X-Scope-OrgID");
      headers.set("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
      headers.set("Access-Control-Allow-Origin", origin);
      headers.set("Access-Control-Expose-Headers", "Date, X-Fleetgauge-Completeness");
    }
  }

  private static void refuseMethod(RoutingContext http, List<HttpMethod> methods) {
    List<String> names = new ArrayList<>(List.of("OPTIONS"));
    methods.forEach(method -> names.add(method.name()));
    names.sort(null);
    http.response()
        .setStatusCode(405)
        .putHeader("Allow", String.join(", ", names))
        .putHeader("Content-Type", "text/plain; charset=utf-8")
        .end("Method Not Allowed\n");
  }

  // Large answers take long to write; an event loop has no time for that.
  private Future<Void> send(RoutingContext http, Supplier<Buffer> body) {
    return switch (body) {
      case Streamed streamed -> stream(http, streamed);
      case Kept kept -> {
        boolean gzip = takesGzip(http.request().getHeader("Accept-Encoding"));
        yield (kept.isLittle || kept.body.isThere(gzip)
                ? Future.succeededFuture(kept.body.body(gzip, kept.writing))
                : workers.executeBlocking(() -> kept.body.body(gzip, kept.writing), false))
            .onSuccess(
                written -> {
                  if (written.isCompressed()) {
                    http.response().putHeader("Content-Encoding", "gzip");
                  }
                  end(http, 200, written.bytes());
                })
            .mapEmpty();
      }
      case Ready ready -> {
        end(http, 200, ready.get());
        yield Future.succeededFuture();
      }
      default ->
          workers
              .executeBlocking(body::get, false)
              .onSuccess(bytes -> end(http, 200, bytes))
              .mapEmpty();
    };
  }

  /**
   * Whether gzip is among what is accepted.
   *
   * @param accepted such as {@code gzip, br;q=0.5}; may be null
   */
  public static boolean takesGzip(String accepted) {
    return accepted != null && (accepted.equals("gzip") || GZIP.matcher(accepted).find());
  }

  /** What has been sent cannot be called back: who gets a part only has to see that it is one. */
  private Future<Void> stream(RoutingContext http, Streamed body) {
    HttpServerResponse response = http.response();
    if (response.closed()) {
      return Future.succeededFuture();
    }
    if (!response.headers().contains("Content-Type")) {
      response.putHeader("Content-Type", "application/json");
    }
    if (body.isCompressed) {
      response.putHeader("Content-Encoding", "gzip");
    }
    response.setChunked(true);
    return workers
        .executeBlocking(
            () -> {
              StreamedBody out = new StreamedBody(response);
              body.writing.write(out);
              out.close();
              return (Void) null;
            },
            false)
        .recover(
            failure -> {
              LOG.debug("{} was not sent to its end", http.request().path(), failure);
              if (response.headWritten()) {
                http.request().connection().close();
                return Future.succeededFuture();
              }
              return Future.failedFuture(failure);
            });
  }

  /** A request that could not be read, or a failure of ours. */
  private void failRequest(RoutingContext http) {
    if (http.statusCode() >= 400 && http.statusCode() < 500) {
      counts.failed(QueryFailure.Kind.BAD_DATA);
      String reason = http.failure() == null ? "" : ": " + http.failure().getMessage();
      QueryFailure unreadable =
          new QueryFailure(
              QueryFailure.Kind.BAD_DATA,
              "the request cannot be read"
                  + reason
                  + "; a body may have "
                  + MAX_BODY_BYTES
                  + " bytes");
      end(http, http.statusCode(), Json.error(unreadable, http.get(MESSAGE) != null));
    } else {
      fail(http, http.failure());
    }
  }

  static void end(RoutingContext http, int status, Buffer body) {
    if (!http.response().closed()) {
      if (!http.response().headers().contains("Content-Type") || status != 200) {
        http.response().putHeader("Content-Type", "application/json");
      }
      http.response().setStatusCode(status).end(body);
    }
  }

  void fail(RoutingContext http, Throwable failure) {
    QueryFailure known;
    if (failure instanceof QueryFailure named) {
      known = named;
    } else if (failure instanceof OverBudget over) {
      known = new QueryFailure(QueryFailure.Kind.EXECUTION, over.getMessage());
    } else if (failure instanceof IllegalArgumentException unreadable) {
      known =
          new QueryFailure(QueryFailure.Kind.BAD_DATA, "bad request: " + unreadable.getMessage());
    } else {
      LOG.error("{} failed", http.request().path(), failure);
      known = new QueryFailure(QueryFailure.Kind.INTERNAL, String.valueOf(failure.getMessage()));
    }
    counts.failed(known.kind());
    if (http.get(TEXT) != null) {
      http.response()
          .setStatusCode(known.kind().httpStatus)
          .putHeader("Content-Type", "text/plain; charset=utf-8")
          .end(known.getMessage() + "\n");
      return;
    }
    if (known.kind() == QueryFailure.Kind.UNAVAILABLE
        || known.kind() == QueryFailure.Kind.LIMITED) {
      http.response().putHeader("Retry-After", "1");
    }
    end(http, known.kind().httpStatus, Json.error(known, http.get(MESSAGE) != null));
  }
}
