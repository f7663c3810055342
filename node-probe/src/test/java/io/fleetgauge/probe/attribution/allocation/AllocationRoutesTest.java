package io.fleetgauge.probe.attribution.allocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Requests about allocations over a Unix socket. */
@ExtendWith(VertxExtension.class)
class AllocationRoutesTest {
  private static final List<GpuIdentity> GPUS =
      List.of(new GpuIdentity(Labels.of("gpu", "0", "UUID", "GPU-a"), 0, List.of()));

  @TempDir private Path folder;
  private final AtomicLong clock = new AtomicLong(1_000_000);
  private final Allocations allocations = Allocations.open(2, Optional.empty(), "boot", clock::get);
  private final Meters meters = new Meters("t");
  private Vertx vertx;
  private HttpClient client;
  private Router router;
  private AllocationRoutes routes;
  private Path path;

  private record Answer(int status, String challenge, JsonObject body) {
    String error() {
      return body.getString("errorType") + ": " + body.getString("error");
    }
  }

  @BeforeEach
  void open(Vertx loops) {
    vertx = loops;
    client = vertx.createHttpClient();
    router = Router.router(vertx);
    routes =
        new AllocationRoutes(vertx, allocations, new AllocationSource(allocations, () -> GPUS));
    routes.declare(meters);
    path = folder.resolve("socket");
  }

  private LocalSocket start() throws StartFailure {
    return LocalSocket.start(vertx, path, Optional.empty(), router);
  }

  private Answer ask(HttpMethod method, String uri, String body, String token) throws Exception {
    return client
        .request(
            new RequestOptions()
                .setServer(SocketAddress.domainSocketAddress(path.toString()))
                .setHost("localhost")
                .setPort(80)
                .setMethod(method)
                .setURI(uri))
        .compose(
            request -> {
              if (!token.isEmpty()) {
                request.putHeader("Authorization", token);
              }
              return request
                  .send(Buffer.buffer(body))
                  .compose(
                      response ->
                          response
                              .body()
                              .map(
                                  bytes ->
                                      new Answer(
                                          response.statusCode(),
                                          response.getHeader("WWW-Authenticate"),
                                          bytes.length() == 0
                                              ? new JsonObject()
                                              : new JsonObject(bytes))));
            })
        .await(2, TimeUnit.MINUTES);
  }

  private Answer tell(String id) throws Exception {
    return ask(
        HttpMethod.POST,
        "/v1/allocations",
        "{\"id\": \"" + id + "\", \"gpus\": [0, 7], \"owner\": {\"hpc_job\": \"17\"}}",
        "");
  }

  private String metrics() {
    return new String(meters.exposition(), StandardCharsets.UTF_8);
  }

  @Test
  void anAllocationIsToldListedAndRemoved() throws Exception {
    routes.mount(router);
    try (LocalSocket socket = start()) {
      for (int i = 0; i < 2; i++) {
        Answer told = tell("a");
        assertThat(told.status).isEqualTo(200);
        assertThat(told.body.getJsonObject("data").getJsonArray("unknownGpus"))
            .as("the node has one GPU")
            .containsExactly("nvidia7");
      }
      assertThat(allocations.now()).extracting(ReportedAllocation::id).containsExactly("a");
      Answer all = ask(HttpMethod.GET, "/v1/allocations", "", "");
      assertThat(all.body.getJsonArray("data").getJsonObject(0).getString("id")).isEqualTo("a");
      for (boolean wasThere : new boolean[] {true, false}) {
        Answer removed = ask(HttpMethod.DELETE, "/v1/allocations/a", "", "");
        assertThat(removed.status).isEqualTo(200);
        assertThat(removed.body.getJsonObject("data").getBoolean("removed")).isEqualTo(wasThere);
      }
      assertThat(allocations.now()).isEmpty();
      assertThat(socket).isNotNull();
    }
    assertThat(metrics())
        .contains("t_allocation_requests_accepted_total 5.0")
        .contains("t_allocation_requests_refused_total 0.0");
  }

  @Test
  void whatIsDamagedOrTooMuchIsRefusedWithTheReasonAndCounted() throws Exception {
    routes.mount(router);
    try (LocalSocket socket = start()) {
      Answer damaged = ask(HttpMethod.POST, "/v1/allocations", "{", "");
      assertThat(damaged.status).isEqualTo(400);
      assertThat(damaged.error()).startsWith("bad_data: the body is not JSON");
      assertThat(ask(HttpMethod.POST, "/v1/allocations", "", "").status).isEqualTo(400);
      Answer large =
          ask(HttpMethod.POST, "/v1/allocations", "x".repeat(AllocationForm.MAX_BYTES + 1), "");
      assertThat(large.status).isEqualTo(413);
      assertThat(large.error())
          .isEqualTo("bad_data: the body has more than the 65536 bytes that are allowed");
      Answer noId = ask(HttpMethod.DELETE, "/v1/allocations/a%2Fb", "", "");
      assertThat(noId.status).isEqualTo(400);
      assertThat(noId.error()).startsWith("bad_data: the path names no id");
      tell("a");
      tell("b");
      Answer full = tell("c");
      assertThat(full.status).isEqualTo(429);
      assertThat(full.error())
          .startsWith(
              "unavailable: there are 2 allocations, which is attribution.allocations.limit");
      assertThat(tell("a").status).as("one that is there already").isEqualTo(200);
      assertThat(socket).isNotNull();
    }
    assertThat(metrics())
        .contains("t_allocation_requests_accepted_total 3.0")
        .contains("t_allocation_requests_refused_total 5.0");
  }

  @Test
  void overThePortOnlyWhoShowsTheTokenIsHeard() throws Exception {
    List<String> token = new ArrayList<>(List.of("secret"));
    List<String> admitted = new ArrayList<>();
    Handler<RoutingContext> mayAsk =
        http -> {
          admitted.add(http.request().uri());
          http.next();
        };
    routes.mount(router, mayAsk, token::getFirst);
    try (LocalSocket socket = start()) {
      for (String shown : List.of("", "Bearer ", "Bearer other", "secret", "Basic secret")) {
        Answer refused = ask(HttpMethod.GET, "/v1/allocations", "", shown);
        assertThat(refused.status).as(shown).isEqualTo(401);
        assertThat(refused.challenge).isEqualTo("Bearer realm=\"fleetgauge\"");
        assertThat(refused.error()).startsWith("unauthorized: send the token");
      }
      assertThat(ask(HttpMethod.GET, "/v1/allocations", "", "Bearer secret").status).isEqualTo(200);
      assertThat(ask(HttpMethod.DELETE, "/v1/allocations/a", "", "").status).isEqualTo(401);
      token.set(0, "");
      Answer closed = ask(HttpMethod.GET, "/v1/allocations", "", "Bearer ");
      assertThat(closed.status).isEqualTo(403);
      assertThat(closed.error()).startsWith("forbidden: this port accepts no allocations");
      assertThat(admitted).hasSize(8);
      assertThat(socket).isNotNull();
    }
  }

  @Test
  void theSocketIsForItsUserAloneAndGoesWithTheProbe() throws Exception {
    path = folder.resolve("new/socket");
    routes.mount(router);
    LocalSocket first = start();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("rw-------");
    assertThat(path.getParent()).isDirectoryContaining(each -> each.equals(path));
    try (var all = Files.list(path.getParent())) {
      assertThat(all).as("nothing unfinished is left").containsExactly(path);
    }
    assertThat(tell("a").status).isEqualTo(200);
    first.close();
    assertThat(path).doesNotExist();
  }

  @Test
  void aSocketThatAProcessHasLeftIsReplacedAndThatOfAnotherOneStays() throws Exception {
    routes.mount(router);
    LocalSocket first = start();
    assertThatThrownBy(this::start)
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("another process listens on " + path);
    first.close();
    // Left as by a process that was killed: nobody listens any more.
    try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      left.bind(UnixDomainSocketAddress.of(path));
    }
    assertThat(path).exists();
    LocalSocket second = start();
    Files.delete(path);
    Vertx ofAnother = Vertx.vertx();
    LocalSocket third = LocalSocket.start(ofAnother, path, Optional.empty(), router);
    second.close();
    assertThat(path).as("it is the third one's").exists();
    third.close();
    assertThat(path).doesNotExist();
    ofAnother.close().await(2, TimeUnit.MINUTES);
  }

  @Test
  void aPathThatCannotBeASocketIsAFailureThatNamesItsKey() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "kept");
    for (Path each : List.of(file, folder)) {
      assertThatThrownBy(() -> LocalSocket.start(vertx, each, Optional.empty(), router))
          .isInstanceOf(StartFailure.class)
          .hasMessageStartingWith(each + " exists and is not a socket");
    }
    assertThat(file).hasContent("kept");
    Path longest = folder.resolve("x".repeat(107 - folder.toString().length() - 1));
    Path longer = folder.resolve("x".repeat(107 - folder.toString().length()));
    assertThatThrownBy(() -> LocalSocket.start(vertx, longer, Optional.empty(), router))
        .hasMessageContaining("is too long for a socket")
        .hasMessageContaining("attribution.allocations.socket");
    LocalSocket.start(vertx, longest, Optional.empty(), router).close();
    assertThatThrownBy(() -> LocalSocket.start(vertx, path, Optional.of("no-such-group"), router))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("the socket " + path + " cannot be used");
    assertThat(path).doesNotExist();
  }

  /** A program that opens one connection after the other takes no memory without end. */
  @Test
  void thereAreNoMoreConnectionsThanTheLimit() throws Exception {
    routes.mount(router);
    List<SocketChannel> open = new ArrayList<>();
    try (LocalSocket socket = start()) {
      for (int i = 0; i < 64; i++) {
        open.add(connect());
        assertThat(answers(open.getLast())).as("connection %s", i).isTrue();
      }
      try (SocketChannel oneMore = connect()) {
        assertThat(answers(oneMore)).isFalse();
      }
      open.removeFirst().close();
      await()
          .until(
              () -> {
                try (SocketChannel again = connect()) {
                  return answers(again);
                }
              });
      assertThat(socket).isNotNull();
    } finally {
      for (SocketChannel each : open) {
        each.close();
      }
    }
  }

  private SocketChannel connect() throws IOException {
    return SocketChannel.open(UnixDomainSocketAddress.of(path));
  }

  private static boolean answers(SocketChannel channel) {
    byte[] request =
        "GET /v1/allocations HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    try {
      channel.write(ByteBuffer.wrap(request));
      return channel.read(ByteBuffer.allocate(100)) > 0;
    } catch (IOException e) {
      return false; // closed
    }
  }
}
