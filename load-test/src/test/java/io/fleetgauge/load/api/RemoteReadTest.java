package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.compare.PrometheusServer;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.wire.WireWriter;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xerial.snappy.Snappy;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RemoteReadTest {
  private static final int SAMPLES = 400;

  private final long now = System.currentTimeMillis() / 1_000 * 1_000 - 20_000;
  private FleetAndPrometheus servers;
  private PrometheusServer reader;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    servers = new FleetAndPrometheus(folder);
    SplittableRandom random = new SplittableRandom(7);
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (int host = 0; host < 3; host++) {
      for (int gpu = 0; gpu < 8; gpu++) {
        long[] times = new long[SAMPLES];
        double[] values = new double[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
          // Steady, jittered and torn: every form that differences of times have.
          long jitter =
              gpu == 0 ? 0 : gpu == 1 ? random.nextInt(50) : i == 200 ? 4_000 : random.nextInt(900);
          times[i] = now - (SAMPLES - i) * 15_000L + jitter;
          values[i] =
              switch (gpu) {
                case 0 -> 7;
                case 1 -> i;
                case 2 -> random.nextDouble();
                case 3 -> i % 50 == 49 ? Staleness.MARKER : i;
                case 4 -> i % 3 == 0 ? Double.NaN : -i / 3.0;
                case 5 -> Double.longBitsToDouble(random.nextLong() & ~(1L << 62));
                default -> 20 + i % 7 / 4.0;
              };
        }
        body.series(FleetAndPrometheus.gpu("read_me", host, gpu), times, values);
      }
    }
    servers.write(body);
    Path own = Files.createDirectory(folder.resolve("reader"));
    Files.writeString(
        own.resolve("prometheus.yml"),
        """
        global: {external_labels: {region: eu}}
        remote_read:
          - url: %s/api/v1/read
            read_recent: true
            filter_external_labels: false
        """
            .formatted(servers.address()));
    reader = PrometheusServer.of(own, LocalPorts.free(1).getFirst());
    await()
        .atMost(Duration.ofMinutes(10))
        .until(() -> !servers.asker().values("count(read_me offset 1m)", "x").isEmpty());
  }

  @AfterAll
  void stop() {
    reader.close();
    servers.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "read_me",
        "sum by (gpu) (read_me)",
        "rate(read_me[5m])",
        "count_over_time(read_me{gpu=~\"[2-5]\"}[10m])",
        "read_me{rack!=\"r0\",tenant=\"a\"} offset 20m",
        "last_over_time(read_me[1h])",
        "nosuch"
      })
  void aPrometheusThatReadsThroughUsAnswersAsOneThatHasTheSamples(String query) throws Exception {
    String path =
        "/api/v1/query_range?step=37&start="
            + (now / 1_000 - 5_400)
            + "&end="
            + now / 1_000
            + "&query="
            + FleetAndPrometheus.encoded(query);
    String theirs = servers.get(servers.prometheus.address(), path).body();
    assertThat(servers.get(reader.address(), path).body()).isEqualTo(theirs);
    assertThat(theirs).contains("\"status\":\"success\"");
  }

  private HttpResponse<byte[]> read(byte[] body) throws Exception {
    return servers.client.send(
        HttpRequest.newBuilder(servers.address().resolve("/api/v1/read"))
            .header("Content-Type", "application/x-protobuf")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build(),
        HttpResponse.BodyHandlers.ofByteArray());
  }

  private static byte[] request(String name, long start, long end, int... accepted) {
    WireWriter matcher = new WireWriter().uvar(1 << 3).uvar(0);
    matcher.uvar(2 << 3 | 2).string("__name__").uvar(3 << 3 | 2).string(name);
    WireWriter query = new WireWriter().uvar(1 << 3).uvar(start).uvar(2 << 3).uvar(end);
    query.uvar(3 << 3 | 2).uvar(matcher.size()).raw(matcher.array(), 0, matcher.size());
    WireWriter out = new WireWriter();
    for (int i = 0; i < 2; i++) {
      out.uvar(1 << 3 | 2).uvar(query.size()).raw(query.array(), 0, query.size());
    }
    for (int kind : accepted) {
      out.uvar(2 << 3).uvar(kind);
    }
    return out.toBytes();
  }

  @Test
  void theFirstKindOfAnswerThatIsKnownIsGivenAndSamplesToWhoNamesNone() throws Exception {
    for (int[] accepted : List.of(new int[] {0, 1}, new int[0], new int[] {9, 0})) {
      HttpResponse<byte[]> answer =
          read(Snappy.compress(request("read_me", now - 60_000, now, accepted)));
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/x-protobuf");
      assertThat(Snappy.uncompress(answer.body()).length).isGreaterThan(1_000);
    }
    HttpResponse<byte[]> chunks =
        read(Snappy.compress(request("read_me", now - 60_000, now, 1, 0)));
    assertThat(chunks.headers().firstValue("Content-Type"))
        .contains("application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse");
    assertThat(chunks.headers().firstValue("Content-Encoding")).isEmpty();
    assertThat(read(Snappy.compress(request("read_me", 0, 1, 9))).statusCode()).isEqualTo(400);
  }

  @Test
  void whatIsNotThereIsAnsweredEmptyAndWhatIsNoRequestIsRefused() throws Exception {
    byte[] none = Snappy.uncompress(read(Snappy.compress(request("nosuch", 0, now))).body());
    assertThat(none).containsExactly(1 << 3 | 2, 0, 1 << 3 | 2, 0);
    assertThat(read(Snappy.compress(request("nosuch", 0, now, 1))).body()).isEmpty();
    byte[] all =
        Snappy.uncompress(
            read(Snappy.compress(request("nosuch", Long.MIN_VALUE, Long.MAX_VALUE))).body());
    assertThat(all).isEqualTo(none);
    assertThat(read(new byte[] {1, 2, 3}).statusCode()).isEqualTo(400);
    assertThat(read(Snappy.compress(new byte[5 << 20])).statusCode()).isEqualTo(400);
    assertThat(read(Snappy.compress("nonsense".getBytes())).statusCode()).isEqualTo(400);
    assertThat(servers.asker().get("/api/v1/read").statusCode()).isEqualTo(405);
  }

  @Test
  void seriesWithoutHostAreReadToo() throws Exception {
    servers.write(RemoteWriteBody.v1().series(Labels.of("__name__", "hostless"), now, 3));
    assertThat(Snappy.uncompress(read(Snappy.compress(request("hostless", now, now))).body()))
        .hasSizeGreaterThan(40);
  }
}
