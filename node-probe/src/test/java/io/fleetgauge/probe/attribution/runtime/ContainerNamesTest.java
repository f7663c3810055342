package io.fleetgauge.probe.attribution.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.attribution.grpc.GrpcConnection;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.DecodeException;
import io.vertx.core.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runtimes that the test plays on real sockets. */
class ContainerNamesTest {
  private static final String A = "0a".repeat(32);
  private static final String B = "0b".repeat(32);
  private static final ContainerName IN_POD =
      new ContainerName("k8s_train_p-1_ml_uid-1_3", "train", "p-1", "ml", "uid-1");
  private static final int LIMIT_MILLIS = 2_000;
  private static final int DAMAGED = 100_000;

  @TempDir private Path folder;
  private Vertx vertx;
  private Path socket;
  private HttpServer server;
  private long nanos;
  private final List<String> asked = new ArrayList<>();

  @BeforeEach
  void begin() {
    vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
    socket = folder.resolve("s.sock");
  }

  @AfterEach
  void end() {
    vertx.close().await();
  }

  @Test
  void dockerTellsPlainNamesAndThoseOfPods() throws Exception {
    serve(
        request ->
            request
                .response()
                .end(
                    """
                    [{"Id": "%s", "Names": ["/k8s_train_p-1_ml_uid-1_3"], "State": "running"},
                     {"Id": "%s", "Names": ["/ollama", "/other/alias"], "Labels": {"a": "b"}},
                     {"Id": 7}, null, {"Names": []}]
                    """
                        .formatted(A, B)));
    ContainerNames names = names(docker());
    ask(names);
    assertThat(names.of(A)).contains(IN_POD);
    assertThat(names.of(B)).contains(new ContainerName("ollama", "ollama", "", "", ""));
    assertThat(names.of("")).isEmpty();
    assertThat(asked).containsExactly("GET /containers/json");
  }

  @Test
  void labelsOfKubernetesNameAContainerOfDockerToo() throws Exception {
    Map<String, ContainerName> read =
        Docker.read(
            Buffer.buffer(
                """
                [{"Id": "a", "Names": ["/x"], "Labels": {
                  "io.kubernetes.container.name": "train", "io.kubernetes.pod.name": "p-1",
                  "io.kubernetes.pod.namespace": "ml", "io.kubernetes.pod.uid": "uid-1"}}]
                """));
    assertThat(read).containsEntry("a", new ContainerName("x", "train", "p-1", "ml", "uid-1"));
  }

  @Test
  void theInterfaceOfKubernetesTellsPodAndNamespace() throws Exception {
    serveGrpc("/runtime.v1.RuntimeService/ListContainers", containers());
    ContainerNames names = names(cri());
    ask(names);
    assertThat(names.of(A)).contains(IN_POD);
    assertThat(names.of(B)).as("a container without a pod").map(ContainerName::name).contains("b");
  }

  @Test
  void aRuntimeThatKnowsTheOlderInterfaceOnlyIsAskedInIt() throws Exception {
    serveGrpc("/runtime.v1alpha2.RuntimeService/ListContainers", containers());
    ContainerNames names = names(cri());
    ask(names);
    assertThat(names.of(A)).contains(IN_POD);
    assertThat(asked)
        .containsExactly(
            "POST /runtime.v1.RuntimeService/ListContainers",
            "POST /runtime.v1alpha2.RuntimeService/ListContainers");
  }

  @Test
  void aRuntimeThatVanishesLeavesTheNamesThatAreWantedAndIsFoundAgain() throws Exception {
    ContainerNames names = names(docker());
    ask(names);
    assertThat(names.status()).as("it never was there").isEmpty();
    serve(request -> request.response().end(list(A, "one", B, "two")));
    names.want(Set.of(A, "missing"));
    ask(names);
    assertThat(names.of(A)).isPresent();
    server.close().await();
    Files.deleteIfExists(socket);
    nanos += 3_000_000_000L;
    ask(names);
    assertThat(names.status())
        .containsExactly(new ContainerNames.Status(socket, false, OptionalLong.of(3_000), 1));
    assertThat(names.of(A)).map(ContainerName::name).contains("one");
    String c = "0c".repeat(32);
    serve(request -> request.response().end(list(c, "three")));
    ask(names);
    assertThat(names.status().getFirst().isUp()).isTrue();
    assertThat(names.of(c)).isPresent();
    assertThat(names.of(A)).as("it is wanted").isPresent();
    assertThat(names.of(B)).as("nobody asks for it").isEmpty();
    names.want(Set.of("missing"));
    ask(names);
    assertThat(names.of(A)).isEmpty();
  }

  @Test
  void runtimesAreAskedSeldomWhileNoNameIsMissing() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    serve(
        request -> {
          requests.incrementAndGet();
          request.response().end(list(A, "one"));
        });
    ContainerNames names = names(docker());
    ask(names);
    names.want(Set.of(A));
    for (int i = 0; i < 5; i++) {
      ask(names);
    }
    assertThat(requests).hasValue(1);
    ask(names);
    assertThat(requests).as("once in six rounds").hasValue(2);
    names.want(Set.of(A, B));
    ask(names);
    ask(names);
    assertThat(requests).as("while one is missing").hasValue(4);
  }

  @Test
  void answersThatAreNoneLeaveWhatIsKnownAndAreCounted() throws Exception {
    List<Handler<HttpServerRequest>> answers =
        List.of(
            request -> request.response().end(list(A, "one")),
            request -> request.response().setStatusCode(500).end(),
            request -> request.response().end("{\"message\": \"no\"}"),
            request -> request.response().end("[{\"Id\": "),
            request -> request.connection().close(),
            request -> {}, // never answers
            request -> request.response().end("[" + "[".repeat(100_000)));
    AtomicInteger next = new AtomicInteger();
    serve(request -> answers.get(next.getAndIncrement()).handle(request));
    ContainerNames names = names(docker());
    names.want(Set.of(A, B));
    for (int i = 0; i < answers.size(); i++) {
      ask(names);
      assertThat(names.of(A)).isPresent();
      assertThat(names.status().getFirst().errors()).isEqualTo(i);
    }
  }

  @Test
  @Tag("slow")
  void aHundredThousandDamagedAnswersGiveNamesOrAreRefused() {
    Random random = new Random(20_261_124);
    byte[] cri = containers();
    byte[] docker = list(A, "k8s_train_p-1_ml_uid-1_3", B, "two").getBytes();
    int refused = 0;
    for (int i = 0; i < DAMAGED; i++) {
      boolean isCri = i % 2 == 0;
      byte[] answer = damaged(isCri ? cri : docker, random);
      try {
        Map<String, ContainerName> names =
            isCri ? Cri.read(answer) : Docker.read(Buffer.buffer(answer));
        for (ContainerName name : names.values()) {
          assertThat(name.name()).matches("[!-~]+");
          assertThat(name.pod() + name.namespace() + name.container()).matches("[!-~]*");
        }
      } catch (WireException | DecodeException | ClassCastException e) {
        refused++;
      }
    }
    assertThat(refused).isBetween(DAMAGED / 10, DAMAGED);
  }

  private static byte[] damaged(byte[] answer, Random random) {
    byte[] bytes = answer.clone();
    for (int n = random.nextInt(4); n >= 0; n--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    int length = random.nextInt(3) == 0 ? random.nextInt(bytes.length) : bytes.length;
    return Arrays.copyOf(bytes, length);
  }

  private static String list(String... idsAndNames) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < idsAndNames.length; i += 2) {
      all.add(
          "{\"Id\": \"%s\", \"Names\": [\"/%s\"]}".formatted(idsAndNames[i], idsAndNames[i + 1]));
    }
    return "[" + String.join(",", all) + "]";
  }

  /** ListContainersResponse with a container of a pod and one without. */
  private static byte[] containers() {
    WireWriter inPod = new WireWriter();
    inPod.u8(0x0a).string(A);
    inPod.u8(0x12).string("sandbox");
    message(inPod, 0x1a, new WireWriter().u8(0x0a).string("train").u8(0x10).uvar(3));
    inPod.u8(0x30).uvar(1);
    label(inPod, "io.kubernetes.container.name", "train");
    label(inPod, "io.kubernetes.pod.name", "p-1");
    label(inPod, "io.kubernetes.pod.namespace", "ml");
    label(inPod, "io.kubernetes.pod.uid", "uid-1");
    label(inPod, "team", "vision");
    WireWriter plain = new WireWriter();
    plain.u8(0x0a).string(B);
    message(plain, 0x1a, new WireWriter().u8(0x0a).string("b"));
    WireWriter all = new WireWriter();
    message(all, 0x0a, inPod);
    message(all, 0x0a, plain);
    return all.toBytes();
  }

  private static void label(WireWriter out, String key, String value) {
    message(out, 0x42, new WireWriter().u8(0x0a).string(key).u8(0x12).string(value));
  }

  private static void message(WireWriter out, int tag, WireWriter inner) {
    byte[] bytes = inner.toBytes();
    out.u8(tag).uvar(bytes.length).raw(bytes, 0, bytes.length);
  }

  private Docker docker() {
    return new Docker(
        vertx.createHttpClient(new HttpClientOptions().setKeepAlive(false)), socket, LIMIT_MILLIS);
  }

  private Cri cri() {
    return new Cri(GrpcConnection.client(vertx), socket, LIMIT_MILLIS);
  }

  private ContainerNames names(ContainerRuntime runtime) {
    return new ContainerNames(List.of(runtime), () -> nanos);
  }

  private void serve(Handler<HttpServerRequest> handler) {
    server = vertx.createHttpServer(new HttpServerOptions()).requestHandler(asking(handler));
    server.listen(SocketAddress.domainSocketAddress(socket.toString())).await();
  }

  private Handler<HttpServerRequest> asking(Handler<HttpServerRequest> handler) {
    return request -> {
      asked.add(request.method() + " " + request.uri());
      handler.handle(request);
    };
  }

  /** A server that has one method, and answers it with one message. */
  private void serveGrpc(String method, byte[] message) {
    serve(
        request -> {
          boolean isKnown = request.uri().equals(method);
          request.response().putHeader("content-type", "application/grpc");
          request.response().putTrailer("grpc-status", isKnown ? "0" : "12");
          Buffer frame = Buffer.buffer().appendByte((byte) 0).appendInt(message.length);
          request
              .body()
              .onSuccess(
                  body -> {
                    assertThat(body.getBytes(5, body.length()))
                        .containsExactly(0x0a, 0x04, 0x12, 0x02, 0x08, 0x01);
                    if (isKnown) {
                      request.response().end(frame.appendBytes(message));
                    } else {
                      request.response().end();
                    }
                  });
        });
  }

  /** One round, until all runtimes have answered or failed. */
  private void ask(ContainerNames names) {
    Promise<Void> begun = Promise.promise();
    vertx.runOnContext(
        start -> {
          names.ask();
          begun.complete();
        });
    begun.future().await();
    await().atMost(Duration.ofSeconds(20)).until(() -> !names.isAsking());
  }
}
