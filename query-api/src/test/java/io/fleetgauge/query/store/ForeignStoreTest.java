package io.fleetgauge.query.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.gpu.OwnerLabels;
import io.fleetgauge.sample.prometheus.RemoteRead;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.zip.CRC32C;
import java.util.zip.GZIPOutputStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.xerial.snappy.Snappy;

/** A store that answers what it likes. */
@ExtendWith(VertxExtension.class)
class ForeignStoreTest {
  private static final String CHUNKS =
      "application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse";
  private static final int MAX_BYTES = 1 << 20;
  private static final long MUCH = 1_000_000;
  private static final Labels RED = Labels.of("__name__", "up", "tenant", "red");
  private static final Labels BLUE = Labels.of("__name__", "up", "tenant", "blue");
  private static final List<Matcher> OF_RED =
      List.of(Matcher.equal("__name__", "up"), Matcher.equal("tenant", "red"));
  private static final Selection SELECTION = new Selection(OF_RED, 100, 200);

  private Vertx vertx;
  private ForeignStore store;
  private volatile Handler<HttpServerRequest> handler;

  @BeforeEach
  void start(Vertx ours) {
    vertx = ours;
  }

  @AfterEach
  void stop() {
    if (store != null) {
      store.close();
    }
  }

  private int server(Handler<HttpServerRequest> handling) throws Exception {
    return await(vertx.createHttpServer().requestHandler(handling).listen(0, "127.0.0.1"))
        .actualPort();
  }

  private ForeignStore store(SourceSettings.Kind kind, Duration timeout) throws Exception {
    int port = server(request -> handler.handle(request));
    SourceSettings settings =
        new SourceSettings(
            "old",
            URI.create("http://127.0.0.1:" + port + "/prefix"),
            kind,
            SourceSettings.Holds.OLDER,
            Map.of("X-Scope-OrgID", "fleet"),
            List.of(Matcher.of(Matcher.Kind.NOT_EQUAL, "replica", "b")),
            "Hostname",
            List.of("Hostname", "node", "instance"),
            true,
            OwnerLabels.KNOWN,
            false,
            Set.of("replica"),
            timeout,
            MAX_BYTES,
            1_000,
            AccessSettings.NONE);
    store = new ForeignStore(vertx, settings, vertx.createSharedWorkerExecutor("test"));
    return store;
  }

  private ForeignStore prometheus(BiConsumer<HttpServerRequest, byte[]> answering)
      throws Exception {
    handler =
        request -> request.body().onSuccess(body -> answering.accept(request, body.getBytes()));
    return store(SourceSettings.Kind.PROMETHEUS, Duration.ofMinutes(10));
  }

  private ForeignStore thanos(String body) throws Exception {
    handler =
        request ->
            request
                .body()
                .onSuccess(
                    none ->
                        request.response().putHeader("Content-Type", "application/json").end(body));
    return store(SourceSettings.Kind.THANOS, Duration.ofMinutes(10));
  }

  private static ReadOptions options() {
    return new ReadOptions(Load.OWN, 3_600_000, new Cancellation());
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(600, TimeUnit.SECONDS);
  }

  private static Buffer frames(Series... series) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (Series each : series) {
      RemoteRead.frames(each, 0, (bytes, length) -> out.write(bytes, 0, length));
    }
    return Buffer.buffer(out.toByteArray());
  }

  private static Series series(Labels labels, long... times) {
    double[] values = new double[times.length];
    for (int i = 0; i < times.length; i++) {
      values[i] = times[i];
    }
    return new Series(labels, times, values);
  }

  private ForeignStore.Found<List<List<Series>>> read() throws TimeoutException {
    return await(store.samples(List.of(SELECTION), MUCH, options()));
  }

  private AbstractThrowableAssert<?, ?> assertUnavailable() {
    return assertThatThrownBy(this::read)
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.UNAVAILABLE));
  }

  private void answersChunks(Buffer body) throws Exception {
    prometheus((request, none) -> request.response().putHeader("Content-Type", CHUNKS).end(body));
  }

  // --- what is sent ---

  @Test
  void everyMatcherIsSentWithThoseOfTheStoreAndItsHeaders() throws Exception {
    Promise<RemoteRead.Request> sent = Promise.promise();
    Promise<HttpServerRequest> head = Promise.promise();
    prometheus(
        (request, body) -> {
          try {
            sent.complete(RemoteRead.read(Snappy.uncompress(body)));
            head.complete(request);
          } catch (Exception e) {
            sent.fail(e);
          }
          request.response().putHeader("Content-Type", CHUNKS).end();
        });
    assertThat(read().value()).containsExactly(List.of());
    RemoteRead.Query query = await(sent.future()).queries().getFirst();
    assertThat(query.start()).as("a selection is open at its start").isEqualTo(101);
    assertThat(query.end()).isEqualTo(200);
    assertThat(query.matchers())
        .containsExactly(
            new RemoteRead.Matcher(RemoteRead.Comparison.EQUAL, "__name__", "up"),
            new RemoteRead.Matcher(RemoteRead.Comparison.EQUAL, "tenant", "red"),
            new RemoteRead.Matcher(RemoteRead.Comparison.NOT_EQUAL, "replica", "b"));
    assertThat(await(head.future()).path()).isEqualTo("/prefix/api/v1/read");
    assertThat(await(head.future()).getHeader("X-Scope-OrgID")).isEqualTo("fleet");
  }

  @Test
  void whatCannotMatchIsNotAskedFor() throws Exception {
    prometheus((request, body) -> request.response().setStatusCode(500).end());
    Selection other = new Selection(List.of(Matcher.equal("replica", "b")), 100, 200);
    assertThat(await(store.samples(List.of(other), MUCH, options())).value())
        .containsExactly(List.of());
    assertThat(store.counts().requests.sum()).isZero();
  }

  // --- what comes back ---

  @Test
  void seriesThatWereNotAskedForAreDroppedCountedAndTold() throws Exception {
    answersChunks(
        frames(
            series(RED.with("replica", "a"), 150),
            series(BLUE, 150),
            series(RED.with("replica", "b"), 160)));
    ForeignStore.Found<List<List<Series>>> found = read();
    assertThat(found.value()).containsExactly(List.of(series(RED, 150)));
    assertThat(found.problem()).contains("2 series that were not asked for");
    assertThat(store.counts().droppedSeries.sum()).isEqualTo(2);
  }

  @Test
  void samplesOutsideOfTheTimeAreCut() throws Exception {
    answersChunks(frames(series(RED, 99, 100, 101, 200, 201)));
    assertThat(read().value()).containsExactly(List.of(series(RED, 101, 200)));
    assertThat(read().problem()).isEmpty();
  }

  @Test
  void seriesThatDifferInLabelsOfTheStoreOnlyAreOne() throws Exception {
    answersChunks(
        frames(series(RED.with("replica", "a"), 150), series(RED.with("replica", "c"), 150, 160)));
    assertThat(read().value()).containsExactly(List.of(series(RED, 150, 160)));
  }

  @Test
  void aResponseWithSamplesIsReadAsOneWithChunks() throws Exception {
    byte[] packed = Snappy.compress(RemoteRead.samples(List.of(List.of(series(RED, 150)))));
    prometheus(
        (request, none) ->
            request
                .response()
                .putHeader("Content-Type", "application/x-protobuf")
                .end(Buffer.buffer(packed)));
    assertThat(read().value()).containsExactly(List.of(series(RED, 150)));
  }

  // --- attacks ---

  @Test
  void aBodyWithoutAnEndIsCutAtTheLimit() throws Exception {
    prometheus(
        (request, none) -> {
          request.response().putHeader("Content-Type", CHUNKS).setChunked(true);
          writeForever(request);
        });
    assertUnavailable().hasMessageContaining("longer than " + MAX_BYTES);
  }

  private static void writeForever(HttpServerRequest request) {
    request
        .response()
        .write(Buffer.buffer(new byte[1 << 16]))
        .onSuccess(none -> writeForever(request));
  }

  @Test
  void aBodyThatDoesNotEndInTimeIsGivenUp() throws Exception {
    handler =
        request ->
            request
                .response()
                .putHeader("Content-Type", CHUNKS)
                .setChunked(true)
                .write(Buffer.buffer(new byte[] {1}));
    store(SourceSettings.Kind.PROMETHEUS, Duration.ofMillis(300));
    assertUnavailable().hasMessageContaining("not complete after 300 ms");
  }

  @Test
  void aReadLeavesTheQueryAPartOfItsTime() throws Exception {
    handler = request -> {};
    store(SourceSettings.Kind.PROMETHEUS, Duration.ofMinutes(10));
    ReadOptions soon = new ReadOptions(Load.OWN, 500, new Cancellation());
    assertThatThrownBy(() -> await(store.samples(List.of(SELECTION), MUCH, soon)))
        .hasMessageContaining("not complete after 400 ms");
  }

  @Test
  void aStoreThatSendsHistogramsWhateverIsAskedIsNotAskedForEver() throws Exception {
    byte[] body = frameWithChunkOfEncoding(2);
    prometheus(
        (request, none) ->
            request.response().putHeader("Content-Type", CHUNKS).end(Buffer.buffer(body)));
    assertUnavailable().hasMessageContaining("chunks that were not asked for");
    assertThat(store.counts().requests.sum()).isEqualTo(2);
  }

  @Test
  void noRedirectIsFollowed() throws Exception {
    AtomicInteger reached = new AtomicInteger();
    int inside =
        server(
            request -> {
              reached.incrementAndGet();
              request.response().end();
            });
    for (int status : List.of(301, 302, 303, 307, 308)) {
      prometheus(
          (request, none) ->
              request
                  .response()
                  .setStatusCode(status)
                  .putHeader("Location", "http://127.0.0.1:" + inside + "/secret")
                  .end());
      assertUnavailable().hasMessageContaining("status " + status);
      store.close();
    }
    assertThat(reached).hasValue(0);
  }

  @Test
  void aBodyThatIsLargeAfterDecompressionIsRefused() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
      zip.write(new byte[MAX_BYTES + 1]);
    }
    prometheus(
        (request, none) ->
            request
                .response()
                .putHeader("Content-Type", CHUNKS)
                .putHeader("Content-Encoding", "gzip")
                .end(Buffer.buffer(bytes.toByteArray())));
    assertUnavailable().hasMessageContaining("longer than " + MAX_BYTES);
    store.close();
    byte[] packed = Snappy.compress(new byte[MAX_BYTES + 1]);
    answersSnappy(packed);
    assertUnavailable().hasMessageContaining("longer than " + MAX_BYTES);
  }

  private void answersSnappy(byte[] packed) throws Exception {
    prometheus(
        (request, none) ->
            request
                .response()
                .putHeader("Content-Type", "application/x-protobuf")
                .end(Buffer.buffer(packed)));
  }

  @Test
  void damagedBytesAreAFailureOfTheStore() throws Exception {
    byte[] packed = Snappy.compress(RemoteRead.samples(List.of(List.of(series(RED, 150)))));
    packed[packed.length - 1] ^= 1;
    packed[2] = 0;
    answersSnappy(packed);
    assertUnavailable().hasMessageContaining("improper");
    store.close();
    Buffer frames = frames(series(RED, 150, 160));
    frames.setByte(frames.length() - 1, (byte) (frames.getByte(frames.length() - 1) ^ 1));
    answersChunks(frames);
    assertUnavailable().hasMessageContaining("damaged");
    store.close();
    prometheus(
        (request, none) ->
            request
                .response()
                .putHeader("Content-Type", CHUNKS)
                .putHeader("Content-Encoding", "gzip")
                .end("no gzip"));
    assertUnavailable().hasMessageContaining("damaged");
    store.close();
    prometheus(
        (request, none) -> request.response().putHeader("Content-Type", "text/html").end("<html>"));
    assertUnavailable().hasMessageContaining("text/html");
    assertThat(store.counts().errors.sum()).isEqualTo(1);
  }

  /** One series {@code up{tenant="red"}} with one chunk of an encoding that is not XOR. */
  private static byte[] frameWithChunkOfEncoding(int encoding) {
    byte[] name = {0x0a, 0x0e, 0x0a, 8, '_', '_', 'n', 'a', 'm', 'e', '_', '_', 0x12, 2, 'u', 'p'};
    byte[] chunk = {0x12, 4, 0x18, (byte) encoding, 0x22, 0};
    Buffer message =
        Buffer.buffer(new byte[] {0x0a, (byte) (name.length + chunk.length)})
            .appendBytes(name)
            .appendBytes(chunk);
    CRC32C check = new CRC32C();
    check.update(message.getBytes());
    return Buffer.buffer(new byte[] {(byte) message.length()})
        .appendInt((int) check.getValue())
        .appendBuffer(message)
        .getBytes();
  }

  // --- limits ---

  @Test
  void moreSamplesThanTheQueryMayReadAreItsFailure() throws Exception {
    answersChunks(frames(series(RED, 110, 120, 130)));
    assertThatThrownBy(() -> await(store.samples(List.of(SELECTION), 2, options())))
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.EXECUTION));
  }

  @Test
  void moreSamplesThanTheStoreMaySendAreTheStoresFailure() throws Exception {
    long[] times = new long[1_001];
    for (int i = 0; i < times.length; i++) {
      times[i] = i;
    }
    answersChunks(frames(series(RED, times)));
    assertUnavailable().hasMessageContaining("more than 1000 samples");
  }

  @Test
  void aReadThatIsCancelledEndsTheRequest() throws Exception {
    Promise<Void> closed = Promise.promise();
    Cancellation cancellation = new Cancellation();
    handler =
        request -> {
          request.connection().closeHandler(closed::complete);
          cancellation.cancel();
        };
    store(SourceSettings.Kind.PROMETHEUS, Duration.ofMinutes(10));
    ReadOptions options = new ReadOptions(Load.OWN, 3_600_000, cancellation);
    assertThatThrownBy(() -> await(store.samples(List.of(SELECTION), MUCH, options)))
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.CANCELED));
    await(closed.future());
  }

  // --- queries in place of remote read ---

  @Test
  void rawSamplesOfAQueryAreRead() throws Exception {
    thanos(
        """
        {"status":"success","data":{"resultType":"matrix","result":[
          {"metric":{"__name__":"up","tenant":"red"},"values":[[0.15,"1"],[0.2,"+Inf"],[0.201,"3"]]},
          {"metric":{"__name__":"up","tenant":"blue"},"values":[[0.15,"1"]]}]},
         "infos":["PromQL info: x"]}
        """);
    ForeignStore.Found<List<List<Series>>> found = read();
    assertThat(found.value())
        .containsExactly(
            List.of(
                new Series(
                    RED, new long[] {150, 200}, new double[] {1, Double.POSITIVE_INFINITY})));
    assertThat(found.problem()).contains("1 series");
  }

  @Test
  void whatAStoreSaysIsMissingIsTold() throws Exception {
    thanos(
        """
        {"status":"success","data":{"resultType":"matrix","result":[]},
         "warnings":["No StoreAPIs matched"]}
        """);
    assertThat(read().problem()).isEqualTo("warns: No StoreAPIs matched");
    store.close();
    thanos(
        """
        {"status":"success","data":{"resultType":"matrix","result":[
          {"metric":{"__name__":"up","tenant":"red"},"histograms":[[0.15,{"count":"1"}]]}]}}
        """);
    assertThat(read().problem()).contains("native histograms");
  }

  @Test
  void whatIsNoResponseOfAQueryIsAFailureOfTheStore() throws Exception {
    for (String body :
        List.of(
            "",
            "{",
            "[]",
            "{\"status\":\"error\",\"errorType\":\"x\"}",
            "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}",
            "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{},"
                + "\"values\":[[1,\"x\"]]}]}}",
            "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{},"
                + "\"values\":[[2,\"1\"],[1,\"1\"]]}]}}",
            "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":"
                + "{\"a\":7}}]}}",
            "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"values\":["
                + "[1,\"1\"")) {
      thanos(body);
      assertUnavailable().as(body).hasMessageContaining("improper");
      store.close();
    }
  }

  // --- labels ---

  private static SeriesSearch search(List<Matcher> matchers) {
    return new SeriesSearch(0, 1_000, 0, matchers.isEmpty() ? List.of() : List.of(matchers));
  }

  @Test
  void namesAndValuesOfASelectorAreThoseOfSeriesThatMatchIt() throws Exception {
    thanos(
        """
        {"status":"success","data":[{"__name__":"up","tenant":"red","rack":"r1","replica":"a"},
          {"__name__":"up","tenant":"blue","rack":"r2","secret":"x"}]}
        """);
    ForeignStore.Found<List<String>> names = await(store.labelNames(search(OF_RED), options()));
    assertThat(names.value()).containsExactly("__name__", "rack", "tenant");
    assertThat(names.problem()).contains("1 series");
    assertThat(await(store.labelValues("rack", search(OF_RED), options())).value())
        .containsExactly("r1");
    assertThat(await(store.labelSets(search(OF_RED), options())).value())
        .containsExactly(RED.with("rack", "r1"));
  }

  @Test
  void allNamesAndValuesAreListedAsTheStoreListsThem() throws Exception {
    thanos("{\"status\":\"success\",\"data\":[\"b\",\"replica\",\"a\"]}");
    assertThat(await(store.labelNames(search(List.of()), options())).value())
        .containsExactly("a", "b");
    assertThat(await(store.labelValues("rack", search(List.of()), options())).value())
        .containsExactly("a", "b", "replica");
    assertThat(await(store.labelValues("replica", search(List.of()), options())).value()).isEmpty();
  }
}
