package io.fleetgauge.operator.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.operator.client.GatewayClient;
import io.fleetgauge.operator.client.ScriptedGateways;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Samples of the past, written to one gateway. */
class PastSamplesTest {
  private static final long TWO_HOURS = 7_200_000;
  private static final String ASKED = "g0 POST /v1/restore/series";
  private static final String SAMPLES = "g0 POST /v1/restore/hosts/n1/samples";
  private static final Labels A = Labels.of("__name__", "a");
  private static final Labels STORED = Labels.of("__name__", "a", "Hostname", "n1");

  private ScriptedGateways gateways;
  private GatewayClient client;
  private PastSamples past;

  @BeforeEach
  void start() throws Exception {
    gateways = new ScriptedGateways(1);
    client = new GatewayClient(TrustSettings.ofSecret(Optional.empty()));
    past = new PastSamples(client, gateways.address(0));
    for (String host : List.of("n1", "n2")) {
      String at = "g0 POST /v1/restore/hosts/" + host;
      JsonObject holders = new JsonObject().put("g0", gateways.address(0).toString());
      gateways
          .tell(
              at + "?tenant=&admitted=0",
              200,
              new JsonObject().put("owner", "g0").put("holders", holders).encode())
          .tell(at + "/samples", 200, "{}")
          .tell(at + "/end", 200, "{}");
    }
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    gateways.close();
  }

  private static JsonObject stored(String host, Labels labels) {
    JsonObject json = new JsonObject();
    for (int i = 0; i < labels.size(); i++) {
      json.put(labels.name(i), labels.value(i));
    }
    return new JsonObject().put("host", host).put("labels", json);
  }

  private void storedAs(JsonObject... series) {
    JsonArray all = new JsonArray();
    for (JsonObject each : series) {
      all.add(each);
    }
    gateways.tellInstead(ASKED, 200, new JsonObject().put("series", all).encode());
  }

  private static Series series(Labels labels, long... times) {
    double[] values = new double[times.length];
    for (int i = 0; i < times.length; i++) {
      values[i] = times[i] / 2.0;
    }
    return new Series(labels, times, values);
  }

  /** The page with these samples of one series. */
  private static byte[] page(String host, Labels labels, long... times) {
    FrameEncoder encoder = new FrameEncoder(host, IntakeProtocol.PAGE_RUN);
    ByteArrayOutputStream page = new ByteArrayOutputStream();
    for (long time : times) {
      page.writeBytes(encoder.encode(new Tick.Builder().add(labels, time / 2.0).at(time)));
    }
    return page.toByteArray();
  }

  private long requests(String request) {
    return gateways.asked().stream().filter(request::equals).count();
  }

  @Test
  void samplesAreSentToTheHostsAndUnderTheLabelsThatTheGatewaysDecide() throws Exception {
    Labels b = Labels.of("__name__", "b");
    Labels dropped = Labels.of("__name__", "dropped");
    storedAs(stored("n1", STORED), null, stored("n2", b));

    past.write(List.of(series(A, 3, 5), series(dropped, 4), series(b, 6)));

    assertThat(
            new JsonObject(new String(gateways.sent(ASKED).body(), StandardCharsets.UTF_8))
                .encode())
        .isEqualTo(
            "{\"series\":[{\"__name__\":\"a\"},{\"__name__\":\"dropped\"},{\"__name__\":\"b\"}]}");
    assertThat(gateways.sent(ASKED).sha256())
        .isEqualTo(Repositories.sha256(gateways.sent(ASKED).body()));
    ScriptedGateways.SentBody ofN1 = gateways.sent(SAMPLES);
    assertThat(ofN1.body()).isEqualTo(page("n1", STORED, 3, 5));
    assertThat(ofN1.sha256()).isEqualTo(Repositories.sha256(ofN1.body()));
    assertThat(gateways.sent("g0 POST /v1/restore/hosts/n2/samples").body())
        .isEqualTo(page("n2", b, 6));
    assertThat(gateways.asked())
        .contains("g0 POST /v1/restore/hosts/n1/end", "g0 POST /v1/restore/hosts/n2/end");
  }

  @Test
  void everyTwoHoursHaveAPageOfTheirOwn() throws Exception {
    storedAs(stored("n1", STORED));
    past.write(List.of(series(A, -1, 0, TWO_HOURS - 1, TWO_HOURS)));
    assertThat(requests(SAMPLES)).isEqualTo(3);
    assertThat(gateways.sent(SAMPLES).body()).isEqualTo(page("n1", STORED, TWO_HOURS));
  }

  @Test
  void twoSeriesThatBecomeOneAreRefusedBeforeAnythingIsSent() {
    storedAs(stored("n1", STORED), stored("n2", STORED));
    Labels other = Labels.of("__name__", "a", "replica", "2");
    assertThatThrownBy(() -> past.write(List.of(series(A, 1), series(other, 1))))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("ingest.relabel of the gateways makes one series of two: " + STORED);
    assertThat(gateways.asked()).containsExactly(ASKED);
  }

  @Test
  void howLongSamplesAreKeptIsThatOfTheGateway() throws Exception {
    gateways.tell("g0 GET /v1/backup", 200, "{\"retention\": 86400000}");
    assertThat(past.retention()).isEqualTo(86_400_000);
  }
}
