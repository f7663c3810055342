package io.fleetgauge.probe.attribution.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.nio.charset.StandardCharsets;
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
                    """))
            .names();
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

  /**
   * As CRI-O answers: {@code server/container_list.go} and {@code server/sandbox_list.go} fill the
   * messages of {@code k8s.io/cri-api}, {@code pkg/apis/runtime/v1/api.proto}, with all their
   * fields. Containers of {@code crictl} have the labels of its file only.
   */
  @Test
  void aContainerOfCriOWithoutLabelsOfTheKubeletHasTheNameOfItsSandbox() throws Exception {
    WireWriter all = new WireWriter();
    message(all, 0x0a, crio(A, "sandbox-1", "train", 3, true));
    message(all, 0x0a, crio(B, "sandbox-2", "shell", 0, false));
    message(all, 0x0a, crio("0c".repeat(32), "sandbox-3", "lost", 0, false));
    WireWriter pods = new WireWriter();
    message(pods, 0x0a, sandbox("sandbox-1", "p-1", "uid-1", "ml"));
    message(pods, 0x0a, sandbox("sandbox-2", "p-2", "uid-2", "dev"));
    serveGrpc(
        Map.of(
            "/runtime.v1.RuntimeService/ListContainers",
            all.toBytes(),
            "/runtime.v1.RuntimeService/ListPodSandbox",
            pods.toBytes()));
    ContainerNames names = names(cri());
    ask(names);
    assertThat(names.of(A)).contains(IN_POD);
    assertThat(names.of(B))
        .contains(new ContainerName("k8s_shell_p-2_dev_uid-2_0", "shell", "p-2", "dev", "uid-2"));
    assertThat(names.of("0c".repeat(32)))
        .as("its sandbox has gone")
        .contains(new ContainerName("lost", "lost", "", "", ""));
    assertThat(names.podUids()).isEqualTo(Map.of("ml/p-1", "uid-1", "dev/p-2", "uid-2"));
  }

  @Test
  void theUidOfAPodIsToldWhileAllItsContainersAreOfOnePod() throws Exception {
    AtomicInteger round = new AtomicInteger();
    serve(
        request ->
            request
                .response()
                .end(
                    round.getAndIncrement() == 0
                        ? list(A, "k8s_a_p_ns_u1_0", B, "k8s_b_p_ns_u1_0")
                        : list(A, "k8s_a_p_ns_u1_0", B, "k8s_b_p_ns_u2_0")));
    ContainerNames names = names(docker());
    names.wantUids(Set.of("ns/p"));
    ask(names);
    assertThat(names.podUids()).isEqualTo(Map.of("ns/p", "u1"));
    ask(names);
    assertThat(round).as("asked at each round for a pod whose UID nobody else tells").hasValue(2);
    assertThat(names.podUids()).as("made again under its name").isEmpty();
    names.wantUids(Set.of());
    ask(names);
    assertThat(round).hasValue(2);
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
            "POST /runtime.v1alpha2.RuntimeService/ListContainers",
            "POST /runtime.v1alpha2.RuntimeService/ListPodSandbox");
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
  void anEntryThatCannotBeReadCostsOnlyItselfAndIsCounted() throws Exception {
    byte[] docker =
        """
        [null, {"Id": "a", "Names": ["/one"], "Labels": {"io.kubernetes.x": "%c"}}, 7, [],
         {"Id": 5, "Names": ["/x"]}, {"Id": "x", "Names": null}, {"Names": ["/x"]},
         {"Id": "b", "Names": ["/two"], "Labels": 3, "Later": {"a": [1]}}]
        """
            .formatted(0xff)
            .getBytes(StandardCharsets.ISO_8859_1);
    Listing ofDocker = Docker.read(Buffer.buffer(docker));
    assertThat(ofDocker.names()).containsOnlyKeys("a", "b");
    assertThat(ofDocker.lost()).isEqualTo(6);
    assertThat(ofDocker.first()).contains("container 0");
    byte[] good = containers();
    Random random = new Random(20_261_127);
    for (int i = 0; i < 2_000; i++) {
      byte[] entry = new byte[random.nextInt(1, 100)];
      random.nextBytes(entry);
      WireWriter all = new WireWriter();
      message(all, 0x0a, new WireWriter().raw(entry, 0, entry.length));
      all.raw(good, 0, good.length);
      Listing listing = readCri(all.toBytes());
      assertThat(listing.names()).containsKeys(A, B);
      assertThat(listing.lost()).isLessThanOrEqualTo(1);
    }
    WireWriter all = new WireWriter();
    message(all, 0x0a, new WireWriter().u8(0x0a).u8(1).u8(0xff));
    all.raw(good, 0, good.length);
    byte[] answer = all.toBytes();
    serveGrpc("/runtime.v1.RuntimeService/ListContainers", answer);
    ContainerNames names = names(cri());
    ask(names);
    assertThat(names.of(A)).contains(IN_POD);
    assertThat(names.status().getFirst().errors()).isEqualTo(1);
    assertThat(names.status().getFirst().isUp()).isTrue();
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
            isCri ? readCri(answer).names() : Docker.read(Buffer.buffer(answer)).names();
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

  /** The same bytes as both answers: some of them have to be refused, none may do harm. */
  private static Listing readCri(byte[] answer) throws WireException {
    Listing listing = new Listing();
    return Cri.names(
        Cri.containers(answer, listing), Cri.sandboxes(answer, new Listing()), listing);
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

  /** A Container with all its fields. */
  private static WireWriter crio(
      String id, String sandbox, String name, int attempt, boolean isOfKubelet) {
    WireWriter out = new WireWriter();
    out.u8(0x0a).string(id).u8(0x12).string(sandbox);
    message(out, 0x1a, new WireWriter().u8(0x0a).string(name).u8(0x10).uvar(attempt));
    message(out, 0x22, new WireWriter().u8(0x0a).string("quay.io/x/y:1"));
    out.u8(0x2a).string("sha256:" + id).u8(0x30).uvar(1).u8(0x38).uvar(1_800_000_000_000_000_000L);
    if (isOfKubelet) {
      label(out, "io.kubernetes.container.name", name);
      label(out, "io.kubernetes.pod.name", "p-1");
      label(out, "io.kubernetes.pod.namespace", "ml");
      label(out, "io.kubernetes.pod.uid", "uid-1");
    }
    for (String key : List.of("io.kubernetes.container.hash", "io.kubernetes.cri-o.SandboxID")) {
      message(out, 0x4a, new WireWriter().u8(0x0a).string(key).u8(0x12).string("x"));
    }
    return out.u8(0x52).string("sha256:" + id);
  }

  /** A PodSandbox with all its fields. */
  private static WireWriter sandbox(String id, String name, String uid, String namespace) {
    WireWriter out = new WireWriter().u8(0x0a).string(id);
    WireWriter metadata = new WireWriter().u8(0x0a).string(name).u8(0x12).string(uid);
    message(out, 0x12, metadata.u8(0x1a).string(namespace).u8(0x20).uvar(1));
    out.u8(0x18).uvar(0).u8(0x20).uvar(1_800_000_000_000_000_000L);
    message(out, 0x2a, new WireWriter().u8(0x0a).string("app").u8(0x12).string("x"));
    return out.u8(0x3a).string("nvidia");
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

  /** A server that has one method, and pods of none. */
  private void serveGrpc(String method, byte[] message) {
    serveGrpc(
        Map.of(method, message, method.replace("ListContainers", "ListPodSandbox"), new byte[0]));
  }

  /** A server that answers each of its methods with one message. */
  private void serveGrpc(Map<String, byte[]> methods) {
    serve(
        request -> {
          byte[] message = methods.get(request.uri());
          request.response().putHeader("content-type", "application/grpc");
          request.response().putTrailer("grpc-status", message == null ? "12" : "0");
          request
              .body()
              .onSuccess(
                  body -> {
                    assertThat(body.getBytes(5, body.length()))
                        .containsExactly(
                            request.uri().endsWith("ListContainers")
                                ? new byte[] {0x0a, 0x04, 0x12, 0x02, 0x08, 0x01}
                                : new byte[0]);
                    if (message == null) {
                      request.response().end();
                    } else {
                      Buffer frame = Buffer.buffer().appendByte((byte) 0);
                      request.response().end(frame.appendInt(message.length).appendBytes(message));
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
    await().atMost(Duration.ofMinutes(10)).until(() -> !names.isAsking());
  }
}
