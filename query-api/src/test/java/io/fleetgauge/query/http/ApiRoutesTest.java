package io.fleetgauge.query.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.cache.CachedBody;
import io.fleetgauge.runtime.process.Meters;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
@Timeout(600)
class ApiRoutesTest {
  private static final String LONG_TEXT = "0123456789".repeat(1_000);

  private final CachedBody cached = new CachedBody();
  private final AtomicInteger encodings = new AtomicInteger();
  private TestServer server;

  @BeforeEach
  void start(Vertx vertx, @TempDir Path folder) throws Exception {
    server = new TestServer(vertx, folder, Set.of("https://grafana.example"), this::mount);
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  private void mount(ApiRoutes routes) {
    routes.get("/json/:kind", request -> failing(request.pathParameter("kind")));
    routes.getText("/text/:kind", request -> failing(request.pathParameter("kind")));
    routes.postJson("/grafana/:kind", request -> failing(request.pathParameter("kind")));
    routes.get("/small", request -> body(Body.small(ApiRoutesTest::text)));
    routes.get("/large", request -> body(Body.large(ApiRoutesTest::text)));
    routes.get("/kept", request -> body(kept(false)));
    routes.get("/keptSmall", request -> body(kept(true)));
    routes.get(
        "/streamed",
        request ->
            body(
                Body.streamed(
                    out -> {
                      for (int i = 0; i < 1_000; i++) {
                        out.write(LONG_TEXT.getBytes(StandardCharsets.UTF_8));
                      }
                      out.write('!');
                    })));
    routes.get("/brokenOff", request -> body(Body.streamed(out -> breakOff(out, 1_000))));
    routes.get("/brokenPacked", request -> body(new Body.Streamed(out -> breakOff(out, 0), true)));
    routes.get("/broken", request -> body(Body.streamed(out -> breakOff(out, 0))));
    routes.get(
        "/overflow",
        request ->
            body(
                Body.streamed(
                    out -> {
                      out.write(LONG_TEXT.repeat(100).getBytes(StandardCharsets.UTF_8));
                      throw new StackOverflowError();
                    })));
    routes.get(
        "/defect",
        request -> {
          throw new IllegalStateException("a defect");
        });
    routes.getOrPost(
        "/echo", request -> body(Body.small(() -> Buffer.buffer(request.parameters().text("q")))));
    routes.post("/post", request -> body(Body.small(ApiRoutesTest::text)));
    routes.postText("/postText", request -> body(Body.small(ApiRoutesTest::text)));
  }

  private static Future<Body> body(Body body) {
    return Future.succeededFuture(body);
  }

  private static Buffer text() {
    return Buffer.buffer(LONG_TEXT);
  }

  private Body kept(boolean isSmall) {
    return new Body.Kept(
        cached,
        () -> {
          encodings.incrementAndGet();
          return text();
        },
        isSmall);
  }

  private static void breakOff(java.io.OutputStream out, int written) throws IOException {
    for (int i = 0; i < written; i++) {
      out.write(LONG_TEXT.getBytes(StandardCharsets.UTF_8));
    }
    throw new IOException("broke off");
  }

  /** Half of the kinds are thrown, half are failures of the future. */
  private static Future<Body> failing(String kind) throws QueryFailure {
    QueryFailure failure =
        new QueryFailure(QueryFailure.Kind.valueOf(kind), "told: <" + kind + ">");
    if (failure.kind().ordinal() % 2 == 0) {
      throw failure;
    }
    return Future.failedFuture(failure);
  }

  // --- failures ---

  @ParameterizedTest
  @EnumSource(QueryFailure.Kind.class)
  void everyFailureIsReportedAsTheCatalogueSays(QueryFailure.Kind kind) throws Exception {
    String escaped = "told: \\u003c" + kind.name() + "\\u003e";
    String begin =
        "{\"status\":\"error\",\"errorType\":\"" + kind.errorType + "\",\"error\":\"" + escaped;
    HttpResponse<String> json = server.get("a", "/json/" + kind);
    checkFailure(json, kind, "application/json");
    assertThat(json.body()).isEqualTo(begin + "\"}");
    HttpResponse<String> text = server.get("a", "/text/" + kind);
    checkFailure(text, kind, "text/plain; charset=utf-8");
    assertThat(text.body()).isEqualTo("told: <" + kind.name() + ">\n");
    HttpResponse<String> grafana = server.post("a", "/grafana/" + kind, "{}");
    checkFailure(grafana, kind, "application/json");
    assertThat(grafana.body()).isEqualTo(begin + "\",\"message\":\"" + escaped + "\"}");
    assertThat(server.failures.byErrorType().get(kind.errorType)).isEqualTo(3);
  }

  private static void checkFailure(
      HttpResponse<String> answer, QueryFailure.Kind kind, String type) {
    assertThat(answer.statusCode()).isEqualTo(kind.httpStatus);
    assertThat(answer.headers().firstValue("Content-Type")).contains(type);
    // Also where the catalogue should have forgotten it.
    boolean mayPass = answer.statusCode() == 503 || answer.statusCode() == 429;
    assertThat(answer.headers().firstValue("Retry-After").isPresent()).isEqualTo(mayPass);
    answer
        .headers()
        .firstValue("Retry-After")
        .ifPresent(seconds -> assertThat(Integer.parseInt(seconds)).isPositive());
  }

  @Test
  void aDefectIsAnInternalErrorAndCounted() throws Exception {
    HttpResponse<String> answer = server.get("a", "/defect");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).contains("\"errorType\":\"internal\",\"error\":\"a defect\"");
    assertThat(server.failures.byErrorType()).containsEntry("internal", 1L);
  }

  @Test
  void failuresAreAMetricByTypeOfError() throws Exception {
    Meters meters = new Meters("fleetgauge_query");
    server.failures.declare(meters);
    server.get("a", "/json/LIMITED");
    server.get("a", "/json/UNAVAILABLE");
    assertThat(server.failures.byErrorType())
        .containsEntry("unavailable", 2L)
        .containsEntry("bad_data", 0L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/echo", "/post", "/postText", "/grafana/TIMEOUT"})
  void aBodyOverTheLimitIsRefusedInTheFormOfTheRoute(String path) throws Exception {
    String form = "q=" + "x".repeat(ApiRoutes.MAX_BODY_BYTES);
    HttpResponse<String> answer;
    try {
      answer = server.postForm("a", path, form);
    } catch (IOException e) {
      // The connection may be closed before the body was sent; then nobody reads the answer.
      assertThat(e).hasMessageNotContaining("timed out");
      return;
    }
    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(answer.body()).contains("" + ApiRoutes.MAX_BODY_BYTES);
    assertThat(answer.body().contains("\"message\"")).isEqualTo(path.startsWith("/grafana"));
    assertThat(answer.body().startsWith("{")).isEqualTo(!path.equals("/postText"));
  }

  // --- bodies ---

  @ParameterizedTest
  @ValueSource(strings = {"/small", "/large", "/kept", "/keptSmall"})
  void theClientReceivesTheWholeBody(String path) throws Exception {
    HttpResponse<String> answer = server.get("a", path);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo(LONG_TEXT);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/kept", "/keptSmall"})
  void aKeptBodyIsEncodedOnceForAllAndCompressedForThoseThatAcceptIt(String path) throws Exception {
    String[] gzip = {"Accept-Encoding", "gzip"};
    for (int i = 0; i < 2; i++) {
      assertThat(server.get("a", path).headers().firstValue("Content-Encoding")).isEmpty();
      HttpResponse<byte[]> packed = server.sendBytes("a", path, gzip, HttpRequest.Builder::GET);
      assertThat(packed.headers().firstValue("Content-Encoding")).contains("gzip");
      assertThat(packed.body().length).isLessThan(LONG_TEXT.length() / 5);
      assertThat(unpacked(packed.body())).isEqualTo(LONG_TEXT);
    }
    assertThat(encodings).hasValue(1);
  }

  private static String unpacked(byte[] gzip) throws IOException {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aStreamedBodyArrivesWhole() throws Exception {
    HttpResponse<String> answer = server.get("a", "/streamed");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).hasSize(10_000_001).endsWith("9!");
    assertThat(answer.headers().firstValue("Transfer-Encoding")).contains("chunked");
  }

  @Test
  void aStreamThatBreaksOffClosesTheConnection() {
    for (String path : new String[] {"/brokenOff", "/overflow"}) {
      assertThatThrownBy(() -> server.get("a", path)).as(path).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aStreamThatFailsBeforeItsFirstByteIsAFailureWithAStatus() throws Exception {
    HttpResponse<String> answer = server.get("a", "/broken");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).contains("broke off");
    HttpResponse<String> packed = server.get("a", "/brokenPacked");
    assertThat(packed.headers().firstValue("Content-Encoding")).isEmpty();
    assertThat(packed.body()).contains("broke off");
  }

  // --- what all routes share ---

  @Test
  void aRequestNeedsATokenWithTheReadRight() throws Exception {
    assertThat(server.get("", "/small").statusCode()).isEqualTo(401);
    assertThat(server.get("nobody", "/small").statusCode()).isEqualTo(401);
    assertThat(server.get("writer", "/small").statusCode()).isEqualTo(403);
    assertThat(server.postForm("writer", "/echo", "q=1").statusCode()).isEqualTo(403);
  }

  @Test
  void otherMethodsAreNamedAsNotAllowed() throws Exception {
    HttpResponse<String> answer =
        server.send("a", "/small", new String[0], request -> request.DELETE());
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).contains("GET, OPTIONS");
    assertThat(server.post("a", "/echo", "q=1", "Content-Type", "text/plain").statusCode())
        .isEqualTo(200);
    assertThat(server.get("a", "/post").headers().firstValue("Allow")).contains("OPTIONS, POST");
  }

  @Test
  void noPageOfAnotherOriginMayReadUnlessItIsAllowed() throws Exception {
    for (String origin : new String[] {"https://grafana.example.evil", "http://grafana.example"}) {
      assertThat(
              server
                  .get("a", "/small", "Origin", origin)
                  .headers()
                  .firstValue("Access-Control-Allow-Origin"))
          .isEmpty();
      HttpResponse<String> preflight =
          server.send(
              "",
              "/echo",
              new String[] {"Origin", origin},
              request -> request.method("OPTIONS", HttpRequest.BodyPublishers.noBody()));
      assertThat(preflight.statusCode()).isEqualTo(204);
      assertThat(preflight.headers().map().keySet())
          .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("access-control-"));
      assertThat(preflight.headers().firstValue("Vary")).contains("Origin");
    }
  }

  @Test
  void pagesOfAllOriginsMayReadWhereAllAreAllowed(Vertx vertx, @TempDir Path folder)
      throws Exception {
    TestServer open = new TestServer(vertx, folder, Set.of("*"), this::mount);
    assertThat(
            open.get("a", "/small", "Origin", "https://any.example")
                .headers()
                .firstValue("Access-Control-Allow-Origin"))
        .contains("https://any.example");
    open.close();
  }

  @Test
  void aPageOfAnAllowedOriginMayReadAnswersAndFailures() throws Exception {
    for (String path : new String[] {"/small", "/json/BAD_DATA"}) {
      HttpResponse<String> answer = server.get("a", path, "Origin", "https://grafana.example");
      assertThat(answer.headers().firstValue("Access-Control-Allow-Origin"))
          .contains("https://grafana.example");
      assertThat(
              answer
                  .headers()
                  .firstValue("Access-Control-Expose-Headers")
                  .orElse("")
                  .toLowerCase(Locale.ROOT))
          .contains("x-fleetgauge-completeness");
    }
    assertThat(server.get("a", "/small").headers().firstValue("Access-Control-Allow-Origin"))
        .isEmpty();
  }

  @Test
  void aPreflightNeedsNoToken() throws Exception {
    HttpResponse<String> answer =
        server.send(
            "",
            "/echo",
            new String[] {"Origin", "https://grafana.example"},
            request -> request.method("OPTIONS", HttpRequest.BodyPublishers.noBody()));
    assertThat(answer.statusCode()).isEqualTo(204);
    assertThat(answer.headers().firstValue("Access-Control-Allow-Methods"))
        .contains("GET, POST, OPTIONS");
  }

  @Test
  void aFormAboveALimitGetsAnErrorThatNamesTheLimit() throws Exception {
    HttpResponse<String> many =
        server.postForm("a", "/echo", "match[]=up&".repeat(100_000) + "q=1");
    assertThat(many.statusCode()).isEqualTo(400);
    assertThat(many.body())
        .contains("\"error\":\"the form has more than the 1100 fields that are allowed\"");
    HttpResponse<String> longBody = server.postForm("a", "/echo", "q=" + "x".repeat(4 << 20));
    assertThat(longBody.statusCode()).isEqualTo(413);
    assertThat(longBody.body()).contains("a body may have 4194304 bytes");
    assertThat(server.postForm("a", "/echo", "q=%zz").body())
        .contains("the request cannot be read: Invalid hex byte");
    assertThat(server.postForm("a", "/echo", "a=1&".repeat(1_099) + "q=last").body())
        .isEqualTo("last");
  }

  @Test
  void aUrlWithMoreParametersThanAreReadIsRefused() throws Exception {
    HttpResponse<String> many = server.get("a", "/echo?" + "a&".repeat(1_024) + "q=1");
    assertThat(many.statusCode()).isEqualTo(400);
    assertThat(many.body())
        .contains(
            "the URL has more than the 1024 parameters that are allowed; send them in a form");
    assertThat(server.get("a", "/echo?" + "a&".repeat(1_023) + "q=last").body()).isEqualTo("last");
  }

  @Test
  void parametersComeFromTheFormOrTheUrl() throws Exception {
    assertThat(server.get("a", "/echo?q=url").body()).isEqualTo("url");
    assertThat(server.postForm("a", "/echo?q=url", "q=form").body()).isEqualTo("form");
    assertThat(server.postForm("a", "/echo?q=url", "").body()).isEqualTo("url");
    assertThat(
            server
                .post(
                    "a",
                    "/echo",
                    "q=%26+1",
                    "Content-Type",
                    "application/x-www-form-urlencoded;charset=UTF-8")
                .body())
        .isEqualTo("& 1");
  }
}
