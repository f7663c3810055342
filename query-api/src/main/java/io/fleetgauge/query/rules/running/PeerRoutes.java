package io.fleetgauge.query.rules.running;

import io.fleetgauge.query.rules.evaluation.GroupStateForm;
import io.fleetgauge.runtime.http.BodyPace;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** What the other query APIs ask. Until the rules run, they are told to come again. */
final class PeerRoutes {
  private static final int MAX_BODY_BYTES = 64 << 20;

  private final Vertx vertx;
  private volatile RunningRules rules;

  PeerRoutes(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Answers from now on. */
  void begin(RunningRules running) {
    rules = running;
  }

  private interface Answering {
    Future<byte[]> answer(RunningRules rules, byte[] body) throws WireException;
  }

  void mount(Router router, Guard guard) {
    route(
        router,
        guard,
        PeerRequests.BEAT,
        (rules, body) -> rules.heard(BeatForm.fromBytes(body)).map(BeatForm::toBytes));
    route(
        router,
        guard,
        PeerRequests.STATES,
        (rules, body) ->
            rules
                .own(BeatForm.keys(body))
                .map(
                    states ->
                        BeatForm.parts(states.stream().map(GroupStateForm::toBytes).toList())));
    route(
        router,
        guard,
        PeerRequests.STATE,
        (rules, body) -> rules.came(GroupStateForm.read(body)).map(new byte[0]));
  }

  private void route(Router router, Guard guard, String path, Answering answering) {
    Guard.readBody(
            router
                .post(path)
                .handler(guard.needsPeer())
                .handler(
                    new BodyPace(BodyPace.OF_QUESTIONS, (http, why) -> end(http, 408, text(why)))),
            MAX_BODY_BYTES)
        .handler(http -> answer(http, answering));
  }

  private void answer(RoutingContext http, Answering answering) {
    RunningRules running = rules;
    if (running == null) {
      end(http, 503, text("the rules do not run yet; come again"));
      return;
    }
    Context loop = vertx.getOrCreateContext();
    Buffer body = http.body().buffer();
    try {
      answering
          .answer(running, body == null ? new byte[0] : body.getBytes())
          .onComplete(
              done ->
                  loop.runOnContext(
                      none -> {
                        if (done.succeeded()) {
                          end(http, 200, Buffer.buffer(done.result()));
                        } else {
                          end(http, 503, text(String.valueOf(done.cause().getMessage())));
                        }
                      }));
    } catch (WireException e) {
      end(http, 400, text(e.getMessage()));
    }
  }

  private static Buffer text(String text) {
    return Buffer.buffer(text + "\n");
  }

  private static void end(RoutingContext http, int status, Buffer body) {
    if (!http.response().closed()) {
      http.response().setStatusCode(status).end(body);
    }
  }
}
