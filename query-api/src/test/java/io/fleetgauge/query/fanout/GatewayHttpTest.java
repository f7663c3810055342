package io.fleetgauge.query.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.HostsQuestion;
import io.fleetgauge.promql.fragment.LabelNamesQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Strings;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One request to one gateway. */
@ExtendWith(VertxExtension.class)
class GatewayHttpTest {
  private static final long MILLIS = 10_000;
  private static final Load HEAVY = new Load("a", 1, 4_000_000);
  private static final Question<?> HOSTS = new HostsQuestion(List.of());
  private static final Question<?> NAMES =
      new LabelNamesQuestion(new SeriesSearch(0, 1, 0, List.of()));
  private static final FragmentAnswer NO_HOSTS =
      new FragmentAnswer(1, List.of("n1"), new HostsQuestion.Answer(List.of()));
  private static final FragmentAnswer STRINGS =
      new FragmentAnswer(1, List.of("n1"), new Strings(List.of("a")));

  private final List<HttpServerRequest> requests = new CopyOnWriteArrayList<>();
  private volatile Handler<HttpServerRequest> gateway = answering(NO_HOSTS, HOSTS);
  private Vertx vertx;
  private GatewayHttp http;
  private URI address;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    this.vertx = vertx;
    int port =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  requests.add(request);
                  request.exceptionHandler(broken -> {});
                  gateway.handle(request);
                })
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    address = URI.create("http://127.0.0.1:" + port);
    http =
        new GatewayHttp(
            new OutgoingHttp(
                vertx,
                TrustSettings.NONE,
                RequestSigner.NONE,
                new HttpClients.Limits(2_000, 1, 1, 9)),
            vertx.createSharedWorkerExecutor("light", 1),
            vertx.createSharedWorkerExecutor("heavy", 1));
  }

  private static Handler<HttpServerRequest> answering(FragmentAnswer answer, Question<?> question) {
    return request -> request.response().end(Buffer.buffer(FragmentCodec.encode(answer, question)));
  }

  private GatewayHttp.Call begin(Question<?> question) {
    Fragment fragment = new Fragment(Load.OWN, 1, List.of("n1"), question);
    return http.ask(address, fragment, Span.NONE, MILLIS);
  }

  private GatewayHttp.Answer ask(Question<?> question) throws TimeoutException {
    return begin(question).answer().await(120, TimeUnit.SECONDS);
  }

  @Test
  void anAnswerOfAnotherKindThanTheQuestionIsNotTaken() {
    gateway = answering(NO_HOSTS, HOSTS);
    assertThatThrownBy(() -> ask(NAMES))
        .hasMessageContaining("the result is of the kind 9, the request 2");
  }

  @Test
  void anAnswerComesWithTheSizeThatItHadOnTheWire() throws Exception {
    gateway = answering(STRINGS, NAMES);
    assertThat(ask(NAMES))
        .isEqualTo(new GatewayHttp.Answer(STRINGS, FragmentCodec.encode(STRINGS, NAMES).length));
  }

  @Test
  void whatEveryGatewayWouldRefuseIsAFailureOfTheQuery() {
    gateway = request -> request.response().setStatusCode(422).end("over the budget");
    assertThatThrownBy(() -> ask(HOSTS))
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.EXECUTION))
        .hasMessage("over the budget");
  }

  @Test
  void aFailureOfOneGatewayIsNamedWithItsStatus() {
    gateway = request -> request.response().setStatusCode(503).end("short of memory");
    assertThatThrownBy(() -> ask(HOSTS))
        .isNotInstanceOf(QueryFailure.class)
        .hasMessageContaining("status 503: short of memory");
  }

  @Test
  void bytesThatAreNoAnswerAreAFailure() {
    gateway = request -> request.response().end("no answer");
    assertThatThrownBy(() -> ask(HOSTS)).isNotInstanceOf(QueryFailure.class);
  }

  @Test
  void aCallThatIsCancelledBeforeItIsSentNeverIs() throws Exception {
    Promise<GatewayHttp.Answer> cancelled = Promise.promise();
    vertx.runOnContext(
        none -> {
          GatewayHttp.Call call = begin(HOSTS);
          call.cancel();
          call.answer().onComplete(cancelled);
        });
    assertThatThrownBy(() -> cancelled.future().await(120, TimeUnit.SECONDS))
        .hasMessageContaining("the request was canceled");
    ask(HOSTS);
    assertThat(requests).hasSize(1);
  }

  @Test
  void aCallThatIsCancelledWhileTheGatewayWorksEndsItsRequest() {
    Promise<Void> ended = Promise.promise();
    gateway = request -> request.response().closeHandler(closed -> ended.tryComplete());
    GatewayHttp.Call call = begin(HOSTS);
    Awaitility.await().until(() -> requests.size() == 1);
    call.cancel();
    assertThatThrownBy(() -> call.answer().await(120, TimeUnit.SECONDS));
    Awaitility.await().until(() -> ended.future().isComplete());
  }

  @Test
  void aCallThatIsCancelledAfterItsAnswerLeavesTheNextOneOfItsConnectionAlone() throws Exception {
    GatewayHttp.Call first = begin(HOSTS);
    first.answer().await(120, TimeUnit.SECONDS);
    gateway = request -> {};
    Future<GatewayHttp.Answer> second = begin(HOSTS).answer();
    Awaitility.await().until(() -> requests.size() == 2);
    first.cancel();
    HttpServerRequest waiting = requests.getLast();
    assertThat(waiting.connection()).isSameAs(requests.getFirst().connection());
    vertx.runOnContext(none -> answering(NO_HOSTS, HOSTS).handle(waiting));
    assertThat(second.await(120, TimeUnit.SECONDS).answer()).isEqualTo(NO_HOSTS);
  }

  @Test
  void aSmallAnswerIsWorkedOnAtOnceAndALargeOneByAWorkerOfItsLoad() throws Exception {
    Callable<String> thread = () -> Thread.currentThread().getName();
    for (Load load : List.of(Load.OWN, HEAVY)) {
      assertThat(http.soon(load, 256 << 10, thread).result()).isEqualTo(thread.call());
    }
    assertThat(http.soon(Load.OWN, (256 << 10) + 1, thread).await(120, TimeUnit.SECONDS))
        .startsWith("light");
    assertThat(http.soon(HEAVY, (256 << 10) + 1, thread).await(120, TimeUnit.SECONDS))
        .startsWith("heavy");
  }

  @Test
  void workThatFailsIsAFailureWhereverItIsDone() {
    for (long bytes : List.of(1L, 1L << 20)) {
      Future<Void> failing =
          http.soon(
              Load.OWN,
              bytes,
              () -> {
                throw new IllegalStateException("broken");
              });
      assertThatThrownBy(() -> failing.await(120, TimeUnit.SECONDS)).hasMessage("broken");
    }
  }
}
