package io.fleetgauge.runtime.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fleetgauge.runtime.config.ConsulApi;
import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.config.DiscoverySettings.Source;
import io.fleetgauge.runtime.discovery.BadAnswer.Reason;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Answers of Kubernetes and of Consul, over real connections. */
@ExtendWith(VertxExtension.class)
class ApiLookupTest {
  private static final int MAX_BYTES = 1 << 20;

  @TempDir private static Path keys;
  @TempDir private Path folder;
  private Vertx vertx;
  private ReplayedApi api;
  private Duration timeout = Duration.ofSeconds(10);

  @BeforeEach
  void start(Vertx loops) throws Exception {
    vertx = loops;
    api = ReplayedApi.plain(vertx);
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  private DiscoverySettings settings(Source source) {
    return new DiscoverySettings(
        DiscoverySettings.OF_MEMBERS,
        source,
        Duration.ofSeconds(5),
        timeout,
        Optional.empty(),
        1_000,
        MAX_BYTES,
        false);
  }

  private Lookup consul(URI address, Optional<Path> token, Optional<Path> ca) {
    Source.Consul source =
        new Source.Consul(
            new ConsulApi(
                address, Optional.of("dc 1"), token, ca, Optional.empty(), Optional.empty()),
            "gate way",
            List.of("v1", "a&b"),
            9);
    return new ConsulLookup(vertx, settings(source), source);
  }

  private Lookup kubernetes(URI address, Optional<String> namespace) {
    Source.Kubernetes source =
        new Source.Kubernetes(
            address,
            namespace,
            "gateway",
            Optional.of("http"),
            9500,
            true,
            folder.resolve("token"),
            keys.resolve("ca.crt"),
            folder.resolve("namespace"));
    return new KubernetesLookup(vertx, settings(source), source);
  }

  private static List<String> ask(Lookup lookup) throws Exception {
    return lookup.ask().await(120, TimeUnit.SECONDS).addresses();
  }

  private static String failure(Lookup lookup, Reason reason) {
    Throwable failure = catchThrowable(() -> ask(lookup));
    assertThat(failure).isInstanceOf(BadAnswer.class);
    assertThat(((BadAnswer) failure).reason()).isEqualTo(reason);
    return failure.getMessage();
  }

  @Test
  void consulIsAskedForInstancesThatPass() throws Exception {
    api.answers(200, AnswersTest.INSTANCES);
    Path token = Files.writeString(folder.resolve("token"), "secret-1\n");
    try (Lookup lookup = consul(api.address(), Optional.of(token), Optional.empty())) {
      assertThat(ask(lookup)).containsExactly("10.1.10.13:5701", "10.1.10.20:9");
      Files.writeString(token, "secret-2\n");
      ask(lookup);
      String path =
          "GET /v1/health/service/gate%20way?passing=1&stale=&dc=dc%201&tag=v1&tag=a%26b ";
      assertThat(api.requests).containsExactly(path + "secret-1", path + "secret-2");
    }
  }

  @Tag("slow")
  @Test
  void kubernetesIsAskedOverTlsWithTheTokenOfThePod() throws Exception {
    api.close();
    api = ReplayedApi.secured(vertx, keys);
    api.answers(200, AnswersTest.SLICES);
    Files.writeString(folder.resolve("token"), "t1");
    Files.writeString(folder.resolve("namespace"), "of-pod\n");
    try (Lookup lookup = kubernetes(api.address(), Optional.empty())) {
      assertThat(ask(lookup)).hasSize(4).contains("10.1.2.3:9500");
      assertThat(api.requests)
          .containsExactly(
              "GET /apis/discovery.k8s.io/v1/namespaces/of-pod/endpointslices?labelSelector="
                  + "kubernetes.io%2Fservice-name%3Dgateway&resourceVersion=0 Bearer t1");
    }
  }

  @Tag("slow")
  @Test
  void anApiWhoseCertificateIsOfAnotherAuthorityIsNotBelieved() throws Exception {
    api.close();
    api = ReplayedApi.secured(vertx, keys);
    api.answers(200, AnswersTest.INSTANCES);
    try (Lookup lookup = consul(api.address(), Optional.empty(), Optional.empty())) {
      assertThat(catchThrowable(() -> ask(lookup))).isNotNull();
      assertThat(api.requests).isEmpty();
    }
    try (Lookup lookup =
        consul(api.address(), Optional.empty(), Optional.of(keys.resolve("ca.crt")))) {
      assertThat(ask(lookup)).hasSize(2);
    }
  }

  @Test
  void anAnswerThatIsNotGoodIsRefusedAndTheNextOneIsRead() throws Exception {
    try (Lookup lookup = consul(api.address(), Optional.empty(), Optional.empty())) {
      api.answers(403, "Permission denied");
      assertThat(failure(lookup, Reason.REFUSED))
          .isEqualTo("it responds with status 403: \"Permission denied\"");
      api.answers(500, "No cluster leader");
      failure(lookup, Reason.REFUSED);
      api.answers(302, "");
      failure(lookup, Reason.REFUSED);
      api.answers(200, "<html>");
      failure(lookup, Reason.MALFORMED);
      api.answers(200, "[]");
      failure(lookup, Reason.EMPTY);
      api.answers(request -> request.connection().close());
      assertThat(catchThrowable(() -> ask(lookup))).isNotNull();
      api.answers(200, AnswersTest.INSTANCES);
      assertThat(ask(lookup)).hasSize(2);
    }
  }

  @Test
  void anAnswerIsReadUpToTheLimitAndALongerOneIsRefused() throws Exception {
    try (Lookup lookup = consul(api.address(), Optional.empty(), Optional.empty())) {
      String whole = AnswersTest.INSTANCES;
      api.answers(200, whole + " ".repeat(MAX_BYTES - whole.length()));
      assertThat(ask(lookup)).hasSize(2);
      api.answers(200, whole + " ".repeat(MAX_BYTES - whole.length() + 1));
      assertThat(failure(lookup, Reason.TOO_LONG)).contains("maxAnswer, 1048576 B");
      api.answers(200, whole);
      assertThat(ask(lookup)).hasSize(2);
    }
  }

  @Test
  void anAnswerThatIsNeverWholeIsNotWaitedFor() throws Exception {
    timeout = Duration.ofSeconds(1);
    try (Lookup lookup = consul(api.address(), Optional.empty(), Optional.empty())) {
      api.answers(request -> request.response().setChunked(true).write(Buffer.buffer("[")));
      assertThat(failure(lookup, Reason.UNREACHABLE)).contains("not complete after 1000 ms");
      api.answers(200, AnswersTest.INSTANCES);
      assertThat(ask(lookup)).hasSize(2);
    }
  }

  @Tag("slow")
  @Test
  void anAnswerThatNeverComesIsNotWaitedFor() throws Exception {
    timeout = Duration.ofSeconds(1);
    try (Lookup lookup = consul(api.address(), Optional.empty(), Optional.empty())) {
      api.answers(request -> {});
      assertThat(catchThrowable(() -> ask(lookup))).isNotNull();
      api.answers(200, AnswersTest.INSTANCES);
      assertThat(ask(lookup)).hasSize(2);
    }
  }

  @Test
  void aTokenThatCannotBeReadIsTold() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "");
    try (Lookup lookup = consul(api.address(), Optional.of(token), Optional.empty())) {
      assertThat(failure(lookup, Reason.REFUSED)).contains("holds no token");
      Files.delete(token);
      assertThat(failure(lookup, Reason.REFUSED)).contains("cannot be read");
    }
    assertThat(api.requests).isEmpty();
  }

  @Test
  void outsideOfAPodTheNamespaceHasToBeConfigured() throws Exception {
    try (Lookup lookup = kubernetes(api.address(), Optional.empty())) {
      assertThat(failure(lookup, Reason.UNREACHABLE))
          .endsWith("; set cluster.discovery.kubernetes.namespace");
    }
    api.answers(200, AnswersTest.SLICES);
    try (Lookup lookup = kubernetes(api.address(), Optional.of("fleetgauge"))) {
      assertThat(ask(lookup)).hasSize(4);
      assertThat(lookup.whom()).isEqualTo("the Kubernetes API at " + api.address());
    }
    Files.writeString(folder.resolve("namespace"), "of-pod\n");
    Files.writeString(folder.resolve("token"), "t1\n");
    try (Lookup lookup = kubernetes(api.address(), Optional.empty())) {
      assertThat(ask(lookup)).contains("10.1.2.3:9500");
    }
    String slices =
        "/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dgateway&resourceVersion=0";
    assertThat(api.requests)
        .as("without a token, as with kubectl proxy, and with it")
        .containsExactly(
            "GET /apis/discovery.k8s.io/v1/namespaces/fleetgauge" + slices,
            "GET /apis/discovery.k8s.io/v1/namespaces/of-pod" + slices + " Bearer t1");
  }
}
