package io.fleetgauge.query.http;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.http.BodyPace;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.tenant.Permission;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import io.vertx.ext.web.handler.PlatformHandler;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Mounts routes with what they have in common: the read permission, the limit of a body, sharing
 * with other origins, and the form of failures.
 */
public final class ApiRoutes {
  static final int MAX_BODY_BYTES = 4 << 20;

  private final Router router;
  private final Guard guard;
  private final Responses responses;
  private final Set<String> allowedOrigins;
  private final LongSupplier clock;

  /** Answers requests of one route. */
  @FunctionalInterface
  public interface Handler {
    Future<Body> answer(ApiRequest request) throws QueryFailure;
  }

  /**
   * @param guard admits requests with the read permission
   * @param workers where large bodies are encoded
   * @param allowedOrigins whose pages may read answers; {@link QueryConfig#ANY_ORIGIN} for all
   * @param clock ms since the epoch
   */
  public ApiRoutes(
      Router router,
      Guard guard,
      WorkerExecutor workers,
      FailureCounts counts,
      Set<String> allowedOrigins,
      LongSupplier clock) {
    this.allowedOrigins = allowedOrigins;
    this.router = router;
    this.guard = guard;
    this.responses = new Responses(workers, counts);
    this.clock = clock;
  }

  /** Declares what is counted here. */
  public void declare(Meters meters) {
    meters.gauge("responses_sending", "Long responses that are being sent.", responses::beingSent);
  }

  /** A route for GET. */
  public void get(String path, Handler handler) {
    mount(path, List.of(HttpMethod.GET), ErrorForm.ENVELOPE, handler);
  }

  /** A route for GET that reports failures as text. */
  public void getText(String path, Handler handler) {
    mount(path, List.of(HttpMethod.GET), ErrorForm.TEXT, handler);
  }

  /** A route that takes its parameters by GET or in a form by POST. */
  public void getOrPost(String path, Handler handler) {
    mount(path, List.of(HttpMethod.GET, HttpMethod.POST), ErrorForm.ENVELOPE, handler);
  }

  /** A route that takes a body by POST. */
  public void post(String path, Handler handler) {
    mount(path, List.of(HttpMethod.POST), ErrorForm.ENVELOPE, handler);
  }

  /** A route that takes a body by POST and reports failures as text. */
  public void postText(String path, Handler handler) {
    mount(path, List.of(HttpMethod.POST), ErrorForm.TEXT, handler);
  }

  /** A route that takes JSON by POST and reports failures as Grafana's JSON data sources expect. */
  public void postJson(String path, Handler handler) {
    mount(path, List.of(HttpMethod.POST), ErrorForm.ENVELOPE_WITH_MESSAGE, handler);
  }

  /** A route that reports failures as text, with what each method does. */
  public void text(String path, Map<HttpMethod, Handler> handlers) {
    mount(path, handlers, ErrorForm.TEXT);
  }

  private void mount(String path, List<HttpMethod> methods, ErrorForm errors, Handler handler) {
    Map<HttpMethod, Handler> handlers = new LinkedHashMap<>();
    methods.forEach(method -> handlers.put(method, handler));
    mount(path, handlers, errors);
  }

  private void mount(String path, Map<HttpMethod, Handler> handlers, ErrorForm errors) {
    Set<HttpMethod> methods = handlers.keySet();
    router.route(HttpMethod.OPTIONS, path).handler(this::preflight);
    Route route = router.route(path);
    methods.forEach(route::method);
    route.handler(
        (PlatformHandler)
            http -> {
              shareWithOrigins(http);
              http.next();
            });
    route.handler(guard.needs(Permission.READ));
    if (methods.contains(HttpMethod.POST)) {
      route.handler(
          new BodyPace(
              BodyPace.OF_QUESTIONS,
              (http, why) ->
                  responses.fail(
                      http, errors, new QueryFailure(QueryFailure.Kind.SLOW_BODY, why))));
      route.handler(
          BodyHandler.create(false).setBodyLimit(MAX_BODY_BYTES).setMergeFormAttributes(false));
    }
    route.handler(
        http -> {
          Future<Body> answer;
          try {
            answer = handlers.get(http.request().method()).answer(new ApiRequest(http, clock));
          } catch (QueryFailure e) {
            answer = Future.failedFuture(e);
          }
          answer
              .compose(body -> responses.send(http, body))
              .onFailure(failure -> responses.fail(http, errors, failure));
        });
    route.failureHandler(http -> responses.failRequest(http, errors));
    router.route(path).handler(http -> refuseMethod(http, methods));
  }

  private void preflight(RoutingContext http) {
    shareWithOrigins(http);
    http.response().setStatusCode(204).end();
  }

  /** Browsers show an answer to a page of another origin only if these headers allow it. */
  private void shareWithOrigins(RoutingContext http) {
    MultiMap headers = http.response().headers();
    headers.set("Vary", "Origin");
    String origin = http.request().getHeader("Origin");
    if (origin != null
        && (allowedOrigins.contains(origin) || allowedOrigins.contains(QueryConfig.ANY_ORIGIN))) {
      headers.set(
          "Access-Control-Allow-Headers",
          "Accept, Authorization, Content-Type, Origin, X-Scope-OrgID");
      headers.set("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
      headers.set("Access-Control-Allow-Origin", origin);
      headers.set("Access-Control-Expose-Headers", "Date, X-Fleetgauge-Completeness");
    }
  }

  private static void refuseMethod(RoutingContext http, Set<HttpMethod> methods) {
    List<String> names = new ArrayList<>(List.of("OPTIONS"));
    methods.forEach(method -> names.add(method.name()));
    names.sort(null);
    http.response()
        .setStatusCode(405)
        .putHeader("Allow", String.join(", ", names))
        .putHeader("Content-Type", "text/plain; charset=utf-8")
        .end("Method Not Allowed\n");
  }
}
