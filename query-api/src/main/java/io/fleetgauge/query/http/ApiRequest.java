package io.fleetgauge.query.http;

import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Ask;
import io.fleetgauge.query.answer.Caller;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.tenant.Grant;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.runtime.tenant.TenantSettings;
import io.fleetgauge.runtime.trace.Span;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * An HTTP request of an admitted client, and the one way from there to {@link Querier}: as the
 * caller that the token names, cancelled when the client leaves, with the completeness of the
 * answer in a header. For one event loop.
 */
public final class ApiRequest {
  private static final String PLAN = "X-Fleetgauge-Plan";
  private static final String COMPLETENESS = "X-Fleetgauge-Completeness";
  private static final int MAX_NAMES = 10;

  private final RoutingContext http;
  private final LongSupplier clock;
  private final Parameters parameters;
  private final Grant grant;
  private Future<Void> clientLeft;

  /** Completeness of all answers so far; null before the first. */
  private Completeness completeness;

  private boolean withAge;

  ApiRequest(RoutingContext http, LongSupplier clock) throws QueryFailure {
    this.http = http;
    this.clock = clock;
    this.parameters = new Parameters(http);
    this.grant = Guard.grant(http).orElseThrow();
  }

  public Parameters parameters() {
    return parameters;
  }

  /** A variable part of the path. */
  public String pathParameter(String name) {
    return http.pathParam(name);
  }

  public Optional<String> header(String name) {
    return Optional.ofNullable(http.request().getHeader(name));
  }

  /** The body; empty when there is none. */
  public byte[] body() {
    Buffer body = http.body().buffer();
    return body == null ? new byte[0] : body.getBytes();
  }

  /** Sets a header of the response. */
  public void respondWith(String name, String value) {
    http.response().putHeader(name, value);
  }

  /** Sets the status of a successful response, which is 200 otherwise. */
  public void respondWith(int status) {
    http.response().setStatusCode(status);
  }

  public boolean acceptsGzip() {
    return Responses.acceptsGzip(http.request().getHeader("Accept-Encoding"));
  }

  /** Returns true if the token has the {@code operate} right. */
  public boolean isOperator() {
    return grant.may(Permission.OPERATE);
  }

  /** Returns true if the token has the {@code write} right. */
  public boolean mayWrite() {
    return grant.may(Permission.WRITE);
  }

  /** The tenants whose scope limits what the token sees; none when it sees everything. */
  public List<String> scopedTenants() {
    boolean seesAll = grant.tenants().stream().anyMatch(tenant -> tenant.scope().isEmpty());
    return seesAll ? List.of() : grant.tenants().stream().map(TenantSettings::name).toList();
  }

  /**
   * The caller: the token's tenants and scope.
   *
   * @throws QueryFailure if the scopes of its tenants cannot be combined
   */
  public Caller caller() throws QueryFailure {
    return Caller.of(grant.tenant(), grant.scopes(), grant.limits());
  }

  /**
   * Returns true if an answer that misses hosts is an error: as asked for, else by the tenant's
   * limit.
   */
  private boolean isStrict() {
    String wanted = parameters.text("strict");
    return wanted.isEmpty() ? grant.limits().strict() : wanted.equals("1");
  }

  /**
   * Options of a query, by parameters and headers.
   *
   * @throws QueryFailure if a header has a value that is not known
   */
  public Ask.Options options(long timeoutMillis) throws QueryFailure {
    Planner.Mode mode =
        switch (header(PLAN).orElse("auto")) {
          case "auto" -> Planner.Mode.AUTO;
          case "raw" -> Planner.Mode.RAW;
          default ->
              throw new QueryFailure(
                  QueryFailure.Kind.BAD_DATA,
                  "the header "
                      + PLAN
                      + " is \""
                      + header(PLAN).orElse("")
                      + "\"; it may be auto or raw");
        };
    boolean fresh =
        header("Cache-Control").filter(control -> control.contains("no-store")).isPresent()
            || parameters.text("nocache").equals("1");
    return new Ask.Options(mode, mode == Planner.Mode.AUTO && !fresh, isStrict(), timeoutMillis);
  }

  /** Reads data for the caller, in every way that saves time. */
  public <T> Future<Reply<T>> ask(Querier querier, Request<T> request, long timeoutMillis)
      throws QueryFailure {
    Ask.Options options = new Ask.Options(Planner.Mode.AUTO, true, isStrict(), timeoutMillis);
    return ask(querier, new Ask<>(caller(), request, options));
  }

  /** As above; an answer that does not cover all hosts is a failure. */
  public <T> Future<Reply<T>> askStrictly(Querier querier, Request<T> request, long timeoutMillis)
      throws QueryFailure {
    Ask.Options options = new Ask.Options(Planner.Mode.AUTO, true, true, timeoutMillis);
    return ask(querier, new Ask<>(caller(), request, options));
  }

  /** Reads data. */
  public <T> Future<Reply<T>> ask(Querier querier, Ask<T> ask) {
    return querier
        .answer(ask, header(Span.HEADER).orElse(""), clientLeft())
        .onSuccess(
            reply -> {
              Completeness here = reply.completeness();
              completeness = completeness == null ? here : completeness.and(here);
              // The age of samples says nothing about labels; scrapes and reads have their times.
              withAge |= ask.request() instanceof Request.Promql;
              respondWith(COMPLETENESS, text(completeness, withAge ? age(completeness) : ""));
            });
  }

  private Future<Void> clientLeft() {
    if (clientLeft == null) {
      Promise<Void> left = Promise.promise();
      http.response().closeHandler(left::tryComplete);
      clientLeft = left.future();
    }
    return clientLeft;
  }

  private static String number(long value) {
    return value == Completeness.UNKNOWN ? "unknown" : Long.toString(value);
  }

  private String age(Completeness of) {
    return "; watermark-age="
        + (of.watermark() == Long.MIN_VALUE
            ? "unknown"
            : Math.max(0, clock.getAsLong() - of.watermark()) + "ms");
  }

  /**
   * Completeness as the header has it.
   *
   * @param age of the watermark, as a field of the header; may be empty
   */
  static String text(Completeness of, String age) {
    List<String> names = of.missing().subList(0, Math.min(MAX_NAMES, of.missing().size()));
    String missing = String.join(",", names);
    if (of.missing().size() > names.size() || of.unseen()) {
      missing += names.isEmpty() ? "..." : ",...";
    }
    return "hosts="
        + number(of.expected())
        + "; answered="
        + number(of.answered())
        + "; missing="
        + missing
        + age
        + "; epoch="
        + number(of.epoch())
        + (of.lacking().isEmpty() ? "" : "; missing-clusters=" + String.join(",", of.lacking()))
        + (of.sources().isEmpty() ? "" : "; missing-sources=" + String.join(",", of.sources()));
  }
}
