package io.fleetgauge.query.rules.notify;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fleetgauge.query.config.AlertmanagerSettings;
import io.fleetgauge.query.config.NotificationSettings;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Notice;
import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** More than 600 lines, because all of them share one kind of server. */
@ExtendWith(VertxExtension.class)
class AlertmanagersTest {
  private static final long TIME = 1_790_000_000_000L;
  private static final Duration SOON = Duration.ofMinutes(10);

  private final Vertx vertx = Vertx.vertx();
  private Alertmanagers alertmanagers;

  @TempDir private Path folder;

  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger("io.fleetgauge.query");

  @BeforeEach
  void listen() {
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
  }

  private List<String> logged() {
    synchronized (lines) {
      return lines.list.stream()
          .map(each -> each.getLevel() + " " + each.getFormattedMessage())
          .toList();
    }
  }

  @AfterEach
  void close() throws Exception {
    logger.detachAppender(lines);
    logger.setLevel(null);
    if (alertmanagers != null) {
      alertmanagers.close();
    }
    vertx.close().await(120, TimeUnit.SECONDS);
  }

  /** A server that keeps the bodies of requests, and answers as it is told. */
  private final class Server {
    final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();
    final BlockingQueue<String> secrets = new LinkedBlockingQueue<>();
    volatile BiConsumer<HttpServerRequest, String> answer = (request, body) -> status(request, 200);
    HttpServer http;

    Server(HttpServerOptions options, int port) throws Exception {
      http =
          vertx
              .createHttpServer(options)
              .requestHandler(
                  request ->
                      request
                          .body()
                          .onSuccess(
                              bytes -> {
                                String body = bytes.toString(StandardCharsets.UTF_8);
                                secrets.add(
                                    request.path()
                                        + " "
                                        + request.getHeader("Content-Type")
                                        + " "
                                        + request.getHeader("Authorization"));
                                bodies.add(body);
                                answer.accept(request, body);
                              }))
              .listen(port, "127.0.0.1")
              .await(120, TimeUnit.SECONDS);
    }

    Server() throws Exception {
      this(new HttpServerOptions(), 0);
    }

    URI url(String path) {
      return URI.create("http://127.0.0.1:" + http.actualPort() + path);
    }

    String next() throws Exception {
      String body = bodies.poll(SOON.toMinutes(), TimeUnit.MINUTES);
      assertThat(body).as("a request").isNotNull();
      return body;
    }
  }

  private static void status(HttpServerRequest request, int status) {
    request.response().setStatusCode(status).end();
  }

  private static Notice notice(String name, String... labels) {
    TreeMap<String, String> annotations = new TreeMap<>();
    annotations.put("summary", "é \"quoted\"");
    Labels all = Labels.of(labels).with("alertname", name);
    return new Notice(all, annotations, TIME, TIME + 240_000, "http://q:9090/graph?g0.expr=up");
  }

  private static NotificationSettings settings(String yaml) throws ConfigException {
    return QueryConfig.read("query.yaml", yaml).notifications();
  }

  private Alertmanagers start(NotificationSettings settings) throws Exception {
    alertmanagers =
        Alertmanagers.start(
            vertx, settings, Labels.of("cluster", "west"), System::currentTimeMillis);
    return alertmanagers;
  }

  private String figure(String beginning) {
    Meters meters = new Meters("fleetgauge_query");
    alertmanagers.declare(meters);
    return new String(meters.exposition(), StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.startsWith("fleetgauge_query_notifications_" + beginning))
        .map(line -> line.substring(line.lastIndexOf(' ') + 1))
        .findFirst()
        .orElse("none");
  }

  private void await(String beginning, String value) {
    Awaitility.await().atMost(SOON).until(() -> figure(beginning), value::equals);
  }

  /** Waits for a figure that goes on rising. */
  private void awaitAtLeast(String beginning, double least) {
    Awaitility.await().atMost(SOON).until(() -> Double.parseDouble(figure(beginning)) >= least);
  }

  @Test
  void anAlertIsSentWithItsTimesAnnotationsAndExternalLabelsThatItLacks() throws Exception {
    Server server = new Server();
    start(NotificationSettings.to(List.of(AlertmanagerSettings.at("a", server.url("/am")))));
    alertmanagers.send("", List.of(notice("A"), notice("B", "cluster", "own")), () -> true);
    assertThat(server.next())
        .isEqualTo(
            "[{\"annotations\":{\"summary\":\"é \\\"quoted\\\"\"},"
                + "\"startsAt\":\"2026-09-21T14:13:20.000Z\",\"endsAt\":\"2026-09-21T14:17:20.000Z\","
                + "\"generatorURL\":\"http://q:9090/graph?g0.expr=up\","
                + "\"labels\":{\"alertname\":\"A\",\"cluster\":\"west\"}},{\"annotations\":{\"summary\":\"é"
                + " \\\"quoted\\\"\"},"
                + "\"startsAt\":\"2026-09-21T14:13:20.000Z\",\"endsAt\":\"2026-09-21T14:17:20.000Z\","
                + "\"generatorURL\":\"http://q:9090/graph?g0.expr=up\","
                + "\"labels\":{\"alertname\":\"B\",\"cluster\":\"own\"}}]");
    assertThat(server.secrets.take()).isEqualTo("/am/api/v2/alerts application/json null");
    await("sent_total", "2.0");
    assertThat(figure("errors_total")).isEqualTo("0.0");
    assertThat(figure("queue_capacity")).isEqualTo("10000.0");
    assertThat(figure("alertmanagers_discovered")).isEqualTo("1.0");
    assertThat(figure("requests_total")).isEqualTo("1.0");
  }

  @Test
  void relabellingOfAllAndOfASectionChangesAndDropsAlerts() throws Exception {
    Server server = new Server();
    start(
        settings(
            """
            rules:
              notifications:
                relabel:
                  - {source_labels: [alertname], regex: Quiet, action: drop}
                  - {source_labels: [cluster], target_label: region}
              alertmanagers:
                main:
                  urls: ["%s"]
                  relabel:
                    - {regex: cluster, action: labeldrop}
            """
                .formatted(server.url(""))));
    alertmanagers.send("", List.of(notice("Quiet"), notice("Loud")), () -> true);
    assertThat(server.next())
        .contains("\"labels\":{\"alertname\":\"Loud\",\"region\":\"west\"}")
        .doesNotContain("Quiet");
  }

  @Test
  void whileOneAlertmanagerHangsAndOneRefusesConnectionsTheOthersGetAlerts() throws Exception {
    Server hangs = new Server();
    BlockingQueue<HttpServerRequest> hanging = new LinkedBlockingQueue<>();
    hangs.answer = (request, body) -> hanging.add(request);
    Server works = new Server();
    Server gone = new Server();
    URI refuses = gone.url("");
    gone.http.close().await(120, TimeUnit.SECONDS);
    start(
        settings(
            "rules: {notifications: {drain: 0s}, alertmanagers: {main: {timeout: 5m, urls: [\""
                + hangs.url("")
                + "\", \""
                + refuses
                + "\", \""
                + works.url("")
                + "\"]}}}"));
    for (int i = 0; i < 5; i++) {
      alertmanagers.send("", List.of(notice("A" + i)), () -> true);
      assertThat(works.next()).contains("\"A" + i + "\"");
    }
    // The first is there, waits for an answer, and comes again with all that came meanwhile.
    assertThat(hangs.next()).contains("\"A0\"").doesNotContain("\"A4\"");
    hangs.answer = (request, body) -> status(request, 200);
    hanging.take().connection().close();
    assertThat(hangs.next()).contains("\"A0\"").contains("\"A4\"");
    await("queue_length{alertmanager=\"" + hangs.url("/api/v2/alerts"), "0.0");
    assertThat(figure("queue_length{alertmanager=\"" + refuses)).isEqualTo("5.0");
  }

  @Test
  void anAlertmanagerThatComesBackGetsTheNewestStateOfEachAlertOnce() throws Exception {
    Server server = new Server();
    int port = server.http.actualPort();
    start(NotificationSettings.to(List.of(AlertmanagerSettings.at("a", server.url("")))));
    alertmanagers.send("", List.of(notice("A")), () -> true);
    server.next();
    await("queue_length", "0.0");
    server.http.close().await(120, TimeUnit.SECONDS);
    alertmanagers.send("", List.of(notice("A"), notice("B")), () -> true);
    awaitAtLeast("errors_total", 2);
    Notice firing = notice("A");
    alertmanagers.send(
        "",
        List.of(
            new Notice(
                firing.labels(), firing.annotations(), TIME, TIME + 60_000, firing.generatorUrl())),
        () -> true);
    Server back = new Server(new HttpServerOptions(), port);
    assertThat(back.next())
        .contains("\"A\"")
        .contains("\"B\"")
        .contains("\"endsAt\":\"2026-09-21T14:14:20.000Z\"")
        .satisfies(body -> assertThat(body.split("\"alertname\"")).hasSize(3));
    await("queue_length", "0.0");
    assertThat(figure("dropped_total{reason=\"queue_full\"}")).isEqualTo("0.0");
    assertThat(figure("replaced_total")).isEqualTo("1.0");
  }

  @Test
  void anAlertmanagerThatIsSlowerThanItsTimeoutGetsItsAlertsAgain() throws Exception {
    Server slow = new Server();
    slow.answer = (request, body) -> {};
    start(
        settings(
            "rules: {notifications: {drain: 0s}, alertmanagers: {main: {timeout: 300ms, urls: [\""
                + slow.url("")
                + "\"]}}}"));
    alertmanagers.send("", List.of(notice("A")), () -> true);
    assertThat(slow.next()).isEqualTo(slow.next());
    awaitAtLeast("errors_total", 1);
  }

  @Test
  void aStatusThatIsNotAboutTheAlertsMakesThemWait() throws Exception {
    List<AlertmanagerSettings> all = new ArrayList<>();
    List<Server> servers = new ArrayList<>();
    for (int status : List.of(503, 429, 401, 404, 415, 302)) {
      Server server = new Server();
      server.answer =
          (request, body) -> {
            server.answer = (next, again) -> status(next, 200);
            status(request, status);
          };
      servers.add(server);
      all.add(AlertmanagerSettings.at("a" + status, server.url("")));
    }
    start(NotificationSettings.to(all));
    alertmanagers.send("", List.of(notice("A")), () -> true);
    for (Server server : servers) {
      assertThat(server.next()).isEqualTo(server.next());
      String of = "{alertmanager=\"" + server.url("/api/v2/alerts") + "\"}";
      await("queue_length" + of, "0.0");
      assertThat(figure("errors_total" + of)).isEqualTo("1.0");
      String away =
          "Alertmanager " + server.url("") + " accepts no alerts; 1 and those that follow";
      assertThat(logged())
          .anyMatch(line -> line.startsWith("WARN " + away + " wait, the newest state of each: "))
          .anyMatch(line -> line.matches("INFO resolved after [0-9]+ s: \\Q" + away + "\\E.*"));
    }
    assertThat(logged()).anyMatch(line -> line.endsWith(": status 503: "));
    assertThat(figure("dropped_total{reason=\"refused\"}")).isEqualTo("0.0");
  }

  @Test
  void anAlertThatIsRefusedIsDroppedAndTheOthersAreDelivered() throws Exception {
    Server server = new Server();
    server.answer =
        (request, body) -> {
          if (body.contains("\"Wrong\"")) {
            request.response().setStatusCode(422).end(" a label\r\n\tis wrong" + "!".repeat(2_000));
          } else {
            status(request, 200);
          }
        };
    start(NotificationSettings.to(List.of(AlertmanagerSettings.at("a", server.url("")))));
    alertmanagers.send(
        "",
        List.of(notice("A"), notice("B"), notice("Wrong"), notice("C"), notice("D")),
        () -> true);
    await("queue_length", "0.0");
    assertThat(figure("dropped_total{reason=\"refused\"}")).isEqualTo("1.0");
    assertThat(logged())
        .containsExactly(
            "ERROR Alertmanager "
                + server.url("")
                + " rejects the alert {alertname=\"Wrong\", cluster=\"west\"}, which is dropped:"
                + " status 422: a label is wrong"
                + "!".repeat(1_024 - " a label\r\n\tis wrong".length()));
    assertThat(
            String.join(
                "\n", server.bodies.stream().filter(each -> !each.contains("Wrong")).toList()))
        .contains("\"A\"", "\"B\"", "\"C\"", "\"D\"");
  }

  @Test
  void anAnswerWithoutEndIsCutOffAndItsStatusCounts() throws Exception {
    Server server = new Server();
    server.answer =
        (request, body) -> {
          request.response().setChunked(true).setStatusCode(200);
          String much = "x".repeat(1 << 16);
          for (int i = 0; i < 64; i++) {
            request.response().write(much);
          }
        };
    start(NotificationSettings.to(List.of(AlertmanagerSettings.at("a", server.url("")))));
    alertmanagers.send("", List.of(notice("A")), () -> true);
    server.next();
    await("queue_length", "0.0");
    assertThat(figure("errors_total")).isEqualTo("0.0");
  }

  @Test
  void anAnswerThatIsNotWholeInTimeLeavesItsAlertsWaiting() throws Exception {
    Server server = new Server();
    server.answer =
        (request, body) -> {
          server.answer = (next, again) -> status(next, 200);
          request.response().setChunked(true).setStatusCode(200);
          request.response().write("a beginning");
        };
    start(
        settings(
            "rules: {alertmanagers: {main: {timeout: 200ms, urls: [\""
                + server.url("")
                + "\"]}}}"));
    alertmanagers.send("", List.of(notice("A")), () -> true);
    assertThat(server.next()).isEqualTo(server.next());
    await("queue_length", "0.0");
    // On a slow machine more requests than the first are over their time.
    double errors = Double.parseDouble(figure("errors_total"));
    assertThat(errors).isGreaterThanOrEqualTo(1);
    assertThat(Double.parseDouble(figure("requests_total"))).isEqualTo(errors + 1);
    assertThat(Double.parseDouble(figure("latency_seconds_total"))).isGreaterThanOrEqualTo(0.2);
  }

  @Test
  void anAlertWithoutLabelsIsNotSentAndCounted() throws Exception {
    Server server = new Server();
    start(
        settings(
            "rules: {alertmanagers: {main: {urls: [\""
                + server.url("")
                + "\"], relabel: [{source_labels: [alertname], regex: Kept, target_label: kept,"
                + " replacement: yes}, {regex: alertname|cluster, action: labeldrop}]}}}"));
    alertmanagers.send("", List.of(notice("Bare"), notice("Bare")), () -> true);
    alertmanagers.send("", List.of(notice("Kept")), () -> true);
    assertThat(server.next()).contains("\"labels\":{\"kept\":\"yes\"}").doesNotContain("},{");
    assertThat(figure("dropped_total{reason=\"no_labels\"}")).isEqualTo("2.0");
  }

  @Test
  void alertsThatAnotherProcessTellsAreDroppedAsOutdated() throws Exception {
    Server server = new Server();
    start(NotificationSettings.to(List.of(AlertmanagerSettings.at("a", server.url("")))));
    alertmanagers.send("", List.of(notice("Old"), notice("Older")), () -> false);
    alertmanagers.send("", List.of(notice("New")), () -> true);
    assertThat(server.next()).contains("\"New\"").doesNotContain("Old");
    assertThat(figure("dropped_total{reason=\"outdated\"}")).isEqualTo("2.0");
  }

  @Test
  void theOldestAlertsAreDroppedWhenMoreWaitThanMay() throws Exception {
    Server hangs = new Server();
    hangs.answer = (request, body) -> {};
    start(
        settings(
            "rules: {notifications: {drain: 0s, queue: 10}, alertmanagers: {main: {urls: [\""
                + hangs.url("")
                + "\"]}}}"));
    for (int i = 0; i < 13; i++) {
      alertmanagers.send("", List.of(notice("A" + i)), () -> true);
    }
    assertThat(figure("queue_length")).as("one is under way").isEqualTo("11.0");
    assertThat(figure("dropped_total{reason=\"queue_full\"}")).isEqualTo("2.0");
    alertmanagers.close();
    assertThat(figure("dropped_total{reason=\"queue_full\"}")).isEqualTo("2.0");
    assertThat(figure("dropped_total{reason=\"gone\"}")).isEqualTo("11.0");
  }

  @Test
  void theFiguresOfAnAlertmanagerAreThoseOfAllSectionsThatNameIt() throws Exception {
    Server server = new Server();
    start(
        settings(
            "rules: {alertmanagers: {one: {urls: [\"%s\"]}, other: {urls: [\"%s\"]}}}"
                .formatted(server.url(""), server.url(""))));
    alertmanagers.send("", List.of(notice("A")), () -> true);
    await("sent_total{alertmanager=\"" + server.url("/api/v2/alerts") + "\"}", "2.0");
    assertThat(figure("requests_total")).isEqualTo("2.0");
    assertThat(figure("alertmanagers_discovered")).isEqualTo("2.0");
    assertThat(figure("replaced_total")).isEqualTo("0.0");
  }

  @Test
  void alertsOfATenantGoToItsAlertmanagersAndToThoseOfAll() throws Exception {
    Server all = new Server();
    Server ofA = new Server();
    start(
        settings(
            "rules: {alertmanagers: {all: {urls: [\""
                + all.url("")
                + "\"]}, a: {tenants: [a], urls: [\""
                + ofA.url("")
                + "\"]}}}"));
    alertmanagers.send("b", List.of(notice("OfB")), () -> true);
    alertmanagers.send("", List.of(notice("OfAll")), () -> true);
    alertmanagers.send("a", List.of(notice("OfA")), () -> true);
    assertThat(ofA.next())
        .contains("\"OfA\"")
        .doesNotContain("\"OfB\"")
        .doesNotContain("\"OfAll\"");
    StringBuilder seen = new StringBuilder();
    while (!seen.toString().contains("\"OfA\"")) {
      seen.append(all.next());
    }
    assertThat(seen.toString()).contains("\"OfB\"", "\"OfAll\"");
  }

  @Test
  void tokensAndPasswordsOfFilesAreShown() throws Exception {
    Server server = new Server();
    Path token = Files.writeString(folder.resolve("token"), "abc\n");
    Path user = Files.writeString(folder.resolve("user"), "me:secret\n");
    start(
        settings(
            "rules: {alertmanagers: {t: {tokenFile: %s, urls: [\"%s\"]}, u: {userFile: %s, urls: [\"%s\"]}}}"
                .formatted(token, server.url("/t"), user, server.url("/u"))));
    alertmanagers.send("", List.of(notice("A")), () -> true);
    assertThat(List.of(server.secrets.take(), server.secrets.take()))
        .containsExactlyInAnyOrder(
            "/t/api/v2/alerts application/json Bearer abc",
            "/u/api/v2/alerts application/json Basic bWU6c2VjcmV0");
  }

  @Test
  void alertmanagersOfAFileComeAndGoWithItsLines() throws Exception {
    Server one = new Server();
    Server two = new Server();
    Path file = folder.resolve("alertmanagers.yaml");
    Files.writeString(file, "- targets: ['127.0.0.1:" + one.http.actualPort() + "']\n");
    start(
        settings(
            "rules: {alertmanagers: {f: {pathPrefix: /am/, timeout: 5m, discovery: {method: file,"
                + " refresh: 1s, file: {path: "
                + file
                + "}}}}}"));
    await("alertmanagers_discovered", "1.0");
    one.answer = (request, body) -> status(request, body.contains("Wrong") ? 400 : 200);
    alertmanagers.send("", List.of(notice("A")), () -> true);
    one.next();
    assertThat(one.secrets.take()).startsWith("/am/api/v2/alerts ");
    alertmanagers.send("", List.of(notice("Wrong")), () -> true);
    one.next();
    await("dropped_total{reason=\"refused\"}", "1.0");
    alertmanagers.send("", List.of(notice("Old")), () -> false);
    one.answer = (request, body) -> {};
    alertmanagers.send("", List.of(notice("Left")), () -> true);
    one.next();
    Path other = folder.resolve("other");
    Files.writeString(other, "[\"127.0.0.1:" + two.http.actualPort() + "\"]");
    Files.move(other, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    URI expected = two.url("/am/api/v2/alerts");
    Awaitility.await()
        .atMost(SOON)
        .until(() -> alertmanagers.addresses().equals(List.of(expected)));
    alertmanagers.send("", List.of(notice("B")), () -> true);
    assertThat(two.next()).contains("\"B\"");
    assertThat(one.bodies).isEmpty();
    for (String reason : List.of("refused", "outdated", "gone")) {
      assertThat(figure("dropped_total{reason=\"" + reason + "\"}")).as(reason).isEqualTo("1.0");
    }
  }

  @Test
  void whatWaitsIsSentWhenTheProcessStops() throws Exception {
    Server works = new Server();
    works.answer = (request, body) -> vertx.setTimer(50, id -> status(request, 200));
    stopWithFiveWaiting(works, "1m");
    assertThat(works.bodies).hasSize(3);
    assertThat(figure("dropped_total{reason=\"gone\"}")).isEqualTo("0.0");
    assertThat(logged()).isEmpty();
    alertmanagers.send("", List.of(notice("Late")), () -> true);
    assertThat(alertmanagers.addresses()).isEmpty();
    assertThat(figure("queue_length")).as("nothing is taken any more").isEqualTo("none");
  }

  @Test
  void whatIsLeftAfterTheTimeToDrainIsCounted() throws Exception {
    Server hangs = new Server();
    hangs.answer = (request, body) -> {};
    stopWithFiveWaiting(hangs, "500ms");
    assertThat(figure("dropped_total{reason=\"gone\"}")).isEqualTo("5.0");
    assertThat(logged())
        .containsExactly(
            "WARN 5 alerts were not delivered to Alertmanager "
                + hangs.url("")
                + " within 500 ms, the rules.notifications.drain");
  }

  private void stopWithFiveWaiting(Server server, String drain) throws Exception {
    start(
        settings(
            "rules: {notifications: {drain: "
                + drain
                + ", batch: 2}, alertmanagers: {main: {urls: [\""
                + server.url("")
                + "\"]}}}"));
    alertmanagers.send(
        "", List.of(notice("A"), notice("B"), notice("C"), notice("D"), notice("E")), () -> true);
    alertmanagers.close();
  }

  /** Their questions would otherwise be waited for until their timeout, which is an hour here. */
  @Test
  void whoHasClosedHasNoConnectionToAlertmanagersNorToThoseWhoNameThem() throws Exception {
    Server alertmanager = new Server();
    Server consul = new Server();
    Promise<Void> ofAlertmanager = Promise.promise();
    Promise<Void> ofConsul = Promise.promise();
    alertmanager.answer = (request, body) -> whenClosed(request, ofAlertmanager);
    consul.answer = (request, body) -> whenClosed(request, ofConsul);
    NotificationSettings read =
        settings(
            ("rules: {notifications: {drain: 0s}, alertmanagers: {main: {urls: ['%s'], discovery:"
                    + " {method: consul, consul: {api: '%s', service: am}}}}}")
                .formatted(alertmanager.url(""), consul.url("")));
    start(
        new NotificationSettings(
            read.queue(),
            read.batch(),
            read.drain(),
            read.relabelling(),
            List.of(patient(read.alertmanagers().getFirst()))));
    alertmanagers.send("", List.of(notice("A")), () -> true);
    alertmanager.next();
    consul.next();

    alertmanagers.close();

    ofAlertmanager.future().await(SOON.toMinutes(), TimeUnit.MINUTES);
    ofConsul.future().await(SOON.toMinutes(), TimeUnit.MINUTES);
  }

  private static void whenClosed(HttpServerRequest request, Promise<Void> closed) {
    request.connection().closeHandler(none -> closed.tryComplete());
  }

  private static AlertmanagerSettings patient(AlertmanagerSettings of) {
    Duration hour = Duration.ofHours(1);
    return new AlertmanagerSettings(
        of.name(),
        of.urls(),
        of.discovery()
            .map(
                how ->
                    new DiscoverySettings(
                        how.section(),
                        how.source(),
                        how.refresh(),
                        hour,
                        how.cache(),
                        how.maxAddresses(),
                        how.maxBytes(),
                        how.isTls())),
        of.pathPrefix(),
        hour,
        of.tenants(),
        of.relabelling(),
        of.access());
  }

  @Tag("slow")
  @Test
  void anAlertmanagerBehindTlsIsKnownByItsAuthority() throws Exception {
    Process openssl =
        new ProcessBuilder(
                ("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=am"
                        + " -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem")
                    .split(" "))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    assertThat(openssl.waitFor(120, TimeUnit.SECONDS)).isTrue();
    Server server =
        new Server(
            new HttpServerOptions()
                .setSsl(true)
                .setKeyCertOptions(
                    new PemKeyCertOptions()
                        .setCertPath(folder.resolve("cert.pem").toString())
                        .setKeyPath(folder.resolve("key.pem").toString())),
            0);
    String url = "https://127.0.0.1:" + server.http.actualPort();
    start(
        settings(
            ("rules: {notifications: {drain: 0s}, alertmanagers: {known: {urls: [\"%s/known\"],"
                    + " tls: {ca: %s}}, unknown: {urls: [\"%s/unknown\"]}}}")
                .formatted(url, folder.resolve("cert.pem"), url)));
    alertmanagers.send("", List.of(notice("A")), () -> true);
    server.next();
    awaitAtLeast("errors_total{alertmanager=\"" + url + "/unknown/api/v2/alerts\"}", 1);
    assertThat(server.secrets.take()).startsWith("/known/");
    assertThat(server.bodies).isEmpty();
  }
}
