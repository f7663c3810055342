package io.fleetgauge.query.fanout;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentProtocol;
import io.fleetgauge.promql.fragment.FragmentRequest;
import io.fleetgauge.promql.fragment.form.FragmentCodec;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.http.OutgoingRequest;
import io.fleetgauge.runtime.trace.Span;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.util.concurrent.Callable;

/** Sends fragments to gateways over HTTP and decodes their answers. Thread-safe. */
final class GatewayHttp {
  /** A body of this size is decoded faster than another thread wakes up. */
  private static final long SMALL_BYTES = 256 << 10;

  private static final int OK = 200;

  private final OutgoingHttp http;
  private final WorkerExecutor light;
  private final WorkerExecutor heavy;
  private final FragmentVersions versions = new FragmentVersions();

  /**
   * @param light where large answers of light queries are decoded and merged
   * @param heavy where those of heavy queries are
   */
  GatewayHttp(OutgoingHttp http, WorkerExecutor light, WorkerExecutor heavy) {
    this.http = http;
    this.light = light;
    this.heavy = heavy;
  }

  /**
   * A gateway's answer.
   *
   * @param bytes its size when it was encoded
   */
  record Answer(FragmentAnswer answer, long bytes) {}

  /** A request to a gateway. */
  static final class Call {
    private final Future<Answer> answer;
    private final Sending sending;

    private Call(Future<Answer> answer, Sending sending) {
      this.answer = answer;
      this.sending = sending;
    }

    /**
     * Fails with a {@link QueryFailure} when every gateway would refuse the fragment alike, else
     * with why this one did not answer.
     */
    Future<Answer> answer() {
      return answer;
    }

    void cancel() {
      sending.cancel();
    }
  }

  /** Ends a request early. Once its response has come, the connection serves another request. */
  private static final class Sending {
    private HttpClientRequest request;
    private boolean cancelled;

    synchronized boolean begin(HttpClientRequest begun) {
      request = cancelled ? null : begun;
      return !cancelled;
    }

    synchronized void end() {
      request = null;
    }

    void cancel() {
      HttpClientRequest begun;
      synchronized (this) {
        cancelled = true;
        begun = request;
        request = null;
      }
      if (begun != null) {
        begun.reset();
      }
    }
  }

  /**
   * @param span what the request belongs to
   * @param timeoutMillis above 0
   */
  Call ask(URI gateway, FragmentRequest asked, Span span, long timeoutMillis) {
    Sending sending = new Sending();
    int version = versions.of(gateway);
    if (!FragmentCodec.fits(asked, version)) {
      return new Call(Future.succeededFuture(new Answer(unfit(asked, version), 0)), sending);
    }
    Future<Answer> answer =
        send(gateway, asked, version, span, timeoutMillis, sending)
            .compose(
                refused -> {
                  int lower = versions.answered(gateway, version, refused);
                  if (lower == version) {
                    return Future.succeededFuture(refused);
                  }
                  return FragmentCodec.fits(asked, lower)
                      ? send(gateway, asked, lower, span, timeoutMillis, sending)
                      : Future.succeededFuture(
                          new OutgoingRequest.Answer(
                              OK,
                              refused.headers(),
                              Buffer.buffer(FragmentCodec.encode(unfit(asked, lower)))));
                })
            .compose(GatewayHttp::body)
            .onComplete(ended -> sending.end())
            .compose(
                body ->
                    soon(
                        asked.load(),
                        body.length(),
                        () ->
                            new Answer(
                                fitting(
                                    asked.fragment(), FragmentCodec.decodeAnswer(body.getBytes())),
                                body.length())));
    return new Call(answer, sending);
  }

  private Future<OutgoingRequest.Answer> send(
      URI gateway,
      FragmentRequest asked,
      int version,
      Span span,
      long timeoutMillis,
      Sending sending) {
    OutgoingRequest request =
        http.to(gateway, HttpMethod.POST, FragmentProtocol.PATH, timeoutMillis)
            .body(FragmentCodec.encode(asked, version));
    if (!span.header().isEmpty()) {
      request.header(Span.HEADER, span.header());
    }
    return request.send(sending::begin);
  }

  private static FragmentAnswer unfit(FragmentRequest asked, int version) {
    Fragment fragment = asked.fragment();
    return new FragmentAnswer.Unfit(
        fragment.epoch(),
        fragment.hosts(),
        "the gateway knows version "
            + version
            + " of fragments, which has no "
            + (fragment instanceof Fragment.Several ? "reads together" : "aliases"));
  }

  private static FragmentAnswer fitting(Fragment fragment, FragmentAnswer answer) {
    if (!isAnswerTo(fragment, answer)) {
      throw new IllegalArgumentException("the answer is of another kind than the fragment");
    }
    return answer;
  }

  private static boolean isAnswerTo(Fragment fragment, FragmentAnswer answer) {
    return switch (fragment) {
      case Fragment.Samples samples -> answer instanceof FragmentAnswer.Samples;
      case Fragment.LabelNames names -> answer instanceof FragmentAnswer.Strings;
      case Fragment.LabelValues values -> answer instanceof FragmentAnswer.Strings;
      case Fragment.LabelSets sets -> answer instanceof FragmentAnswer.LabelSets;
      case Fragment.Owners owners -> answer instanceof FragmentAnswer.Owners;
      case Fragment.Parts parts ->
          answer instanceof FragmentAnswer.Parts || answer instanceof FragmentAnswer.Unfit;
      case Fragment.Several several ->
          answer instanceof FragmentAnswer.Unfit
              || answer instanceof FragmentAnswer.Several all && areAnswersTo(several, all);
      case Fragment.Extent extent -> answer instanceof FragmentAnswer.Extent;
      case Fragment.Metadata metadata -> answer instanceof FragmentAnswer.Metadata;
      case Fragment.Newest newest -> answer instanceof FragmentAnswer.Newest;
      case Fragment.Reduced reduced -> answer instanceof FragmentAnswer.Reduced;
      case Fragment.Hosts hosts -> answer instanceof FragmentAnswer.Hosts;
      case Fragment.Changes changes -> answer instanceof FragmentAnswer.Changes;
    };
  }

  private static boolean areAnswersTo(Fragment.Several several, FragmentAnswer.Several answers) {
    if (several.fragments().size() != answers.answers().size()) {
      return false;
    }
    for (int i = 0; i < several.fragments().size(); i++) {
      FragmentAnswer answer = answers.answers().get(i);
      if (!(answer instanceof FragmentAnswer.Refused)
          && !isAnswerTo(several.fragments().get(i), answer)) {
        return false;
      }
    }
    return true;
  }

  private static Future<Buffer> body(OutgoingRequest.Answer answer) {
    return switch (answer.status()) {
      case OK -> Future.succeededFuture(answer.body());
      case 422 ->
          Future.failedFuture(
              new QueryFailure(QueryFailure.Kind.EXECUTION, answer.body().toString()));
      default -> Future.failedFuture("status " + answer.status() + ": " + answer.body());
    };
  }

  /**
   * Works on answers: at once when they are small, because another thread would take longer to wake
   * up, else on a worker.
   */
  <T> Future<T> soon(Load load, long bytes, Callable<T> work) {
    if (bytes > SMALL_BYTES) {
      return (load.isHeavy() ? heavy : light).executeBlocking(work, false);
    }
    try {
      return Future.succeededFuture(work.call());
    } catch (Exception e) {
      return Future.failedFuture(e);
    }
  }
}
