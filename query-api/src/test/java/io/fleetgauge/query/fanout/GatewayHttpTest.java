package io.fleetgauge.query.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentProtocol;
import io.fleetgauge.promql.fragment.FragmentRequest;
import io.fleetgauge.promql.fragment.form.FragmentCodec;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.NameEscaping;
import io.fleetgauge.sample.vocabulary.Aliases;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One request to one gateway. */
@ExtendWith(VertxExtension.class)
class GatewayHttpTest {
  private static final long MILLIS = 10_000;
  private static final Load HEAVY = new Load("a", 1, 4_000_000);
  private static final Fragment HOSTS = new Fragment.Hosts(1, List.of("n1"), List.of());
  private static final FragmentAnswer NO_HOSTS =
      new FragmentAnswer.Hosts(1, List.of("n1"), List.of());
  private static final FragmentAnswer STRINGS =
      new FragmentAnswer.Strings(1, List.of("n1"), List.of("a"));

  private final List<HttpServerRequest> requests = new CopyOnWriteArrayList<>();
  private volatile Handler<HttpServerRequest> gateway = answering(NO_HOSTS);
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
                new OutgoingHttp.Limits(2_000, 1, 1, 9)),
            vertx.createSharedWorkerExecutor("light", 1),
            vertx.createSharedWorkerExecutor("heavy", 1));
  }

  private static Handler<HttpServerRequest> answering(FragmentAnswer answer) {
    return request -> request.response().end(Buffer.buffer(FragmentCodec.encode(answer)));
  }

  private GatewayHttp.Call begin(Fragment fragment) {
    return http.ask(address, new FragmentRequest(Load.OWN, fragment), Span.NONE, MILLIS);
  }

  private GatewayHttp.Answer ask(Fragment fragment) throws TimeoutException {
    return begin(fragment).answer().await(120, TimeUnit.SECONDS);
  }

  private static Fragment.Parts parts() throws Exception {
    Query query =
        new Query(
            "up", Parser.parse("up", ParseOptions.STOCK), 1_000, 1_000, 0, Query.Settings.STOCK);
    return new Fragment.Parts(1, List.of("n1"), query.unparsed(), List.of(), 1_000, List.of());
  }

  static Stream<Fragment> fragments() throws Exception {
    List<String> hosts = List.of("n1");
    Fragment.Search search = new Fragment.Search(0, 1_000, 0, List.of());
    List<Selection> selections =
        List.of(
            new Selection(List.of(Matcher.of(Matcher.Kind.EQUAL, Labels.NAME, "up")), 0, 1_000));
    return Stream.of(
        new Fragment.Samples(1, hosts, 10, selections),
        new Fragment.LabelNames(1, hosts, search),
        new Fragment.LabelValues(1, hosts, "rack", search),
        new Fragment.LabelSets(1, hosts, search),
        new Fragment.Owners(1, hosts, search),
        parts(),
        new Fragment.Extent(1, hosts, selections),
        new Fragment.Metadata(1, hosts, List.of()),
        new Fragment.Newest(
            1, hosts, List.of(), 0, 1_000, NameEscaping.ALLOW_UTF_8, false, 10, 1_000),
        new Fragment.Reduced(1, hosts, List.of(), List.of(), 0, 1_000),
        HOSTS,
        new Fragment.Changes(1, hosts, new Fragment.Since(1, 1)));
  }

  @ParameterizedTest
  @MethodSource("fragments")
  void anAnswerOfAnotherKindThanTheFragmentIsNotTaken(Fragment fragment) {
    gateway = answering(fragment instanceof Fragment.Hosts ? STRINGS : NO_HOSTS);
    assertThatThrownBy(() -> ask(fragment))
        .hasMessageContaining("the answer is of another kind than the fragment");
  }

  @Test
  void aGatewayMayAnswerThatItCannotGuaranteeAPart() throws Exception {
    FragmentAnswer unfit = new FragmentAnswer.Unfit(1, List.of("n1"), "there are histograms");
    gateway = answering(unfit);
    assertThat(ask(parts()).answer()).isEqualTo(unfit);
  }

  @Test
  void anAnswerComesWithTheSizeThatItHadOnTheWire() throws Exception {
    gateway = answering(STRINGS);
    Fragment names = new Fragment.LabelNames(1, List.of(), new Fragment.Search(0, 1, 0, List.of()));
    assertThat(ask(names))
        .isEqualTo(new GatewayHttp.Answer(STRINGS, FragmentCodec.encode(STRINGS).length));
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
    vertx.runOnContext(none -> answering(NO_HOSTS).handle(waiting));
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

  /** As a gateway of the release before: it knows one version, and states none. */
  private Handler<HttpServerRequest> ofTheReleaseBefore(List<Integer> askedIn) {
    return request ->
        request.bodyHandler(
            body -> {
              int version = FragmentCodec.version(body.getBytes());
              askedIn.add(version);
              if (version == FragmentCodec.OLDEST) {
                request
                    .response()
                    .end(Buffer.buffer(FragmentCodec.encode(NO_HOSTS, FragmentCodec.OLDEST)));
              } else {
                request
                    .response()
                    .setStatusCode(400)
                    .end("the bytes begin with 70, 81, 7; expected 'F', 'Q' and version 6");
              }
            });
  }

  @Test
  void aGatewayOfTheReleaseBeforeIsAskedInItsVersionAndNoQueryFails() throws Exception {
    List<Integer> askedIn = new CopyOnWriteArrayList<>();
    gateway = ofTheReleaseBefore(askedIn);
    assertThat(ask(HOSTS).answer()).isEqualTo(NO_HOSTS);
    assertThat(ask(HOSTS).answer()).isEqualTo(NO_HOSTS);
    int newest = FragmentCodec.newest();
    assertThat(askedIn).containsExactly(newest, FragmentCodec.OLDEST, FragmentCodec.OLDEST);
  }

  @Test
  void aGatewayThatIsUpdatedIsAskedInTheNewestVersionThatBothKnow() throws Exception {
    List<Integer> askedIn = new CopyOnWriteArrayList<>();
    gateway = ofTheReleaseBefore(askedIn);
    ask(HOSTS);
    gateway =
        request ->
            request.bodyHandler(
                body -> {
                  int version = FragmentCodec.version(body.getBytes());
                  askedIn.add(version);
                  request
                      .response()
                      .putHeader(FragmentProtocol.NEWEST, "9")
                      .end(Buffer.buffer(FragmentCodec.encode(NO_HOSTS, version)));
                });
    assertThat(ask(HOSTS).answer()).isEqualTo(NO_HOSTS);
    assertThat(ask(HOSTS).answer()).isEqualTo(NO_HOSTS);
    assertThat(askedIn.getLast()).isEqualTo(FragmentCodec.newest());
    assertThat(askedIn.get(askedIn.size() - 2)).isEqualTo(FragmentCodec.OLDEST);
  }

  @Test
  void whatAnOlderVersionCannotExpressIsUnfitThereSoThatSamplesAreAskedFor() throws Exception {
    gateway = ofTheReleaseBefore(new CopyOnWriteArrayList<>());
    Fragment.Parts plain = parts();
    Fragment.Parts aliased =
        new Fragment.Parts(
            plain.epoch(),
            plain.hosts(),
            plain.query(),
            plain.scope(),
            new Aliases(Map.of(), Map.of("hostname", "Hostname")),
            plain.timeoutMillis(),
            plain.parts(),
            plain.since());
    for (int i = 0; i < 2; i++) {
      assertThat(ask(aliased).answer())
          .isInstanceOfSatisfying(
              FragmentAnswer.Unfit.class,
              unfit -> assertThat(unfit.reason()).contains("version 6", "no aliases"));
    }
  }
}
