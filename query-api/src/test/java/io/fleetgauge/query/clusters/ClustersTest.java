package io.fleetgauge.query.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.SamplesQuestion;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRows;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.ClusterShare;
import io.fleetgauge.query.admission.TenantShare;
import io.fleetgauge.query.answer.Ask;
import io.fleetgauge.query.answer.Caller;
import io.fleetgauge.query.answer.Evaluated;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.answer.Request.LabelValues;
import io.fleetgauge.query.answer.SeriesFilter;
import io.fleetgauge.query.config.ClustersSettings;
import io.fleetgauge.query.config.OtherClusterSettings;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.fleet.MemoryShards;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.tenant.Access;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cluster {@code a}, which is the own one and has host n7, beside cluster {@code b}, which has n1,
 * n2 and n3 and wants tokens; or beside one that misbehaves. It has more than 600 lines because all
 * of its laws need these.
 */
@ExtendWith(VertxExtension.class)
class ClustersTest {
  private static final String METRIC = ApiServer.TEMPERATURE;
  private static final long NOW = ApiServer.NOW;
  private static final Caller ALL = new Caller("root", List.of(), true, TenantLimits.DEFAULT);
  private static final AccessSettings NO_TOKEN = AccessSettings.NONE;

  @TempDir private Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final MemoryFleet fleet = new MemoryFleet().host("n7", "g1");
  private Vertx vertx;
  private MemoryShards own;
  private ApiServer other;

  @BeforeEach
  void start(Vertx started) throws Exception {
    vertx = started;
    for (long time = NOW - 60_000; time <= NOW; time += 15_000) {
      fleet.add(ApiServer.gpu(METRIC, 7, 0), time, 70);
    }
    own = new MemoryShards(vertx, fleet);
    other = new ApiServer(vertx, folder);
    open.add(other);
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  // --- what a test starts ---

  private AccessSettings token(String token) throws Exception {
    Path file = Files.writeString(folder.resolve("token-of-" + token), token);
    return new AccessSettings(
        Optional.of(file),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  private OtherClusterSettings b() throws Exception {
    return OtherClusterSettings.at("b", other.http.address("")).with(token("root"));
  }

  /** A server that treats every request so. */
  private OtherClusterSettings misbehaving(Consumer<HttpServerRequest> how) throws Exception {
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(how::accept)
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS);
    return new OtherClusterSettings(
        "b",
        List.of(URI.create("http://127.0.0.1:" + server.actualPort())),
        OtherClusterSettings.Label.ADDED,
        Duration.ofMillis(300),
        1 << 20,
        NO_TOKEN,
        Map.of());
  }

  private Querier over(OtherClusterSettings settings) throws Exception {
    return over(settings, new Access(TenantLimits.DEFAULT));
  }

  private Querier over(OtherClusterSettings settings, Access access) throws Exception {
    var workers = vertx.createSharedWorkerExecutor("clusters", 2);
    Clusters clusters =
        Clusters.start(
            vertx,
            new ClustersSettings(true, OtherClusterSettings.Label.ADDED, List.of(settings)),
            Optional.of(own.gateways()),
            "a",
            access,
            workers,
            workers,
            () -> NOW + 60_000);
    open.add(clusters);
    return new Querier(
        QueryConfig.read("the test", ""),
        clusters.stores(),
        new Admission(
            new Admission.Places(100, 10, 10),
            tenant -> new TenantShare(1, 10, 10),
            ClusterShare.WHOLE,
            System::nanoTime),
        new Querier.Workers(workers, workers),
        AliasTable.builtIn(),
        Tracer.OFF,
        () -> NOW);
  }

  private static <T> Reply<T> answer(Querier querier, Ask<T> ask) throws Exception {
    return querier.answer(ask, "", Future.future(none -> {})).await(10, TimeUnit.MINUTES);
  }

  private static Reply<Evaluated> query(Querier querier, Caller caller, String text)
      throws Exception {
    return answer(querier, Ask.of(caller, Request.Promql.of(text, NOW, NOW, 0, 300_000), 60_000));
  }

  private static Map<Labels, Double> values(Reply<Evaluated> reply) {
    Map<Labels, Double> all = new TreeMap<>();
    for (Answer.Sample each : ((Answer.Vector) reply.value().result()).samples()) {
      all.put(each.labels(), each.value());
    }
    return all;
  }

  // --- one answer ---

  @Test
  void theAnswersOfAllClustersAreOneWithTheirNamesInALabel() throws Exception {
    Querier querier = over(b());
    assertThat(values(query(querier, ALL, "count by (cluster) (" + METRIC + ")")))
        .isEqualTo(Map.of(Labels.of("cluster", "a"), 1.0, Labels.of("cluster", "b"), 6.0));
    assertThat(values(query(querier, ALL, "sum(" + METRIC + ")")))
        .isEqualTo(Map.of(Labels.EMPTY, 70.0 + 10 + 11 + 20 + 21 + 30 + 31));
    Reply<Evaluated> one = query(querier, ALL, METRIC + "{cluster=\"b\", Hostname=\"n1\"}");
    assertThat(values(one).keySet())
        .hasSize(2)
        .allMatch(labels -> labels.value("cluster").equals("b"));
    assertThat(one.completeness().isWhole()).isTrue();
    assertThat(one.completeness().expected()).isEqualTo(4);
    Reply<List<String>> values =
        answer(
            querier,
            Ask.of(
                ALL,
                new LabelValues("cluster", new SeriesFilter(NOW - 60_000, NOW, 0, List.of())),
                60_000));
    assertThat(values.value()).containsExactly("a", "b");
  }

  @Test
  void aClusterWhoseNameDoesNotMatchIsNotAsked() throws Exception {
    Querier querier = over(b());
    query(querier, ALL, "sum(" + METRIC + ")");
    long parts = other.shards.count("parts");
    long mine = own.count("parts");
    query(querier, ALL, "sum(" + METRIC + "{cluster=\"a\"}) + 1");
    assertThat(other.shards.count("parts")).isEqualTo(parts);
    assertThat(own.count("parts")).isEqualTo(mine + 1);
    query(querier, ALL, "sum(" + METRIC + "{cluster!~\"a|c\"}) + 1");
    assertThat(other.shards.count("parts")).isEqualTo(parts + 1);
    assertThat(own.count("parts")).isEqualTo(mine + 1);
    assertThat(values(query(querier, ALL, "absent(" + METRIC + "{cluster=\"c\"})")))
        .isEqualTo(Map.of(Labels.of("cluster", "c"), 1.0));
  }

  @Test
  void aCachedAnswerSeesSamplesThatComeToAnyCluster() throws Exception {
    Querier querier = over(b());
    String sum = "sum(" + METRIC + ")";
    double before = values(query(querier, ALL, sum)).get(Labels.EMPTY);
    query(querier, ALL, sum);
    long parts = other.shards.count("parts");
    assertThat(values(query(querier, ALL, sum))).containsEntry(Labels.EMPTY, before);
    assertThat(other.shards.count("parts")).as("from the cache").isEqualTo(parts);
    other.fleet.add(ApiServer.gpu(METRIC, 1, 5), NOW, 1_000);
    assertThat(values(query(querier, ALL, sum))).containsEntry(Labels.EMPTY, before + 1_000);
    fleet.add(ApiServer.gpu(METRIC, 7, 5), NOW, 500);
    assertThat(values(query(querier, ALL, sum))).containsEntry(Labels.EMPTY, before + 1_500);
  }

  @Test
  void usageIsThatOfAllClustersAndKnowsThem() throws Exception {
    for (int step = 0; step < 4; step++) {
      for (int host : new int[] {1, 7}) {
        Labels gpu =
            Labels.of(
                Labels.NAME,
                "DCGM_FI_DEV_FB_USED",
                "UUID",
                "g",
                "Hostname",
                "n" + host,
                "pod",
                "p");
        (host == 7 ? fleet : other.fleet).add(gpu, NOW - 60_000 + step * 15_000, 1);
      }
    }
    Querier querier = over(b());
    UsagePeriod period = UsagePeriod.every(NOW - 60_000, NOW, 60_000);
    for (List<String> kept : List.of(List.of("pod", "cluster"), List.of("pod"))) {
      Reply<UsageRows> usage =
          answer(
              querier,
              Ask.of(
                  ALL,
                  new Request.Usage("usage", List.of(), kept, period, UsageTerms.DEFAULT),
                  60_000));
      List<String> clusters =
          usage.value().rows().stream()
              .filter(row -> row.value("pod").equals("p"))
              .map(row -> row.value("cluster"))
              .sorted()
              .toList();
      assertThat(clusters).isEqualTo(kept.size() == 2 ? List.of("a", "b") : List.of(""));
    }
    Reply<UsageRows> one =
        answer(
            querier,
            Ask.of(
                ALL,
                new Request.Usage(
                    "usage",
                    List.of(Matcher.equal("cluster", "b")),
                    List.of("Hostname"),
                    period,
                    UsageTerms.DEFAULT),
                60_000));
    assertThat(one.value().rows()).allMatch(row -> row.value("Hostname").equals("n1"));
  }

  @Test
  void aHostThatMovesToAnotherClusterCountsOnce() throws Exception {
    Querier querier = over(b());
    String count = "count(" + METRIC + "{Hostname=\"n7\"}) by (cluster)";
    assertThat(values(query(querier, ALL, count)))
        .isEqualTo(Map.of(Labels.of("cluster", "a"), 1.0));
    other.fleet.host("n7", "g2");
    other.fleet.add(ApiServer.gpu(METRIC, 7, 0), NOW + 60_000, 71);
    Ask<Evaluated> later =
        Ask.of(ALL, Request.Promql.of(count, NOW + 60_000, NOW + 60_000, 0, 300_000), 60_000);
    assertThat(values(answer(querier, later))).isEqualTo(Map.of(Labels.of("cluster", "b"), 1.0));
  }

  // --- clusters that do not answer as they should ---

  /** What a cluster may do in place of an answer. */
  enum Misbehaviour {
    NOTHING,
    CLOSES,
    REDIRECTS,
    GARBAGE,
    ENDLESS,
    SLOW,
    REFUSES,
    OTHER_VERSION,
    OTHER_SERIES
  }

  private void misbehave(Misbehaviour how, HttpServerRequest request, AtomicInteger redirected) {
    HttpServerResponse response = request.response();
    switch (how) {
      case NOTHING -> {}
      case CLOSES -> request.connection().close();
      case REDIRECTS -> {
        if (request.path().equals("/inside")) {
          redirected.incrementAndGet();
        }
        response.setStatusCode(307).putHeader("Location", "/inside").end();
      }
      case GARBAGE -> response.end("CA\1garbage");
      case ENDLESS -> {
        response.setChunked(true);
        Buffer much = Buffer.buffer(new byte[64 << 10]);
        vertx.setPeriodic(
            1,
            timer -> {
              if (response.closed()) {
                vertx.cancelTimer(timer);
              } else if (!response.writeQueueFull()) {
                response.write(much);
              }
            });
      }
      case SLOW -> {
        response.setChunked(true);
        vertx.setPeriodic(
            20,
            timer -> {
              if (response.closed()) {
                vertx.cancelTimer(timer);
              } else {
                response.write("C");
              }
            });
      }
      case REFUSES -> response.setStatusCode(403).end("the token lacks the right read");
      case OTHER_VERSION -> response.end("CA\7");
      case OTHER_SERIES -> request.body().onSuccess(body -> response.end(others(body)));
    }
  }

  /** Answers every question for samples with a series that nobody asked for. */
  private static Buffer others(Buffer body) {
    try {
      ClusterQuestion asked = ClusterQuestion.decode(body.getBytes());
      if (!(asked.question() instanceof SamplesQuestion samples)) {
        return Buffer.buffer("CA");
      }
      Series stolen =
          new Series(
              Labels.of(Labels.NAME, METRIC, "tenant", "b"), new long[] {NOW}, new double[] {1});
      List<List<Series>> all = samples.selections().stream().map(each -> List.of(stolen)).toList();
      return Buffer.buffer(
          new ClusterAnswer<>(
                  List.of(new SamplesQuestion.Answer(all)), Coverage.whole(1, 1), Optional.empty())
              .encode(samples));
    } catch (Exception e) {
      return Buffer.buffer(String.valueOf(e));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aClusterThatMisbehavesIsNamedAsMissingAndNothingOfItIsUsed(Misbehaviour how)
      throws Exception {
    AtomicInteger redirected = new AtomicInteger();
    Querier querier = over(misbehaving(request -> misbehave(how, request, redirected)));
    Planner.Mode mode = how == Misbehaviour.OTHER_SERIES ? Planner.Mode.RAW : Planner.Mode.AUTO;
    Ask<Evaluated> ask =
        new Ask<>(
            ALL,
            Request.Promql.of(METRIC + "{Hostname=~\"n.+\"}", NOW, NOW, 0, 300_000),
            new Ask.Options(mode, false, false, 60_000));
    Reply<Evaluated> reply = answer(querier, ask);
    assertThat(values(reply).values()).containsExactly(70.0);
    assertThat(reply.completeness().lacking()).containsExactly("b");
    assertThat(reply.warnings())
        .anyMatch(warning -> warning.startsWith("incomplete result: cluster b is missing: "));
    if (how == Misbehaviour.OTHER_VERSION) {
      assertThat(reply.warnings().toString()).contains("format version 7, this program reads 1");
    }
    assertThat(redirected).hasValue(0);
    assertThatThrownBy(
            () ->
                answer(
                    querier,
                    new Ask<>(ALL, ask.request(), new Ask.Options(mode, false, true, 60_000))))
        .hasMessageContaining("cluster b is missing");
  }

  /** A way to the other cluster. */
  private final class Way {
    private volatile Misbehaviour instead;

    OtherClusterSettings settings() throws Exception {
      HttpClient client = vertx.createHttpClient();
      return misbehaving(
              request -> {
                Misbehaviour how = instead;
                if (how != null) {
                  misbehave(how, request, new AtomicInteger());
                } else {
                  pass(client, request);
                }
              })
          .with(token("root"));
    }

    private void pass(HttpClient client, HttpServerRequest request) {
      request
          .body()
          .compose(
              body ->
                  client
                      .request(
                          request.method(),
                          other.http.address("").getPort(),
                          "127.0.0.1",
                          request.uri())
                      .compose(
                          sent -> {
                            sent.headers().setAll(request.headers());
                            return sent.send(body);
                          }))
          .compose(
              got ->
                  got.body()
                      .onSuccess(
                          bytes -> request.response().setStatusCode(got.statusCode()).end(bytes)))
          .onFailure(failure -> request.connection().close());
    }
  }

  private void awaitBoth(Querier querier) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(10);
    while (!query(querier, ALL, "count(" + METRIC + ")").completeness().lacking().isEmpty()
        && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aClusterThatComesBackIsAskedAgain() throws Exception {
    Way way = new Way();
    Querier querier = over(way.settings());
    awaitBoth(querier);
    way.instead = Misbehaviour.CLOSES;
    String sum = "sum(" + METRIC + ") + 0";
    Reply<Evaluated> without = query(querier, ALL, sum);
    assertThat(without.completeness().lacking()).containsExactly("b");
    assertThat(values(without)).isEqualTo(Map.of(Labels.EMPTY, 70.0));
    way.instead = null;
    awaitBoth(querier);
    assertThat(values(query(querier, ALL, sum))).isEqualTo(Map.of(Labels.EMPTY, 193.0));
  }

  /** While the cluster comes and goes, no answer is wrong, and each short one says so. */
  @Test
  void dashboardsGetWholeAnswersOrSuchAsSayWhatTheyLack() throws Exception {
    Way way = new Way();
    Querier querier = over(way.settings());
    awaitBoth(querier);
    List<Misbehaviour> inTurn = new ArrayList<>();
    for (Misbehaviour each :
        List.of(Misbehaviour.CLOSES, Misbehaviour.NOTHING, Misbehaviour.SLOW)) {
      inTurn.add(null);
      inTurn.add(each);
    }
    List<Future<Reply<Evaluated>>> all = new ArrayList<>();
    for (Misbehaviour now : inTurn) {
      way.instead = now;
      List<Future<Reply<Evaluated>>> round = new ArrayList<>();
      for (int panel = 0; panel < 34; panel++) {
        long time = NOW - panel % 3 * 15_000;
        Request.Promql range =
            Request.Promql.of(
                "sum(" + METRIC + ") + 0 * " + panel % 5, time - 15_000, time, 15_000, 300_000);
        round.add(querier.answer(Ask.of(ALL, range, 60_000), "", Future.future(none -> {})));
      }
      Future.join(round).otherwiseEmpty().await(10, TimeUnit.MINUTES);
      all.addAll(round);
      if (now != null) {
        way.instead = null;
        awaitBoth(querier);
      }
    }
    assertThat(all).hasSize(204);
    for (Future<Reply<Evaluated>> each : all) {
      assertThat(each.cause()).isNull();
      Reply<Evaluated> reply = each.result();
      boolean isWhole = reply.completeness().lacking().isEmpty();
      Series sum = ((Answer.Matrix) reply.value().result()).series().getFirst();
      for (int i = 0; i < sum.size(); i++) {
        assertThat(sum.values()[i]).isEqualTo(isWhole ? 193 : 70);
      }
    }
  }

  @Test
  void hostsOfAClusterThatIsGoneCountAsMissing() throws Exception {
    Querier querier = over(b());
    String count = "count(" + METRIC + ")";
    assertThat(values(query(querier, ALL, count))).isEqualTo(Map.of(Labels.EMPTY, 7.0));
    other.http.close();
    Reply<Evaluated> reply = query(querier, ALL, count + " + 0");
    assertThat(values(reply)).isEqualTo(Map.of(Labels.EMPTY, 1.0));
    assertThat(reply.completeness().missing()).containsExactly("n1", "n2", "n3");
    assertThat(reply.completeness().expected()).isEqualTo(4);
    assertThat(reply.completeness().lacking()).containsExactly("b");
  }

  // --- tenants ---

  private Access tenants() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("tenants.yaml"),
            """
            tenants:
              mine: {scope: '{tenant="a"}'}
              theirs: {scope: '{tenant="b"}'}
              every: {}
            """);
    return Guard.open(
            vertx,
            new HttpSettings("127.0.0.1", 0),
            Optional.of(file),
            TrustSettings.NONE,
            TenantLimits.DEFAULT,
            Parser::selectorProblem,
            System::currentTimeMillis)
        .access();
  }

  @Test
  void aTenantSeesWhatItsTokenThereAndItsScopeHereBothAllow() throws Exception {
    fleet.add(ApiServer.gpu(METRIC, 7, 1).with("tenant", "a"), NOW, 1);
    Map<String, OtherClusterSettings.Tenant> known =
        Map.of(
            "mine",
            new OtherClusterSettings.Tenant(token("a").token(), Optional.empty()),
            "theirs",
            new OtherClusterSettings.Tenant(token("a").token(), Optional.empty()));
    Querier querier = over(b().with(known), tenants());
    String count = "count by (cluster, tenant) (" + METRIC + ")";
    Caller mine = Caller.of("mine", List.of("{tenant=\"a\"}"), TenantLimits.DEFAULT);
    Reply<Evaluated> reply = query(querier, mine, count);
    assertThat(values(reply))
        .isEqualTo(
            Map.of(
                Labels.of("cluster", "a", "tenant", "a"),
                1.0,
                Labels.of("cluster", "b", "tenant", "a"),
                3.0));
    assertThat(reply.warnings()).isEmpty();
    Caller theirs = Caller.of("theirs", List.of("{tenant=\"b\"}"), TenantLimits.DEFAULT);
    assertThat(values(query(querier, theirs, count)))
        .isEqualTo(Map.of(Labels.of("cluster", "a", "tenant", "b"), 1.0));
    Caller every = Caller.of("every", List.of(""), TenantLimits.DEFAULT);
    assertThat(values(query(querier, every, "count(" + METRIC + ")")))
        .isEqualTo(Map.of(Labels.EMPTY, 8.0));
  }

  @Test
  void aTenantThatIsNotKnownThereSeesNothingOfItAndIsTold() throws Exception {
    Querier querier = over(b(), tenants());
    Caller theirs = Caller.of("theirs", List.of("{tenant=\"b\"}"), TenantLimits.DEFAULT);
    long before = other.shards.count("parts") + other.shards.count("samples");
    Reply<Evaluated> reply = query(querier, theirs, "count(" + METRIC + ")");
    assertThat(values(reply)).isEqualTo(Map.of(Labels.EMPTY, 1.0));
    assertThat(reply.warnings())
        .containsExactly(
            "nothing is read of cluster b: tenant theirs is not in clusters.b.tenants");
    assertThat(reply.completeness().isWhole()).isTrue();
    assertThat(other.shards.count("parts") + other.shards.count("samples")).isEqualTo(before);
  }

  /** For clusters that trust this query API as a proxy. */
  @Test
  void aTenantMayBeNamedInPlaceOfAToken() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    OtherClusterSettings settings =
        misbehaving(
            request -> {
              seen.add(
                  request.getHeader("X-Scope-OrgID") + " " + request.getHeader("Authorization"));
              request.response().setStatusCode(503).end();
            });
    Map<String, OtherClusterSettings.Tenant> known =
        Map.of(
            "mine", new OtherClusterSettings.Tenant(Optional.empty(), Optional.of("blue")),
            "theirs", new OtherClusterSettings.Tenant(Optional.empty(), Optional.of("red")));
    Querier querier = over(settings.with(token("root")).with(known), tenants());
    Caller mine = Caller.of("mine", List.of("{tenant=\"a\"}"), TenantLimits.DEFAULT);
    assertThat(query(querier, mine, "count(" + METRIC + ")").completeness().lacking())
        .containsExactly("b");
    Caller both =
        Caller.of("mine|theirs", List.of("{tenant=\"a\"}", "{tenant=\"b\"}"), TenantLimits.DEFAULT);
    query(querier, both, "count(" + METRIC + ")");
    assertThat(seen).contains("blue null", "blue|red null", "null Bearer root");
  }

  @Test
  void theLimitsOfTheTokenThereApply() throws Exception {
    Map<String, OtherClusterSettings.Tenant> known =
        Map.of("theirs", new OtherClusterSettings.Tenant(token("small").token(), Optional.empty()));
    Querier querier = over(b().with(known), tenants());
    for (int i = 0; i < 300; i++) {
      other.fleet.add(ApiServer.gpu(METRIC, 1, 0).with("tenant", "small"), NOW - i * 1_000L, 1);
    }
    Caller theirs = Caller.of("theirs", List.of("{tenant=~\"b|small\"}"), TenantLimits.DEFAULT);
    Reply<Evaluated> reply =
        query(querier, theirs, "quantile(0.5, max_over_time(" + METRIC + "[10m]))");
    assertThat(reply.completeness().lacking()).containsExactly("b");
  }
}
