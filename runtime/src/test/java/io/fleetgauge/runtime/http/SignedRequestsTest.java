package io.fleetgauge.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import io.fleetgauge.runtime.trust.OriginLog;
import io.fleetgauge.runtime.trust.PeerComplaints;
import io.fleetgauge.runtime.trust.RequestHead;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.runtime.trust.Seal;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A process that sends requests and one that receives them, over sockets. */
@ExtendWith(VertxExtension.class)
class SignedRequestsTest {
  private static final String SECRET = "a-secret-of-16-or-more";
  private static final String NEXT = "the-secret-after-that";
  private static final String PATH = "/v1/hosts/h%201/copies?a=b";
  private static final HttpClients.Limits LIMITS = new HttpClients.Limits(1_000, 10, 2, 10);

  @TempDir private Path folder;
  private final AtomicLong clock = new AtomicLong(1_700_000_000_000L);
  private final List<OutgoingHttp> senders = new ArrayList<>();
  private final Set<String> bodies = ConcurrentHashMap.newKeySet();
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private Vertx vertx;
  private Path file;
  private Guard guard;
  private int port;

  @BeforeEach
  void serve(Vertx started) throws Exception {
    vertx = started;
    file = Files.writeString(folder.resolve("secret"), SECRET + "\n");
    guard =
        Guard.open(
            vertx,
            new HttpSettings("127.0.0.1", 0),
            Optional.empty(),
            TrustSettings.ofSecret(Optional.of(file)),
            TenantLimits.DEFAULT,
            scope -> "",
            clock::get);
    Router router = Router.router(vertx);
    Guard.readBody(router.post("/v1/hosts/:host/copies").handler(guard.needsPeer()), 8 << 20)
        .handler(
            http -> {
              bodies.add(String.valueOf(http.body().asString()));
              http.end("taken");
            });
    router
        .post("/v1/new")
        .handler(guard.needsNewProofOr(Permission.OPERATE))
        .handler(http -> http.end("new"));
    port =
        vertx
            .createHttpServer()
            .requestHandler(router)
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    lines.start();
    for (Class<?> logs : List.of(Guard.class, PeerComplaints.class)) {
      ((Logger) LoggerFactory.getLogger(logs)).addAppender(lines);
    }
  }

  @AfterEach
  void stop() {
    for (Class<?> logs : List.of(Guard.class, PeerComplaints.class)) {
      ((Logger) LoggerFactory.getLogger(logs)).detachAppender(lines);
    }
    senders.forEach(OutgoingHttp::close);
  }

  private OutgoingHttp sender(RequestSigner signer) {
    OutgoingHttp http = new OutgoingHttp(vertx, TrustSettings.NONE, signer, LIMITS);
    senders.add(http);
    return http;
  }

  private RequestSigner signer(String... secrets) {
    return new RequestSigner(ClusterKey.of(() -> List.of(secrets)), clock::get);
  }

  private record Response(int status, String challenge, String body) {}

  private Response post(OutgoingHttp sender, String path, byte[] body) throws Exception {
    return sender
        .to(URI.create("http://127.0.0.1:" + port), HttpMethod.POST, path, 10_000)
        .header("X-Fleetgauge-Epoch", "7")
        .body(body)
        .send()
        .map(
            answer ->
                new Response(
                    answer.status(),
                    answer.headers().get("WWW-Authenticate"),
                    answer.body().toString()))
        .await(120, TimeUnit.SECONDS);
  }

  private Response post(RequestSigner signer) throws Exception {
    return post(sender(signer), PATH, "body".getBytes(StandardCharsets.UTF_8));
  }

  private void isRejected(Response response, String reason, String text) {
    assertThat(response.status()).isEqualTo(401);
    assertThat(response.challenge())
        .startsWith("Fleetgauge-Signature reason=\"" + reason + "\", error=\"")
        .contains(text);
    assertThat(response.body()).contains(text).contains("\"errorType\":\"unauthorized\"");
    assertThat(rejected(reason)).isEqualTo(1);
    assertThat(bodies).as("nothing is done").isEmpty();
  }

  private long rejected(String reason) {
    String text = new String(meters().exposition(), StandardCharsets.UTF_8);
    var count =
        Pattern.compile("test_signatures_rejected_total\\{reason=\"" + reason + "\"} (\\d+)")
            .matcher(text);
    assertThat(count.find()).as(text).isTrue();
    return Long.parseLong(count.group(1));
  }

  private Meters meters() {
    Meters meters = new Meters("test");
    guard.declare(meters);
    return meters;
  }

  private List<String> logged() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void aSignedRequestIsTakenWithBodiesOfAnyLength() throws Exception {
    OutgoingHttp sender = sender(signer(SECRET));
    for (int length : new int[] {0, 1, (16 << 10) + 1, 1 << 20, (1 << 20) + 1, 5 << 20}) {
      byte[] body = new byte[length];
      Arrays.fill(body, (byte) 'x');
      assertThat(post(sender, PATH, body)).isEqualTo(new Response(200, null, "taken"));
    }
    assertThat(bodies).hasSize(6);
  }

  @Test
  void aRequestThatIsNotSignedIsRejected() throws Exception {
    isRejected(post(RequestSigner.NONE), "unsigned", "the request is not signed");
  }

  @Test
  void aProcessWithAnotherSecretIsToldSoAndBothLogItOnce() throws Exception {
    isRejected(post(signer(NEXT)), "signature", "the signature does not verify");
    OutgoingHttp wrong = sender(signer(NEXT));
    lines.list.clear();
    for (int i = 0; i < 20; i++) {
      post(wrong, PATH, new byte[0]);
    }
    assertThat(logged())
        .containsExactly(
            "http://127.0.0.1:"
                + port
                + " rejects the requests of this process: the signature does not verify:"
                + " cluster.secretFile must hold the same secret for all processes of the cluster");
    clock.addAndGet(OriginLog.AGAIN_MILLIS);
    post(wrong, PATH, new byte[0]);
    assertThat(logged().getLast())
        .startsWith("rejected a request of 127.0.0.1: the signature does not verify");
  }

  @Test
  void aProcessThatWasAcceptedInBetweenLogsTheNextRejectionAtOnce() throws Exception {
    AtomicReference<List<String>> secrets = new AtomicReference<>(List.of(NEXT));
    OutgoingHttp sender = sender(new RequestSigner(ClusterKey.of(secrets::get), clock::get));
    post(sender, PATH, new byte[0]);
    secrets.set(List.of(SECRET));
    assertThat(post(sender, PATH, new byte[0]).status()).isEqualTo(200);
    secrets.set(List.of(NEXT));
    post(sender, PATH, new byte[0]);
    assertThat(logged().stream().filter(line -> line.contains("of this process:"))).hasSize(2);
  }

  @Test
  void clocksThatDifferByMoreThanAMinuteAreNamedToTheSender() throws Exception {
    RequestSigner slow =
        new RequestSigner(ClusterKey.of(() -> List.of(SECRET)), () -> clock.get() - 60_001);
    isRejected(
        post(slow),
        "clock",
        "the request was signed at 2023-11-14T22:12:19.999Z by the sender's clock, and it is"
            + " 2023-11-14T22:13:20Z by the receiver's; they may differ by 60 s");
  }

  /** What a sender writes to a socket, and where it is sent then. */
  private byte[] recorded(OutgoingHttp sender, String body) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    var proxy = vertx.createNetServer();
    int at =
        proxy
            .connectHandler(
                socket ->
                    socket.handler(
                        part -> {
                          bytes.writeBytes(part.getBytes());
                          if (bytes.toString(StandardCharsets.ISO_8859_1).endsWith(body)) {
                            socket.close();
                          }
                        }))
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    Future<String> failed =
        sender
            .to(URI.create("http://127.0.0.1:" + at), HttpMethod.POST, PATH, 10_000)
            .body(body.getBytes(StandardCharsets.UTF_8))
            .send()
            .map("answered");
    Awaitility.await().until(failed::isComplete);
    proxy.close().await(120, TimeUnit.SECONDS);
    assertThat(bytes.toString(StandardCharsets.ISO_8859_1)).endsWith(body);
    return bytes.toByteArray();
  }

  private String send(byte[] bytes) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(120_000);
      String text = new String(bytes, StandardCharsets.ISO_8859_1);
      String closing = text.replaceFirst("\r\n", "\r\nConnection: close\r\n");
      socket.getOutputStream().write(bytes(closing));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void aRequestToARogueReceiverIsWorthNothingElsewhere() throws Exception {
    byte[] recorded = recorded(sender(signer(SECRET)), "the body");
    assertThat(new String(recorded, StandardCharsets.ISO_8859_1)).doesNotContain(SECRET);
    assertThat(send(recorded))
        .startsWith("HTTP/1.1 401 ")
        .contains("reason=\"receiver\"")
        .contains("use one of [127.0.0.1:" + port + ", ");
    assertThat(bodies).isEmpty();
    assertThat(rejected("receiver")).isEqualTo(1);
  }

  /** A request as it is sent to this receiver, by a sender that signs each anew. */
  private String request(String body) throws Exception {
    String signature =
        signer(SECRET)
            .sign(
                "127.0.0.1:" + port,
                new RequestHead("POST", PATH, List.of(Map.entry("X-Fleetgauge-Epoch", "7"))),
                BodyDigest.of(Buffer.buffer(body)))
            .orElseThrow();
    return "POST "
        + PATH
        + " HTTP/1.1\r\nHost: any\r\nX-Fleetgauge-Epoch: 7\r\n"
        + RequestSigner.HEADER
        + ": "
        + signature
        + "\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  @Test
  void aRecordedRequestIsAcceptedOnce() throws Exception {
    byte[] request = bytes(request("the body"));
    assertThat(send(request)).startsWith("HTTP/1.1 200 ");
    bodies.clear();
    assertThat(send(request)).startsWith("HTTP/1.1 401 ").contains("reason=\"repeated\"");
    clock.addAndGet(60_001);
    assertThat(send(request)).startsWith("HTTP/1.1 401 ").contains("reason=\"clock\"");
    assertThat(bodies).isEmpty();
  }

  @Test
  void aRequestThatWasChangedOnItsWayIsRejected() throws Exception {
    for (Map.Entry<String, String> change :
        Map.of(
                "the body", "another.",
                "Epoch: 7", "Epoch: 8",
                "h%201", "h%202",
                "a=b", "a=c",
                "Content-Length: 8", "Content-Length: 4")
            .entrySet()) {
      String request = request("the body");
      assertThat(send(bytes(request.replace(change.getKey(), change.getValue()))))
          .as("%s", change)
          .startsWith("HTTP/1.1 401 ");
    }
    assertThat(bodies).isEmpty();
    assertThat(rejected("body")).isEqualTo(2);
    assertThat(rejected("signature")).isEqualTo(3);
  }

  @Test
  void aLongBodyThatWasChangedIsRejectedToo() throws Exception {
    String request = request("x".repeat(3 << 20));
    byte[] changed = bytes(request);
    changed[changed.length - 1] = 'y';
    assertThat(send(changed)).startsWith("HTTP/1.1 401 ").contains("reason=\"body\"");
    assertThat(bodies).isEmpty();
  }

  @Test
  void aRequestThatWasSignedBeforeTheStartIsRejectedWhereItWouldActAgain() throws Exception {
    RequestSigner before =
        new RequestSigner(ClusterKey.of(() -> List.of(SECRET)), () -> clock.get() - 1);
    isRejected(
        post(sender(before), "/v1/new", new byte[0]),
        "repeated",
        "the request was signed before this process started: send it again");
    assertThat(post(sender(signer(SECRET)), "/v1/new", new byte[0]).body()).isEqualTo("new");
    assertThat(post(sender(RequestSigner.NONE), "/v1/new", new byte[0]).status())
        .as("open to all without tenants, but for this")
        .isEqualTo(401);
  }

  @Test
  void aSecretIsChangedInThreeStepsWhileRequestsPass() throws Exception {
    Path ofSender = Files.writeString(folder.resolve("sender"), SECRET);
    SecretFile secret = SecretFile.ofCluster(TrustSettings.ofSecret(Optional.of(ofSender)));
    OutgoingHttp sender = sender(new RequestSigner(ClusterKey.of(secret::texts), clock::get));
    for (String step : List.of(SECRET + "\n" + NEXT, NEXT + "\n" + SECRET, NEXT)) {
      Files.writeString(file, step);
      guard.look();
      String first = step.lines().findFirst().orElseThrow();
      Awaitility.await().until(() -> isFirstOfReceiver(first));
      assertThat(post(sender, PATH, new byte[0]).status()).isEqualTo(200);
      Files.writeString(ofSender, step);
      secret.look();
      assertThat(post(sender, PATH, new byte[0]).status()).isEqualTo(200);
    }
    assertThat(post(signer(SECRET)).status()).as("with the old secret").isEqualTo(401);
    assertThat(rejected("signature")).isEqualTo(1);
  }

  /** Whether the receiver, which signs too, signs with a secret. */
  private boolean isFirstOfReceiver(String secret) {
    ClusterKey expected = ClusterKey.of(() -> List.of(secret));
    return Arrays.equals(
        new Seal(guard.key(), Purpose.ENTRY).sign(), new Seal(expected, Purpose.ENTRY).sign());
  }

  @Test
  void aRogueAnswerIsNotLoggedAsItIsWritten() throws Exception {
    for (String challenge :
        List.of("Fleetgauge-Signature reason=\"x\", error=\"" + "y".repeat(600) + "\"", "Basic")) {
      int rogue =
          vertx
              .createHttpServer()
              .requestHandler(
                  (HttpServerRequest request) ->
                      request
                          .response()
                          .setStatusCode(401)
                          .putHeader("WWW-Authenticate", challenge)
                          .end())
              .listen(0, "127.0.0.1")
              .await(120, TimeUnit.SECONDS)
              .actualPort();
      sender(signer(SECRET))
          .to(URI.create("http://127.0.0.1:" + rogue), HttpMethod.GET, "/", 120_000)
          .send()
          .await(120, TimeUnit.SECONDS);
    }
    assertThat(logged()).isEmpty();
  }
}
