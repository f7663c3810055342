package io.fleetgauge.load.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.query.config.AlertmanagerSettings;
import io.fleetgauge.query.config.NotificationSettings;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Notice;
import io.fleetgauge.query.rules.notify.Alertmanagers;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Notifications to the real Alertmanager, with the configuration that is installed. */
class RealAlertmanagerTest {
  private static final Path CONFIG =
      Path.of(
          System.getProperty("fleetgauge.root"), "distribution/src/main/rules/alertmanager.yaml");
  private static final String URL = "http://query:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1";

  @TempDir private Path folder;
  private final Vertx vertx = Vertx.vertx();
  private final int port = LocalPorts.free(1).getFirst();
  private AlertmanagerServer server;
  private Alertmanagers alertmanagers;

  @BeforeEach
  void start() throws Exception {
    server = new AlertmanagerServer(CONFIG, folder, "127.0.0.1", port);
    alertmanagers =
        Alertmanagers.start(
            vertx,
            NotificationSettings.to(List.of(AlertmanagerSettings.at("real", server.address()))),
            Labels.of("region", "north-1"),
            System::currentTimeMillis);
  }

  @AfterEach
  void stop() throws Exception {
    alertmanagers.close();
    server.close();
    vertx.close().await(120, TimeUnit.SECONDS);
  }

  private static Notice firing(String... labels) {
    long now = System.currentTimeMillis();
    return notice(now - 60_000, now + 240_000, URL, labels);
  }

  private static Notice notice(long startsAt, long endsAt, String url, String... labels) {
    return new Notice(
        Labels.of(labels), new TreeMap<>(Map.of("summary", "ü <b>")), startsAt, endsAt, url);
  }

  private List<JsonNode> alerts() throws Exception {
    List<JsonNode> all = new ArrayList<>();
    new ObjectMapper().readTree(server.alerts()).forEach(all::add);
    return all;
  }

  private JsonNode alert(String name, String host) throws Exception {
    return alerts().stream()
        .filter(each -> each.at("/labels/alertname").asText().equals(name))
        .filter(each -> each.at("/labels/Hostname").asText().equals(host))
        .findFirst()
        .orElse(new ObjectMapper().missingNode());
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    long limit = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!condition.call()) {
      assertThat(System.nanoTime()).as(what).isLessThan(limit);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private long dropped(String reason) {
    Meters meters = new Meters("x");
    alertmanagers.declare(meters);
    return new String(meters.exposition(), StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.startsWith("x_notifications_dropped_total{reason=\"" + reason))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .findFirst()
        .orElse(-1);
  }

  @Test
  void anAlertIsThereAsItWasSentAndAmtoolShowsAndSilencesIt() throws Exception {
    Notice sent =
        firing("alertname", "GpuLost", "Hostname", "n1", "gpu", "3", "severity", "critical");
    alertmanagers.send("", List.of(sent), () -> true);
    await("the alert", () -> !alert("GpuLost", "n1").isMissingNode());
    JsonNode found = alert("GpuLost", "n1");
    assertThat(found.path("labels").toString())
        .isEqualTo(
            "{\"Hostname\":\"n1\",\"alertname\":\"GpuLost\",\"gpu\":\"3\",\"region\":\"north-1\","
                + "\"severity\":\"critical\"}");
    assertThat(found.at("/annotations/summary").asText()).isEqualTo("ü <b>");
    assertThat(Instant.parse(found.path("startsAt").asText()).toEpochMilli())
        .isEqualTo(sent.startsAt());
    assertThat(Instant.parse(found.path("endsAt").asText()).toEpochMilli())
        .isEqualTo(sent.endsAt());
    assertThat(found.path("generatorURL").asText()).isEqualTo(URL);
    assertThat(found.at("/receivers/0/name").asText()).isEqualTo("north-1");
    assertThat(server.amtool("alert", "query", "-o", "simple", "alertname=GpuLost"))
        .contains("GpuLost");
    server.amtool(
        "silence", "add", "--author=me", "--comment=known", "--duration=1h", "Hostname=n1");
    await(
        "the silence",
        () -> alert("GpuLost", "n1").at("/status/state").asText().equals("suppressed"));
    assertThat(alert("GpuLost", "n1").at("/status/silencedBy")).hasSize(1);
  }

  @Test
  void aNodeThatIsDownInhibitsTheAlertsOfItsGpusOnly() throws Exception {
    alertmanagers.send(
        "",
        List.of(
            firing("alertname", "GpuHot", "Hostname", "n1", "gpu", "1", "severity", "warning"),
            firing("alertname", "GpuHot", "Hostname", "n2", "gpu", "1", "severity", "warning"),
            firing("alertname", "NodeDown", "Hostname", "n1", "severity", "critical")),
        () -> true);
    await("the inhibition", () -> alert("GpuHot", "n1").at("/status/inhibitedBy").size() == 1);
    assertThat(alert("GpuHot", "n2").at("/status/inhibitedBy")).isEmpty();
    assertThat(alert("NodeDown", "n1").at("/status/inhibitedBy")).isEmpty();
  }

  @Test
  void anAlertThatIsResolvedEnds() throws Exception {
    Notice sent = firing("alertname", "GpuHot", "Hostname", "n1");
    alertmanagers.send("", List.of(sent), () -> true);
    await("the alert", () -> alerts().size() == 1);
    alertmanagers.send(
        "",
        List.of(
            new Notice(
                sent.labels(),
                sent.annotations(),
                sent.startsAt(),
                System.currentTimeMillis() - 1,
                sent.generatorUrl())),
        () -> true);
    await("its end", () -> alerts().isEmpty());
  }

  @Test
  void alertsThatAlertmanagerRefusesDoNotKeepTheOthersBack() throws Exception {
    long now = System.currentTimeMillis();
    alertmanagers.send(
        "",
        List.of(
            firing("alertname", "A", "Hostname", "n1"),
            notice(now + 60_000, now, URL, "alertname", "EndsBeforeItStarts"),
            firing("alertname", "B", "Hostname", "n1"),
            notice(now, now + 60_000, "no uri: %zz", "alertname", "NoUri"),
            firing("alertname", "C", "Hostname", "n1")),
        () -> true);
    await("the others", () -> alerts().size() == 3);
    await("the refusals", () -> dropped("refused") == 2);
  }

  @Test
  void anAlertmanagerThatWasAwayGetsTheNewestStateWhenItIsBack() throws Exception {
    server.close();
    Notice one = firing("alertname", "A", "Hostname", "n1");
    alertmanagers.send("", List.of(one, firing("alertname", "B", "Hostname", "n1")), () -> true);
    alertmanagers.send(
        "",
        List.of(
            new Notice(
                one.labels(),
                one.annotations(),
                one.startsAt(),
                one.endsAt() + 1_000,
                one.generatorUrl())),
        () -> true);
    server = new AlertmanagerServer(CONFIG, folder, "127.0.0.1", port);
    await("the alerts", () -> alerts().size() == 2);
    await(
        "the newest state",
        () ->
            Instant.parse(alert("A", "n1").path("endsAt").asText()).toEpochMilli()
                == one.endsAt() + 1_000);
    assertThat(dropped("queue_full")).isZero();
  }
}
