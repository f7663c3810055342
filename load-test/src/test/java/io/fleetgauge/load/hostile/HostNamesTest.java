package io.fleetgauge.load.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeProtocol;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hosts whose names mean something else in a path, on two gateways. */
class HostNamesTest {
  private static final long NOW = 1_795_300_000_000L;
  private static final Duration SOON = Duration.ofMinutes(10);

  /** With two gateways half of the hosts belong to the one that is not asked. */
  private static final List<String> NAMES =
      List.of(
          ".",
          "..",
          "...",
          "~",
          "~.",
          "~~",
          "/",
          "a/b",
          "a/../b",
          "../..",
          "\\",
          "%2e",
          "%2E%2e",
          "%",
          "+",
          "a b",
          " ",
          "?",
          "#",
          "a?b=c#d",
          ";x=1",
          ":",
          "*",
          "&",
          "\u0001",
          "\n",
          "\u007f",
          "ü",
          "\u65e5\u672c",
          "\ud83d\ude00",
          "e\u0301",
          "\u2024",
          "frames",
          "n".repeat(200));

  @TempDir private Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private final ObjectMapper json = new ObjectMapper();
  private LocalFleet fleet;
  private URI query;

  @BeforeEach
  void start() throws Exception {
    fleet = new LocalFleet("names-" + System.nanoTime(), LocalPorts.free(3), folder, () -> NOW);
    fleet.startGateway(0, Duration.ofDays(1));
    fleet.startGateway(0, Duration.ofDays(1));
    QueryProcess process = fleet.startQuery("127.0.0.1", 0);
    query = URI.create("http://127.0.0.1:" + process.port());
  }

  @AfterEach
  void stop() {
    fleet.close();
    client.close();
  }

  @Test
  void aHostOfAnyNameIsWrittenThroughAnyGatewayCopiedAndRead() throws Exception {
    Map<String, Integer> expected = new TreeMap<>();
    List<String> refused = new ArrayList<>();
    for (int gateway = 0; gateway < 2; gateway++) {
      for (String name : NAMES) {
        int status = write(gateway, name);
        if (status != 204) {
          refused.add(gateway + " " + name + " " + status);
        }
      }
    }
    assertThat(refused).isEmpty();
    NAMES.forEach(name -> expected.put(name, 2));
    await().atMost(SOON).untilAsserted(() -> assertThat(counts()).isEqualTo(expected));
    // All have a whole copy on the other gateway, which was sent and compared by these names too.
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              for (int gateway = 0; gateway < 2; gateway++) {
                JsonNode hosts = get(gateway(gateway, "/v1/table")).path("hosts");
                for (String name : NAMES) {
                  assertThat(hosts.path(name).path("copies")).as("copies of %s", name).hasSize(1);
                  hosts
                      .path(name)
                      .path("copies")
                      .forEach(synced -> assertThat(synced.asBoolean()).as(name).isTrue());
                }
              }
            });
  }

  /** A folder of that name could not be made: no block of any host could be written any more. */
  @Test
  void aHostWhoseNameIsTooLongForAFolderIsRefusedWithTheLimit() throws Exception {
    String longest = "n".repeat(IntakeProtocol.MAX_HOST_LENGTH);
    for (int gateway = 0; gateway < 2; gateway++) {
      assertThat(write(gateway, longest)).isEqualTo(204);
      for (String name : List.of(longest + "n", "\u65e5".repeat(100), "n".repeat(10_000))) {
        assertThat(write(gateway, name)).isEqualTo(400);
        HttpRequest request =
            HttpRequest.newBuilder(gateway(gateway, IntakeProtocol.path(name)))
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[] {1}))
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body())
            .startsWith("refused the name of host ")
            .contains("allowed are " + IntakeProtocol.MAX_HOST_LENGTH);
      }
    }
    assertThat(counts()).containsOnlyKeys(longest);
  }

  @Test
  void aProbeOfAnyNameIsTaken() throws Exception {
    Labels labels = Labels.of("__name__", "m");
    for (String name : NAMES) {
      byte[] frame =
          new FrameEncoder(name, 7)
              .encode(new Tick(NOW - 2_000, List.of(labels), new double[] {1}));
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                List<String> answers = new ArrayList<>();
                for (int gateway = 0; gateway < 2; gateway++) {
                  URI address = gateway(gateway, IntakeProtocol.path(name));
                  HttpRequest request =
                      HttpRequest.newBuilder(address)
                          .POST(HttpRequest.BodyPublishers.ofByteArray(frame))
                          .build();
                  answers.add(
                      client
                          .send(request, HttpResponse.BodyHandlers.ofString())
                          .body()
                          .split(" ")[0]);
                }
                assertThat(answers).as(name).containsExactlyInAnyOrder("kept", "moved");
              });
    }
  }

  private URI gateway(int number, String path) {
    return fleet.gatewayAddresses().get(number).resolve(path);
  }

  private int write(int gateway, String host) throws Exception {
    RemoteWriteBody body =
        RemoteWriteBody.v2()
            .series(Labels.of("__name__", "up", "Hostname", host), NOW - 1_000 + gateway, 1);
    HttpRequest request =
        HttpRequest.newBuilder(gateway(gateway, "/api/v1/write"))
            .header("Content-Encoding", "snappy")
            .header("Content-Type", RemoteWriteBody.V2_TYPE)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  private Map<String, Integer> counts() throws Exception {
    String text = URLEncoder.encode("count_over_time(up[1m])", StandardCharsets.UTF_8);
    Map<String, Integer> counts = new TreeMap<>();
    get(query.resolve("/api/v1/query?query=" + text + "&time=" + NOW / 1000))
        .path("data")
        .path("result")
        .forEach(
            each ->
                counts.put(
                    each.path("metric").path("Hostname").asText(),
                    each.path("value").path(1).asInt()));
    return counts;
  }

  private JsonNode get(URI address) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(address).build();
    return json.readTree(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
  }
}
