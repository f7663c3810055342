package io.fleetgauge.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TlsSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestHead;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.PoolOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which requests reach which route. */
@ExtendWith(VertxExtension.class)
class GuardRoutesTest {
  private static final String SECRET = "a-secret-of-16-or-more";
  private static final HttpSettings PLAIN = new HttpSettings("127.0.0.1", 0);

  @TempDir private Path folder;
  private final AtomicLong clock = new AtomicLong(1_700_000_000_000L);
  private Guard guard;
  private WebClient client;
  private int port;

  private static String hash(String token) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
  }

  private Optional<Path> tenants() throws Exception {
    return Optional.of(
        Files.writeString(
            folder.resolve("tenants.yaml"),
            """
            proxies: [127.0.0.1]
            tenants:
              a:
                tokens:
                  reader: {sha256: %s}
                  operator: {sha256: %s, rights: [operate]}
                  slow:
                    argon2id: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$HASH'
            """
                .formatted(hash("reader"), hash("operator"))
                .replace("HASH", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")));
  }

  private Optional<Path> secret() throws IOException {
    return Optional.of(Files.writeString(folder.resolve("secret"), SECRET));
  }

  private void serve(Vertx vertx, HttpSettings http, Optional<Path> tenants, Optional<Path> secret)
      throws Exception {
    guard =
        Guard.open(
            vertx,
            http,
            tenants,
            TrustSettings.ofSecret(secret),
            TenantLimits.DEFAULT,
            scope -> "",
            clock::get);
    Router router = Router.router(vertx);
    router.get("/peer").handler(guard.needsPeer()).handler(done -> done.end("peer"));
    router
        .get("/peer-or-read")
        .handler(guard.needsPeerOr(Permission.READ))
        .handler(done -> done.end(Guard.grant(done).map(grant -> grant.tenant()).orElse("peer")));
    router
        .get("/operate")
        .handler(guard.needs(Permission.OPERATE))
        .handler(done -> done.end(Guard.grant(done).orElseThrow().tenant()));
    Guard.readBody(router.post("/peer").handler(guard.needsPeer()), 4 << 20)
        .handler(done -> done.end("body"));
    router
        .get("/new-or-operate")
        .handler(guard.needsNewProofOr(Permission.OPERATE))
        .handler(done -> done.end("new"));
    port =
        vertx
            .createHttpServer()
            .requestHandler(router)
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    client = WebClient.create(vertx);
  }

  private HttpResponse<Buffer> get(String path, String... headers) throws Exception {
    MultiMap all = MultiMap.caseInsensitiveMultiMap();
    for (int i = 0; i < headers.length; i += 2) {
      all.add(headers[i], headers[i + 1]);
    }
    return client.get(port, "127.0.0.1", path).putHeaders(all).send().await(120, TimeUnit.SECONDS);
  }

  private RequestSigner signer(String... secrets) {
    return new RequestSigner(ClusterKey.of(() -> List.of(secrets)), clock::get);
  }

  private String signed(String secret, String path) {
    return signed(signer(secret), "127.0.0.1:" + port, "GET", path, "");
  }

  private static String signed(
      RequestSigner signer, String receiver, String method, String path, String body) {
    return signer
        .sign(
            receiver, new RequestHead(method, path, List.of()), BodyDigest.of(Buffer.buffer(body)))
        .orElseThrow();
  }

  private int status(String path, String... headers) throws Exception {
    return get(path, headers).statusCode();
  }

  /** Routes for peers are open only where no tenants, secret or client CA is configured. */
  @ParameterizedTest
  @CsvSource({
    "false, false, false, 200, 200",
    "true,  false, false, 401, 401",
    "false, true,  false, 401, 200",
    "false, false, true,  401, 401",
    "true,  true,  false, 401, 200",
    "true,  false, true,  401, 401",
    "false, true,  true,  401, 200",
    "true,  true,  true,  401, 200"
  })
  void aPeerMustProveItselfOnceTenantsASecretOrAClientCaIsConfigured(
      boolean hasTenants,
      boolean hasSecret,
      boolean hasClientCa,
      int without,
      int with,
      Vertx vertx)
      throws Exception {
    Path any = Files.writeString(folder.resolve("any.pem"), "");
    HttpSettings http =
        hasClientCa
            ? new HttpSettings(
                "127.0.0.1", 0, false, Optional.of(new TlsSettings(any, any, Optional.of(any))))
            : PLAIN;
    serve(
        vertx,
        http,
        hasTenants ? tenants() : Optional.empty(),
        hasSecret ? secret() : Optional.empty());
    assertThat(status("/peer")).isEqualTo(without);
    assertThat(status("/peer", RequestSigner.HEADER, signed(SECRET, "/peer"))).isEqualTo(with);
    assertThat(status("/peer", RequestSigner.HEADER, signed(SECRET + "x", "/peer")))
        .isEqualTo(without);
    assertThat(status("/peer", RequestSigner.HEADER, "")).isEqualTo(without);
    assertThat(status("/peer", "X-Fleetgauge-Secret", SECRET)).isEqualTo(without);
  }

  @Test
  void aTokenReachesTheRoutesThatItsRightsAllow(Vertx vertx) throws Exception {
    serve(vertx, PLAIN, tenants(), secret());
    assertThat(get("/peer-or-read", "Authorization", "Bearer reader").bodyAsString())
        .isEqualTo("a");
    assertThat(
            get("/peer-or-read", RequestSigner.HEADER, signed(SECRET, "/peer-or-read"))
                .bodyAsString())
        .isEqualTo("peer");
    assertThat(get("/operate", "Authorization", "Bearer operator").bodyAsString()).isEqualTo("a");
    HttpResponse<Buffer> lacks = get("/operate", "Authorization", "Bearer reader");
    assertThat(lacks.statusCode()).isEqualTo(403);
    assertThat(lacks.bodyAsJsonObject().getString("error"))
        .isEqualTo(
            "the token lacks the operate permission; add it to the token's rights in the tenants"
                + " file");
    assertThat(status("/peer", "Authorization", "Bearer operator")).isEqualTo(401);
    HttpResponse<Buffer> unknown = get("/operate", "Authorization", "Bearer nobody");
    assertThat(unknown.statusCode()).isEqualTo(401);
    assertThat(unknown.getHeader("WWW-Authenticate")).isEqualTo("Bearer realm=\"fleetgauge\"");
    assertThat(unknown.bodyAsJsonObject().getString("error")).isEqualTo("unauthorized");
    assertThat(guard.refused()).isEqualTo(3);
  }

  @Test
  void aTokenWithASlowHashIsCheckedOnAWorker(Vertx vertx) throws Exception {
    serve(vertx, PLAIN, tenants(), secret());
    assertThat(get("/peer-or-read", "Authorization", "Bearer password").bodyAsString())
        .isEqualTo("a");
    assertThat(status("/peer-or-read", "Authorization", "Bearer Password")).isEqualTo(401);
  }

  @Test
  void aProxyIsRecognizedByTheAddressOfItsConnection(Vertx vertx) throws Exception {
    serve(vertx, PLAIN, tenants(), secret());
    assertThat(get("/peer-or-read", "X-Scope-OrgID", "a").bodyAsString()).isEqualTo("a");
    assertThat(status("/peer-or-read", "X-Scope-OrgID", "nobody")).isEqualTo(401);
    HttpResponse<Buffer> lacks = get("/operate", "X-Scope-OrgID", "a");
    assertThat(lacks.statusCode()).isEqualTo(403);
    assertThat(lacks.bodyAsJsonObject().getString("error"))
        .isEqualTo("a request without a token lacks the operate permission");
  }

  @Test
  void aChangedTenantsFileIsReadAndItsListenersAreCalled(Vertx vertx) throws Exception {
    serve(vertx, PLAIN, tenants(), secret());
    AtomicInteger changes = new AtomicInteger();
    guard.onTenantsChange(changes::incrementAndGet);
    guard.look();
    Path file = folder.resolve("tenants.yaml");
    Path next =
        Files.writeString(
            folder.resolve("next.yaml"),
            Files.readString(file).replace(hash("reader"), hash("new")));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    guard.look();
    Awaitility.await().until(() -> changes.get() == 1);
    assertThat(status("/peer-or-read", "Authorization", "Bearer reader")).isEqualTo(401);
    assertThat(status("/peer-or-read", "Authorization", "Bearer new")).isEqualTo(200);
    assertThat(guard.fileFailures()).isZero();
  }

  /** A sender with an old token comes again and again. */
  @Test
  @Tag("slow")
  void howeverManyWrongTokensWereCheckedTheRightOneIsLetIn(Vertx vertx) throws Exception {
    serve(vertx, PLAIN, tenants(), secret());
    for (int i = 0; i < 20; i++) {
      assertThat(status("/peer-or-read", "Authorization", "Bearer wrong-" + i))
          .as("wrong token %d", i)
          .isEqualTo(401);
    }
    assertThat(status("/peer-or-read", "Authorization", "Bearer password")).isEqualTo(200);
  }

  @Test
  void whileSixteenTokensAreBeingCheckedTheNextRequestGets503(Vertx vertx) throws Exception {
    serve(vertx, PLAIN, tenants(), secret());
    CountDownLatch release = new CountDownLatch(1);
    // The executor on which the guard checks slow hashes, one at a time.
    vertx
        .createSharedWorkerExecutor("tokens", 1)
        .executeBlocking(() -> release.await(120, TimeUnit.SECONDS));
    client = WebClient.create(vertx, new WebClientOptions(), new PoolOptions().setHttp1MaxSize(17));
    List<Future<HttpResponse<Buffer>>> responses = new ArrayList<>();
    for (int i = 0; i < 17; i++) {
      responses.add(
          client
              .get(port, "127.0.0.1", "/peer-or-read")
              .bearerTokenAuthentication("password")
              .send());
    }
    Future.any(responses).await(120, TimeUnit.SECONDS);
    HttpResponse<Buffer> rejected =
        responses.stream().filter(Future::isComplete).findFirst().orElseThrow().result();
    assertThat(rejected.statusCode()).isEqualTo(503);
    assertThat(rejected.getHeader("Retry-After")).isEqualTo("1");
    assertThat(rejected.bodyAsJsonObject().getString("error"))
        .isEqualTo("more than 16 tokens are being checked; try again later");
    release.countDown();
    Future.all(responses).await(120, TimeUnit.SECONDS);
    assertThat(responses.stream().filter(each -> each.result().statusCode() == 200)).hasSize(16);
    assertThat(guard.refused()).isEqualTo(1);
  }
}
