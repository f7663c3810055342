package io.fleetgauge.gateway.ingest;

import io.fleetgauge.gateway.ingest.host.HostIntake;
import io.fleetgauge.gateway.ingest.host.Sender;
import io.fleetgauge.runtime.http.BodyPace;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** Serves {@link IntakeProtocol}. */
public final class IntakeRoute {
  /** When a probe asks again whose host has no place, ms. */
  private static final long OVER_LIMIT_MILLIS = 60_000;

  private final Intake intake;
  private final Vertx vertx;
  private final Tracer tracer;

  private IntakeRoute(Intake intake, Vertx vertx, Tracer tracer) {
    this.intake = intake;
    this.vertx = vertx;
    this.tracer = tracer;
  }

  /**
   * @param guard admits requests with the write permission
   * @param maxBodyBytes longer bodies get 413
   * @param tracer begins a trace for each body
   */
  public static void mount(
      Router router,
      Vertx vertx,
      Handler<RoutingContext> guard,
      Intake intake,
      int maxBodyBytes,
      Tracer tracer) {
    IntakeRoute route = new IntakeRoute(intake, vertx, tracer);
    Guard.readBody(
            router
                .post(IntakeProtocol.ROUTE)
                .handler(guard)
                .handler(
                    new BodyPace(
                        BodyPace.OF_SAMPLES,
                        (late, why) -> late.response().setStatusCode(503).end(why + "\n"))),
            maxBodyBytes)
        .handler(IntakeRoute::unlabelled)
        .handler(route::take);
  }

  /** Frames are stored unchanged and not checked for the labels that a tenant must have. */
  private static void unlabelled(RoutingContext http) {
    if (Guard.grant(http).map(grant -> grant.writeLabels().isEmpty()).orElse(true)) {
      http.next();
    } else {
      http.response()
          .setStatusCode(403)
          .end(
              "the series of this token's tenant must have labels (write.labels), which are checked"
                  + " for remote write only: use remote write, or give the probe a token of a"
                  + " tenant without\n");
    }
  }

  private void take(RoutingContext http) {
    long epoch;
    long acknowledged;
    try {
      epoch = number(http, IntakeProtocol.EPOCH);
      acknowledged = number(http, IntakeProtocol.ACKNOWLEDGED);
    } catch (NumberFormatException e) {
      answer(http, new IntakeAnswer.Refused(e.getMessage()));
      return;
    }
    if (http.body().length() <= 0) {
      answer(http, new IntakeAnswer.Refused("the body is empty"));
      return;
    }
    String host = IntakeProtocol.host(http.pathParam("host"));
    String problem = IntakeProtocol.hostProblem(host);
    if (!problem.isEmpty()) {
      answer(http, new IntakeAnswer.Refused(problem));
      return;
    }
    byte[] body = http.body().buffer().getBytes();
    Context loop = vertx.getOrCreateContext();
    Sender sender = Senders.of(Guard.grant(http));
    Span span = tracer.serve("ingest", http.request().getHeader(Span.HEADER));
    if (span.isRecorded()) {
      span.with("fleetgauge.host", host).with("fleetgauge.bytes", body.length);
    }
    intake.take(
        host,
        sender,
        body,
        epoch,
        acknowledged,
        new HostIntake.Acknowledger() {
          @Override
          public Span span() {
            return span;
          }

          @Override
          public void accept(IntakeAnswer answer) {
            span.with("fleetgauge.answer", answer.getClass().getSimpleName()).end();
            loop.runOnContext(none -> answer(http, answer));
          }
        });
  }

  private static long number(RoutingContext http, String header) {
    String value = http.request().getHeader(header);
    try {
      return value == null ? 0 : Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new NumberFormatException(header + " is not a number: " + value);
    }
  }

  private static void answer(RoutingContext http, IntakeAnswer answer) {
    if (!http.response().closed()) {
      if (answer instanceof IntakeAnswer.SlowDown slow) {
        http.response()
            .putHeader(
                "Retry-After", Long.toString(IntakeProtocol.retryAfterSeconds(slow.millis())));
      } else if (answer instanceof IntakeAnswer.OverLimit over) {
        long millis = over.millis() == 0 ? OVER_LIMIT_MILLIS : over.millis();
        http.response()
            .putHeader("Retry-After", Long.toString(IntakeProtocol.retryAfterSeconds(millis)));
      }
      http.response()
          .setStatusCode(answer.httpStatus())
          .putHeader("Content-Type", IntakeProtocol.ANSWER_TYPE)
          .end(answer + "\n");
    }
  }
}
