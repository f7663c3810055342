package io.fleetgauge.query.rules.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.config.RulesSettings;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.sample.files.PrivateFiles;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class GroupExchangeTest {
  private static final Duration SOON = Duration.ofMinutes(10);

  @TempDir Path folder;

  private final Map<String, URI> addresses = new TreeMap<>();
  private final List<QueryApi> apis = new ArrayList<>();
  private Vertx vertx;

  /** The parts of a query API that share groups, on a port of this machine. */
  private final class QueryApi implements AutoCloseable {
    final RuleSource source;
    final GroupExchange exchange;
    final PeerLink link;
    final OutgoingHttp outgoing;
    final HttpListener listener;

    /** How often others asked what is here. */
    final AtomicInteger asked = new AtomicInteger();

    private final String name;

    QueryApi(String name, String secret) throws Exception {
      this.name = name;
      TrustSettings trust =
          new TrustSettings(
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.of(Files.writeString(folder.resolve(name + ".secret"), secret)),
              Duration.ofMinutes(1));
      HttpSettings http = new HttpSettings("127.0.0.1", 0);
      Guard guard =
          Guard.open(
              vertx,
              http,
              Optional.empty(),
              trust,
              TenantLimits.DEFAULT,
              Parser::selectorProblem,
              System::currentTimeMillis);
      outgoing =
          new OutgoingHttp(vertx, trust, guard.signer(), new HttpClients.Limits(1_000, 10, 2, 100));
      source =
          RuleSource.open(
              RulesSettings.of(List.of(), Optional.of(folder.resolve(name))),
              new RuleFileReader(ParseOptions.STOCK, TemplateCheck.TEMPLATES, 60_000),
              System::currentTimeMillis);
      Router router = Router.router(vertx);
      router
          .route("/v1/rules/versions")
          .handler(
              request -> {
                asked.incrementAndGet();
                request.next();
              });
      link = PeerLink.mount(router, guard, vertx, outgoing);
      exchange = new GroupExchange(vertx, source, link);
      exchange.start(router, guard);
      listener = HttpListener.start(vertx, http, "http.port", router);
    }

    /** Compares its groups with those of the others from now on. */
    void join() {
      link.start(name, apis::size);
      exchange.join();
    }

    URI address() {
      return URI.create("http://127.0.0.1:" + listener.port());
    }

    List<String> names() {
      return source.groups().stream().map(group -> group.id().key()).toList();
    }

    @Override
    public void close() throws TimeoutException {
      exchange.close();
      link.close();
      listener.close();
      outgoing.close();
    }
  }

  @BeforeEach
  void start(Vertx started) {
    vertx = started;
  }

  @AfterEach
  void stop() throws TimeoutException {
    for (QueryApi api : apis) {
      api.close();
    }
  }

  private QueryApi api(String name, String secret) throws Exception {
    QueryApi api = new QueryApi(name, secret);
    apis.add(api);
    addresses.put(name, api.address());
    meet();
    return api;
  }

  private void meet() {
    apis.forEach(api -> api.link.found(addresses));
  }

  private QueryApi api(String name) throws Exception {
    return api(name, "the-secret-of-the-cluster");
  }

  private static void set(QueryApi api, String name) throws Exception {
    byte[] text = ("name: " + name + "\nrules: [{record: r, expr: up}]").getBytes(UTF_8);
    api.exchange.set("t", "space", text).await(120, TimeUnit.SECONDS);
  }

  @Test
  void aGroupThatIsSetOnOneQueryApiIsOnTheOthersBeforeTheAnswer() throws Exception {
    QueryApi a = api("a");
    QueryApi b = api("b");
    set(a, "one");
    assertThat(b.names()).containsExactly("space;one");
    assertThat(b.exchange.delete(new RuleGroup.Id("t", "space", "one")).await()).isTrue();
    assertThat(a.names()).isEmpty();
    assertThat(a.exchange.delete("t", "space").await()).isFalse();
  }

  @Test
  void aQueryApiThatWasAwayAsksForWhatItMissed() throws Exception {
    QueryApi a = api("a");
    set(a, "gone");
    for (int i = 0; i < 30; i++) {
      set(a, "g" + i);
    }
    QueryApi b = api("b");
    a.join();
    b.join();
    await().atMost(SOON).until(() -> b.names().equals(a.names()));
    assertThat(b.names()).hasSize(31);
    addresses.remove("b");
    meet();
    a.exchange.delete(new RuleGroup.Id("t", "space", "gone")).await();
    await().atMost(SOON).until(() -> b.names().equals(a.names()));
    assertThat(b.names()).hasSize(30);
  }

  @Test
  void whoseGroupsAreEqualIsNotAskedAndWhoseDifferIsAskedAgain() throws Exception {
    QueryApi a = api("a");
    set(a, "one");
    PrivateFiles.createFolders(folder.resolve("b/groups"));
    try (var files = Files.list(folder.resolve("a/groups"))) {
      Path file = files.findFirst().orElseThrow();
      Files.copy(file, folder.resolve("b/groups").resolve(file.getFileName()));
    }
    QueryApi b = api("b");
    a.join();
    b.join();
    Set<Long> heard = new HashSet<>();
    await()
        .atMost(SOON)
        .until(
            () -> {
              b.link.list().of("a").ifPresent(peer -> heard.add(peer.heardAt()));
              return heard.size() > 10;
            });
    assertThat(a.asked).hasValue(0);
    assertThat(b.asked).hasValue(0);

    addresses.clear();
    meet();
    set(a, "two");
    set(b, "three");
    addresses.put("a", a.address());
    addresses.put("b", b.address());
    meet();
    await().atMost(SOON).until(() -> b.names().size() == 3 && b.names().equals(a.names()));
    assertThat(a.asked).hasPositiveValue();
    assertThat(b.asked).hasPositiveValue();
  }

  @Test
  void whatIsMoreThanOneAnswerHoldsComesInOneRound() throws Exception {
    QueryApi a = api("a");
    for (String name : List.of("one", "two", "three", "four", "five")) {
      String text = "name: %s\nrules: [{record: r, expr: up}]\n# %s\n";
      byte[] long2MiB = text.formatted(name, "x".repeat(2 << 20)).getBytes(UTF_8);
      a.exchange.set("t", "space", long2MiB).await(120, TimeUnit.SECONDS);
    }
    QueryApi b = api("b");
    // On a slow machine a round may end because an answer is late.
    await()
        .atMost(SOON)
        .ignoreExceptions()
        .until(() -> b.exchange.ask("a").map(true).await(120, TimeUnit.SECONDS));
    assertThat(b.names()).isEqualTo(a.names()).hasSize(5);
  }

  @Test
  void aQueryApiThatDoesNotAnswerDelaysNoGroupForLong() throws Exception {
    QueryApi a = api("a");
    addresses.put("b", URI.create("http://127.0.0.1:1"));
    meet();
    set(a, "one");
    assertThat(a.names()).containsExactly("space;one");
  }

  @Test
  void whoDoesNotKnowTheSecretNeitherReadsNorSetsGroups() throws Exception {
    QueryApi a = api("a");
    QueryApi stranger = api("stranger", "another-secret-of-16");
    set(a, "one");
    set(stranger, "two");
    assertThatThrownBy(() -> stranger.exchange.ask("a").await(120, TimeUnit.SECONDS))
        .isInstanceOf(Exception.class);
    assertThat(a.names()).containsExactly("space;one");
    assertThat(stranger.names()).containsExactly("space;two");
    try (HttpClient client = HttpClient.newHttpClient()) {
      for (String path : List.of("/v1/rules/versions", "/v1/rules/read", "/v1/rules/groups")) {
        HttpRequest.Builder request =
            HttpRequest.newBuilder(a.address().resolve(path))
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[] {0}));
        assertThat(client.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode())
            .isEqualTo(401);
      }
    }
  }
}
