package io.fleetgauge.runtime.http;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.ext.web.client.impl.ClientPhase;
import io.vertx.ext.web.client.impl.HttpContext;
import io.vertx.ext.web.codec.BodyCodec;
import io.vertx.ext.web.codec.spi.BodyStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.Optional;

/**
 * The body of one answer, up to a limit. The web client has neither a limit nor a way to give a
 * request up: {@link #follow} shows this class the request, which it resets.
 */
final class AnswerBody implements BodyCodec<Buffer>, BodyStream<Buffer> {
  private static final int OK = 200;

  private final URI target;
  private final int limit;
  private final Optional<OutputStream> sink;
  private final Promise<Buffer> whole = Promise.promise();
  private final Buffer bytes = Buffer.buffer();
  private HttpClientRequest request;
  private boolean isGivenUp;
  private int status;

  AnswerBody(URI target, int limit, Optional<OutputStream> sink) {
    this.target = target;
    this.limit = limit;
    this.sink = sink;
  }

  /** An interceptor of a web client. */
  static void follow(HttpContext<?> context) {
    if (context.request().bodyCodec() instanceof AnswerBody body) {
      if (context.phase() == ClientPhase.SEND_REQUEST) {
        body.begin(context.clientRequest());
      } else if (context.phase() == ClientPhase.RECEIVE_RESPONSE) {
        body.status = context.clientResponse().statusCode();
      }
    }
    context.next();
  }

  private synchronized void begin(HttpClientRequest sent) {
    request = sent;
    if (isGivenUp) {
      sent.reset();
    }
  }

  /** Ends the request, with its connection. */
  synchronized void giveUp() {
    isGivenUp = true;
    if (request != null) {
      request.reset();
    }
  }

  @Override
  public BodyStream<Buffer> stream() {
    return this;
  }

  @Override
  public Future<Buffer> result() {
    return whole.future();
  }

  @Override
  public Future<Void> write(Buffer some) {
    if (status == OK && sink.isPresent()) {
      try {
        sink.get().write(some.getBytes());
        sink.get().flush();
        return Future.succeededFuture();
      } catch (IOException e) {
        return Future.failedFuture(e);
      }
    }
    if (bytes.length() + some.length() > limit) {
      return Future.failedFuture(HttpFailure.tooLong(target, status, limit));
    }
    bytes.appendBuffer(some);
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> end() {
    whole.tryComplete(bytes);
    return Future.succeededFuture();
  }

  @Override
  public boolean writeQueueFull() {
    return false;
  }

  @Override
  public AnswerBody setWriteQueueMaxSize(int size) {
    return this;
  }

  @Override
  public AnswerBody drainHandler(Handler<Void> handler) {
    return this;
  }

  @Override
  public AnswerBody exceptionHandler(Handler<Throwable> handler) {
    return this;
  }

  @Override
  public void handle(Throwable failure) {
    whole.tryFail(failure);
  }
}
