package io.fleetgauge.gateway.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.ownership.OwnershipMeters;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fair.YieldToLightQueries;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.FragmentProtocol;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.SamplesQuestion;
import io.fleetgauge.promql.plan.PartText;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.frame.HostLabels;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.SecurityPolicyHandler;
import io.vertx.junit5.Timeout;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
@Timeout(120_000)
class FragmentRouteTest {
  private static final List<String> HOSTS = List.of("n1");
  private static final Load HEAVY = new Load("red", 1, 1L << 40);
  private static final ClusterView VIEW =
      new ClusterView(OwnershipTable.ofOwners(3, Map.of("n1", "g1")), Map.of(), false);

  @TempDir private Path folder;
  private final FragmentCounts counts = new FragmentCounts();
  private final CountDownLatch held = new CountDownLatch(1);
  private final AtomicInteger looks = new AtomicInteger();
  private volatile boolean isHeld;
  private volatile Runnable onLeft = () -> {};
  private volatile Span span = Span.NONE;
  private boolean isMemoryShort;
  private boolean isAllowed = true;
  private HostWriter writer;
  private HttpServer server;
  private Vertx vertx;

  // Referred to until the test ends: a client that is collected closes its connections.
  private HttpClient client;

  private record Response(int status, String retryAfter, Buffer body) {}

  @BeforeEach
  void serve(Vertx started, VertxTestContext test) {
    vertx = started;
    client = vertx.createHttpClient();
    writer = new HostWriter(folder, "n1");
    for (int tick = 0; tick < 10; tick++) {
      writer.send(tick * 1_000L, writer.series("up"), tick);
    }
    FragmentRunner runner =
        new FragmentRunner(
            writer.store(),
            new HostLabels(List.of("Hostname")),
            new Ownership("g1"),
            this::view,
            (host, since) -> false,
            () -> true,
            tenants -> Map.of());
    Meters meters = new Meters("fleetgauge_gateway");
    counts.declare(meters, runner::caches);
    writer.store().counts().declare(meters, writer.store());
    OwnershipMeters.declare(meters, () -> VIEW, Map::of, "g1");
    HttpListener.Readiness readiness = new HttpListener.Readiness();
    Router router = HttpListener.router(vertx, readiness, meters, () -> "", RoutingContext::next);
    FragmentRoute route =
        new FragmentRoute(vertx, runner, 2, counts, () -> isMemoryShort, new OneSpan());
    route.declare(meters);
    route.mount(
        router,
        (SecurityPolicyHandler)
            http -> {
              Runnable left = onLeft;
              // Later than what the route is told of it; no handler of its response is replaced.
              http.request()
                  .connection()
                  .closeHandler(closed -> http.vertx().runOnContext(none -> left.run()));
              if (isAllowed) {
                http.next();
              } else {
                http.response().setStatusCode(401).end();
              }
            });
    vertx
        .createHttpServer()
        .requestHandler(router)
        .listen(0, "127.0.0.1")
        .onComplete(
            test.succeeding(
                listening -> {
                  server = listening;
                  test.completeNow();
                }));
  }

  /** Every request has the same span. */
  private final class OneSpan implements Tracer {
    @Override
    public Span serve(String name, String header) {
      return span;
    }

    @Override
    public void declare(Meters meters) {}

    @Override
    public void close() {}
  }

  /** Recorded, as with a collector. */
  private static final class Recorded implements Span {
    final AtomicInteger ends = new AtomicInteger();

    @Override
    public boolean isRecorded() {
      return true;
    }

    @Override
    public Span child(String name) {
      return Span.NONE;
    }

    @Override
    public Span call(String name) {
      return Span.NONE;
    }

    @Override
    public Span with(String attribute, String value) {
      return this;
    }

    @Override
    public Span with(String attribute, long value) {
      return this;
    }

    @Override
    public void failed(String why) {}

    @Override
    public String header() {
      return "";
    }

    @Override
    public void end() {
      ends.incrementAndGet();
    }
  }

  @AfterEach
  void release() {
    held.countDown();
  }

  /** Each fragment looks at the table when it is executed. */
  private ClusterView view() {
    if (isHeld) {
      looks.incrementAndGet();
      try {
        held.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return VIEW;
  }

  /** Sends a fragment whose answer comes later. */
  private Future<Response> send(Load load, Question<?> question) {
    return sent(load, question)
        .compose(request -> request.response().compose(FragmentRouteTest::whole));
  }

  private Future<HttpClientRequest> sent(Load load, Question<?> question) {
    return client
        .request(HttpMethod.POST, server.actualPort(), "127.0.0.1", FragmentProtocol.PATH)
        .compose(
            request ->
                request
                    .putHeader(Span.HEADER, "00-1-1-01")
                    .end(Buffer.buffer(encoded(load, question)))
                    .map(request));
  }

  private Response request(HttpMethod method, String path, byte[] body) throws Exception {
    return client
        .request(method, server.actualPort(), "127.0.0.1", path)
        .compose(request -> request.send(Buffer.buffer(body)).compose(FragmentRouteTest::whole))
        .await(120, TimeUnit.SECONDS);
  }

  private static Future<Response> whole(HttpClientResponse response) {
    return response
        .body()
        .map(
            bytes -> new Response(response.statusCode(), response.getHeader("Retry-After"), bytes));
  }

  private Response post(byte[] body) throws Exception {
    return request(HttpMethod.POST, FragmentProtocol.PATH, body);
  }

  private static byte[] encoded(Load load, Question<?> question) {
    return FragmentCodec.encode(new Fragment(load, 3, HOSTS, question));
  }

  private Response post(Question<?> question) throws Exception {
    return post(Load.OWN, question);
  }

  private Response post(Load load, Question<?> question) throws Exception {
    return post(encoded(load, question));
  }

  private static SamplesQuestion samples(long budget) throws Exception {
    return new SamplesQuestion(
        budget, List.of(new Selection(Parser.parseSelector("up"), -1, 100_000)));
  }

  private String metrics() throws Exception {
    return request(HttpMethod.GET, "/metrics", new byte[0]).body.toString();
  }

  @Test
  void lightAndHeavyFragmentsGetTheSameAnswer() throws Exception {
    Response light = post(samples(100));
    Response heavy = post(HEAVY, samples(100));
    assertThat(light.status).isEqualTo(200);
    assertThat(heavy.status).isEqualTo(200);
    assertThat(light.body).isEqualTo(heavy.body);
    FragmentAnswer answer = FragmentCodec.decode(light.body.getBytes(), samples(100));
    assertThat(answer.covered()).containsExactly("n1");
    assertThat(((SamplesQuestion.Answer) answer.result()).series().getFirst().getFirst().size())
        .isEqualTo(10);
    assertThat(metrics()).contains("fleetgauge_gateway_fragments_total 2.0");
  }

  @Test
  void moreSamplesThanTheBudgetGet422WithTheLimit() throws Exception {
    Response response = post(samples(9));
    assertThat(response.status).isEqualTo(422);
    assertThat(response.body.toString())
        .contains("query processing would load too many samples into memory")
        .endsWith("9");
  }

  @Test
  void bytesThatAreNoFragmentGet400() throws Exception {
    assertThat(post(new byte[] {99, 1, 2}).status).isEqualTo(400);
    assertThat(post(new byte[0]).status).isEqualTo(400);
  }

  @Test
  void whenMemoryIsShortQueriesGet503AndChangesAreAnsweredAllTheSame() throws Exception {
    isMemoryShort = true;
    Response response = post(samples(100));
    assertThat(response.status).isEqualTo(503);
    assertThat(response.retryAfter).isEqualTo("2");
    assertThat(response.body.toString()).contains("memory is low");
    ChangesQuestion question = new ChangesQuestion(ChangesQuestion.Since.START);
    Response changes = post(question);
    assertThat(changes.status).isEqualTo(200);
    assertThat(FragmentCodec.decode(changes.body.getBytes(), question).result())
        .isInstanceOf(ChangesQuestion.Answer.class);
    assertThat(metrics())
        .contains("fleetgauge_gateway_fragments_shed_total 1.0")
        .contains("fleetgauge_gateway_fragments_total 0.0");
  }

  @Test
  void aFragmentWhoseTimeIsOverGets503AndIsCounted() throws Exception {
    PartsQuestion late = sum(new Grid(5_000, 1, 5_000), 0);
    Response response = post(late);
    assertThat(response.status).isEqualTo(503);
    assertThat(response.body.toString()).isEqualTo("the timeout of 0 ms is over");
    assertThat(metrics()).contains("fleetgauge_gateway_fragments_stopped_total 1.0");
  }

  /** Of a cancelled query; with a collector of traces and without. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFragmentWhoseQueryApiHasLeftIsNotExecuted(boolean isTraced) throws Exception {
    isHeld = true;
    Future<Response> first = send(HEAVY, samples(100));
    await().until(() -> looks.get() > 0);
    Recorded recorded = new Recorded();
    span = isTraced ? recorded : Span.NONE;
    CountDownLatch left = new CountDownLatch(1);
    onLeft = left::countDown;
    HttpClientRequest second = sent(HEAVY, samples(100)).await(120, TimeUnit.SECONDS);
    await().until(() -> metrics().contains("fleetgauge_gateway_fragments_waiting 1.0"));
    second.reset();
    assertThat(left.await(120, TimeUnit.SECONDS)).isTrue();
    held.countDown();
    assertThat(first.await(120, TimeUnit.SECONDS).status).isEqualTo(200);
    await().until(() -> metrics().contains("fleetgauge_gateway_fragments_stopped_total 1.0"));
    assertThat(recorded.ends).as("its part of the trace is over").hasValue(isTraced ? 1 : 0);
  }

  /** So many selections that a heavy fragment is busy for a while. */
  private static SamplesQuestion many() throws Exception {
    Selection newest = new Selection(Parser.parseSelector("up"), 8_000, 9_000);
    return new SamplesQuestion(1L << 40, Collections.nCopies(40_000, newest));
  }

  private static PartsQuestion sum(Grid grid, long timeoutMillis) {
    return new PartsQuestion(
        5_000,
        5_000,
        0,
        Query.Settings.STOCK.withMaxSamples(100),
        timeoutMillis,
        List.of(new PartsQuestion.Part(new PartText("sum(up)", List.of()), grid, true, false)),
        Optional.empty());
  }

  /** Whether a heavy fragment lets light ones go before. */
  private static boolean isAnyPausing() {
    return Thread.getAllStackTraces().values().stream()
        .map(stack -> Arrays.stream(stack).map(StackTraceElement::getClassName).toList())
        .anyMatch(
            classes ->
                classes.contains(LockSupport.class.getName())
                    && classes.contains(YieldToLightQueries.class.getName()));
  }

  @Test
  void aHeavyFragmentPausesWhileALightOneIsExecutedAndNotAfterIt() throws Exception {
    for (Question<?> light : List.of(samples(100), sum(new Grid(5_000, 1, 5_000), 60_000))) {
      assertThat(post(light).status).isEqualTo(200);
      assertThat(post(light).status).as("when it is known").isEqualTo(200);
    }
    Future<Response> alone = send(HEAVY, many());
    while (!alone.isComplete()) {
      assertThat(isAnyPausing()).isFalse();
    }
    assertThat(alone.result().status).isEqualTo(200);
    isHeld = true;
    Future<Response> light = send(Load.OWN, samples(100));
    await().until(() -> looks.get() > 0);
    isHeld = false;
    Future<Response> beside = send(HEAVY, many());
    await().pollInterval(Duration.ofMillis(1)).until(() -> isAnyPausing());
    held.countDown();
    assertThat(light.await(120, TimeUnit.SECONDS).status).isEqualTo(200);
    assertThat(beside.await(120, TimeUnit.SECONDS).status).isEqualTo(200);
  }

  @Test
  void whoeverIsNotAuthenticatedGetsNothing() throws Exception {
    isAllowed = false;
    Response response = post(samples(100));
    assertThat(response.status).isEqualTo(401);
    assertThat(response.body == null || response.body.length() == 0).isTrue();
  }

  @Test
  void theMetricsOfStoreTableAndCachesAreThere() throws Exception {
    post(samples(100));
    assertThat(metrics())
        .contains("fleetgauge_gateway_samples_total{outcome=\"stored\"} 10.0")
        .contains("fleetgauge_gateway_samples_total{outcome=\"over_limit\"} 0.0")
        .contains("fleetgauge_gateway_late_samples_total 0.0")
        .contains("fleetgauge_gateway_series 1.0")
        .contains("fleetgauge_gateway_stored_hosts 1.0")
        .contains("fleetgauge_gateway_blocks 0.0")
        .contains("fleetgauge_gateway_block_bytes 0.0")
        .contains("fleetgauge_gateway_damaged_blocks_total 0.0")
        .contains("fleetgauge_gateway_owned_hosts 1.0")
        .contains("fleetgauge_gateway_copied_hosts 0.0")
        .contains("fleetgauge_gateway_moving_hosts 0.0")
        .contains("fleetgauge_gateway_table_epoch 3.0")
        .contains("fleetgauge_gateway_cache_limit{cache=\"block_pages\"}")
        .contains("fleetgauge_gateway_cache_limit{cache=\"combined_pages\"}")
        .contains("fleetgauge_gateway_cache_hits_total{cache=\"combined_pages\"} 0.0")
        .contains("fleetgauge_gateway_cache_misses_total{cache=\"block_pages\"} 0.0")
        .contains("fleetgauge_gateway_cache_evictions_total{cache=\"block_pages\"} 0.0")
        .contains("fleetgauge_gateway_cache_used_ratio{cache=\"expressions\"} 0.0");
  }
}
