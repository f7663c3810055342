package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.attribution.kubelet.FakeKubelet;
import io.fleetgauge.probe.attribution.kubelet.Messages;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.junit5.VertxExtension;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a node has to have for a probe. The build writes the class path of the module's runtime
 * dependencies to {@code target/runtime-class-path}.
 */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class ProbeClassPathTest {
  private static final Path TARGET =
      Path.of(System.getProperty("fleetgauge.root"), "node-probe", "target");

  @TempDir private Path folder;

  @Test
  void theRuntimeClassPathOfAProbeHasTheseLibrariesAndNoOthers() throws IOException {
    assertThat(libraries())
        .as("a library that is new here is installed on every node")
        .containsExactly(
            "asm",
            "asm-analysis",
            "asm-commons",
            "asm-tree",
            "asm-util",
            "jackson-annotations",
            "jackson-core",
            "jackson-databind",
            "jffi",
            "jnr-a64asm",
            "jnr-ffi",
            "jnr-x86asm",
            "logback-classic",
            "logback-core",
            "netty-buffer",
            "netty-codec-base",
            "netty-codec-classes-quic",
            "netty-codec-compression",
            "netty-codec-dns",
            "netty-codec-http",
            "netty-codec-http2",
            "netty-common",
            "netty-handler",
            "netty-handler-proxy",
            "netty-resolver",
            "netty-resolver-dns",
            "netty-transport",
            "netty-transport-classes-epoll",
            "netty-transport-native-epoll",
            "netty-transport-native-unix-common",
            "picocli",
            "prometheus-metrics-config",
            "prometheus-metrics-core",
            "prometheus-metrics-exposition-textformats",
            "prometheus-metrics-model",
            "prometheus-metrics-tracer-common",
            "prometheus-metrics-tracer-initializer",
            "prometheus-metrics-tracer-otel",
            "prometheus-metrics-tracer-otel-agent",
            "re2j",
            "runtime",
            "sample-model",
            "slf4j-api",
            "snakeyaml",
            "vertx-auth-common",
            "vertx-bridge-common",
            "vertx-core",
            "vertx-core-logging",
            "vertx-eventbus-bridge-common",
            "vertx-uri-template",
            "vertx-web",
            "vertx-web-client",
            "vertx-web-common");
  }

  @Test
  void aProbeWithThisClassPathOnlyShowsItsHelp() throws Exception {
    Path output = folder.resolve("output");
    Process probe = probe(output, "--help");
    assertThat(probe.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(probe.exitValue()).as(Files.readString(output)).isZero();
    assertThat(output).content().contains("--config");
  }

  @Test
  void aProbeWithThisClassPathOnlySendsToAGateway(Vertx vertx) throws Exception {
    Promise<Buffer> body = Promise.promise();
    int port =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  assertThat(request.path()).isEqualTo(IntakeProtocol.path("node 1"));
                  request.response().end(new IntakeAnswer.SlowDown(60_000).toString());
                  request.body().onSuccess(body::tryComplete);
                })
            .listen(0, "127.0.0.1")
            .await()
            .actualPort();
    Path config = folder.resolve("probe.yaml");
    Files.writeString(
        config,
        """
        hostname: node 1
        gateways: [http://127.0.0.1:%d]
        tick: 5m
        http: {host: 127.0.0.1, port: 0}
        spool: {folder: %s}
        """
            .formatted(port, folder.resolve("spool")));
    Path output = folder.resolve("output");
    Process probe = probe(output, "--config", config.toString());
    try {
      Frame frame = new FrameDecoder(body.future().await(120, TimeUnit.SECONDS).getBytes()).next();
      assertThat(frame).isInstanceOf(Frame.Tick.class);
      assertThat(frame.host()).isEqualTo("node 1");
    } finally {
      probe.destroy();
      assertThat(probe.waitFor(120, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(output).content().doesNotContain("NoClassDefFoundError");
  }

  @Test
  void aProbeWithThisClassPathOnlyDiscoversAGatewayAndRegistersItself(Vertx vertx)
      throws Exception {
    Promise<String> frames = Promise.promise();
    Promise<String> registration = Promise.promise();
    Promise<String> end = Promise.promise();
    HttpServer server = vertx.createHttpServer();
    server
        .requestHandler(
            request -> {
              switch (request.path()) {
                case "/v1/health/service/gateways" ->
                    request
                        .response()
                        .end(
                            "[{\"Service\": {\"Address\": \"127.0.0.1\", \"Port\": %d}}]"
                                .formatted(server.actualPort()));
                case "/v1/agent/service/register" ->
                    request
                        .body()
                        .onSuccess(
                            body -> {
                              registration.tryComplete(body.toString());
                              request.response().end();
                            });
                case "/v1/agent/service/deregister/fleetgauge-probe-n1" -> {
                  end.tryComplete(request.path());
                  request.response().end();
                }
                default -> {
                  frames.tryComplete(request.path());
                  request.response().end(new IntakeAnswer.SlowDown(60_000).toString());
                }
              }
            })
        .listen(0, "127.0.0.1")
        .await();
    String consul = "http://127.0.0.1:" + server.actualPort();
    Path config = folder.resolve("probe.yaml");
    Files.writeString(
        config,
        """
        hostname: n1
        discovery: {method: consul, consul: {api: '%s', service: gateways}}
        registration: {consul: {enabled: true, api: '%s'}}
        tick: 5m
        http: {host: 127.0.0.1, port: 0}
        spool: {folder: %s}
        """
            .formatted(consul, consul, folder.resolve("spool")));
    Path output = folder.resolve("output");
    Process probe = probe(output, "--config", config.toString());
    try {
      assertThat(frames.future().await(120, TimeUnit.SECONDS)).isEqualTo(IntakeProtocol.path("n1"));
      assertThat(registration.future().await(120, TimeUnit.SECONDS)).contains("/-/healthy");
      assertThat(folder.resolve("spool/discovery"))
          .content()
          .endsWith("\n127.0.0.1:" + server.actualPort() + "\n");
    } finally {
      probe.destroy();
      assertThat(probe.waitFor(120, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(end.future().await(120, TimeUnit.SECONDS)).isNotEmpty();
    assertThat(output).content().doesNotContain("NoClassDefFoundError");
  }

  @Test
  void aProbeWithThisClassPathOnlyAsksTheKubelet() throws Exception {
    Path config = folder.resolve("probe.yaml");
    Files.writeString(
        config,
        """
        gateways: [http://127.0.0.1:1]
        tick: 5m
        http: {host: 127.0.0.1, port: 0}
        spool: {enabled: false}
        attribution: {kubelet: {socket: %s}}
        """
            .formatted(folder.resolve("kubelet.sock")));
    Path output = folder.resolve("output");
    try (FakeKubelet kubelet = new FakeKubelet(folder.resolve("kubelet.sock"))) {
      kubelet.lists(new Messages.Field[0]);
      Process probe = probe(output, "--config", config.toString());
      try {
        // A busy machine may need more than one attempt.
        await().until(() -> kubelet.calls().contains("GetAllocatableResources"));
        assertThat(kubelet.calls()).startsWith("List");
      } finally {
        probe.destroy();
        assertThat(probe.waitFor(120, TimeUnit.SECONDS)).isTrue();
      }
    }
    assertThat(output).content().doesNotContain("NoClassDefFoundError");
  }

  private static Process probe(Path output, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Xmx128m", "-cp"));
    command.add(TARGET.resolve("classes") + File.pathSeparator + classPath());
    command.addAll(List.of("io.fleetgauge.runtime.process.Main", "probe"));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  private static String classPath() throws IOException {
    return Files.readString(TARGET.resolve("runtime-class-path")).strip();
  }

  /** Names without versions and classifiers; a module of ours may be a folder of classes. */
  private static TreeSet<String> libraries() throws IOException {
    TreeSet<String> names = new TreeSet<>();
    for (String entry : classPath().split(Pattern.quote(File.pathSeparator))) {
      Path path = Path.of(entry);
      names.add(
          path.endsWith("target/classes")
              ? path.getParent().getParent().getFileName().toString()
              : path.getFileName().toString().replaceFirst("-\\d+\\..*", ""));
    }
    return names;
  }
}
