package io.fleetgauge.gateway.stream;

import io.vertx.core.Context;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream to one gateway: opened when there is something to ask. All but {@link #ask} happens on
 * the thread of one event loop.
 */
final class PeerStream implements Line.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(PeerStream.class);
  private static final SecureRandom RANDOM = new SecureRandom();

  private record Asked(StreamQuestion question, byte[] digest, Consumer<Outcome> outcome) {}

  private record Unsent(Message message, byte[] digest) {}

  private final PeerStreams streams;
  private final URI gateway;
  private final Context loop;
  private final Handover<Asked> asked;
  private final InFlight inFlight;
  private final Deque<Unsent> unsent = new ArrayDeque<>();
  private final byte[] nonce = new byte[Direction.NONCE_BYTES];
  private Line line;
  private boolean isOpening;
  private boolean hasBegun;
  private boolean isTimed;
  private long heardAt;

  PeerStream(PeerStreams streams, URI gateway) {
    this.streams = streams;
    this.gateway = gateway;
    this.loop = streams.vertx.getOrCreateContext();
    this.asked = new Handover<>(loop, this::take);
    this.inFlight =
        new InFlight(
            streams.limits.bytes(), streams.limits.questions(), streams.limits.timeoutMillis());
  }

  URI gateway() {
    return gateway;
  }

  void ask(StreamQuestion question, Consumer<Outcome> outcome) {
    if (question.body().length > StreamQuestion.MAX_BODY
        || question.fields().length > StreamQuestion.MAX_FIELDS) {
      outcome.accept(
          new Outcome.Failed(
              "a body of "
                  + question.body().length
                  + " bytes; the limit is "
                  + StreamQuestion.MAX_BODY));
      return;
    }
    asked.add(new Asked(question, Line.digest(streams.key, question.body()), outcome));
  }

  private void take(Queue<Asked> all) {
    long now = PeerStreams.now();
    for (Asked each = all.poll(); each != null; each = all.poll()) {
      OptionalLong number =
          inFlight.begin(
              each.question.body().length + each.question.fields().length, now, each.outcome);
      if (number.isPresent()) {
        unsent.add(new Unsent(Message.of(number.getAsLong(), each.question), each.digest));
      } else {
        streams.counts.crowded.increment();
        each.outcome.accept(new Outcome.Crowded());
      }
    }
    time(now);
    pump();
  }

  private void pump() {
    if (line == null) {
      if (!unsent.isEmpty() && !isOpening) {
        open();
      }
      return;
    }
    if (!hasBegun) {
      return;
    }
    while (!unsent.isEmpty() && !line.isFull()) {
      Unsent next = unsent.remove();
      if (inFlight.waits(next.message.number())) {
        line.write(next.message, next.digest);
      }
    }
    line.flush();
  }

  // --- the connection ---

  private void open() {
    isOpening = true;
    RANDOM.nextBytes(nonce);
    streams
        .http
        .to(gateway, HttpMethod.GET, StreamRoute.PATH, streams.limits.timeoutMillis())
        .header(StreamRoute.NONCE, HexFormat.of().formatHex(nonce))
        .upgrade(StreamRoute.PROTOCOL)
        .onComplete(
            opened ->
                loop.runOnContext(
                    none -> {
                      isOpening = false;
                      if (opened.succeeded()) {
                        opened(opened.result());
                      } else {
                        LOG.debug("no stream to {}", gateway, opened.cause());
                        ended(End.NOT_OPENED, String.valueOf(opened.cause().getMessage()));
                      }
                    }));
  }

  private void opened(NetSocket socket) {
    streams.counts.open.increment();
    line = new Line(streams.vertx, loop, streams.key, true, socket, this);
    line.begin(nonce);
  }

  @Override
  public void begun(byte[] theirs) {
    hasBegun = true;
    heardAt = PeerStreams.now();
    loop.runOnContext(none -> pump());
  }

  @Override
  public void received(Message message) {
    heardAt = PeerStreams.now();
    if (message.kind() == Message.ANSWER) {
      inFlight
          .end(message.number())
          .ifPresent(outcome -> outcome.accept(new Outcome.Answered(message.body())));
    }
  }

  @Override
  public void drained() {
    pump();
  }

  @Override
  public void closed(End end, String why) {
    streams.counts.open.decrement();
    if (end != End.CLOSED && streams.due.isDue(gateway + " " + end, System.currentTimeMillis())) {
      LOG.warn("the stream to {} ended: {}", gateway, why);
    } else {
      LOG.debug("the stream to {} ended: {}", gateway, why);
    }
    ended(end, why);
  }

  private void ended(End end, String why) {
    streams.counts.ended(end);
    line = null;
    hasBegun = false;
    unsent.clear();
    streams.ended(this);
    inFlight.endAll().forEach(outcome -> outcome.accept(new Outcome.Failed(why)));
  }

  void close() {
    loop.runOnContext(
        none -> {
          if (line != null) {
            line.close(End.CLOSED, "this gateway stops");
          }
        });
  }

  // --- time ---

  private void time(long now) {
    OptionalLong deadline = inFlight.deadline();
    if (!isTimed && deadline.isPresent()) {
      isTimed = true;
      streams.vertx.setTimer(
          Math.max(1, deadline.getAsLong() - now), id -> loop.runOnContext(none -> timePassed()));
    }
  }

  private void timePassed() {
    isTimed = false;
    long now = PeerStreams.now();
    InFlight.Late late = inFlight.endLate(now);
    List<Consumer<Outcome>> outcomes = late.outcomes();
    streams.counts.unanswered.add(outcomes.size());
    String why = "no response within " + streams.limits.timeoutMillis() + " ms";
    outcomes.forEach(outcome -> outcome.accept(new Outcome.Failed(why)));
    if (!outcomes.isEmpty() && line != null && heardAt <= late.firstAt()) {
      line.close(End.SILENT, why);
    }
    time(now);
  }
}
