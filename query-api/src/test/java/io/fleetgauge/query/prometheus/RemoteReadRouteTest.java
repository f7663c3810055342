package io.fleetgauge.query.prometheus;

import static io.fleetgauge.query.ApiServer.NOW;
import static io.fleetgauge.query.ApiServer.TEMPERATURE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.ApiServer;
import io.fleetgauge.sample.wire.WireWriter;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;

/** The forms of a read; {@code RemoteReadTest} has a Prometheus read through them. */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class RemoteReadRouteTest {
  private static final int SAMPLES = 0;
  private static final int CHUNKS = 1;
  private static final String CHUNKED =
      "application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse";

  private ApiServer api;

  @BeforeEach
  void start(Vertx vertx, @TempDir Path folder) throws Exception {
    api = new ApiServer(vertx, folder);
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  private HttpResponse<byte[]> read(String tenant, String parameters, byte[] body)
      throws Exception {
    return api.http.sendBytes(
        tenant,
        "/api/v1/read" + parameters,
        new String[] {"Content-Type", "application/x-protobuf"},
        request -> request.POST(HttpRequest.BodyPublishers.ofByteArray(body)));
  }

  private static byte[] request(long start, long end, int... accepted) throws Exception {
    return request(1, 0, TEMPERATURE, start, end, accepted);
  }

  private static byte[] request(
      int queries, int comparison, String name, long start, long end, int... accepted)
      throws Exception {
    WireWriter matcher = new WireWriter().uvar(1 << 3).uvar(comparison);
    matcher.uvar(2 << 3 | 2).string("__name__").uvar(3 << 3 | 2).string(name);
    WireWriter query = new WireWriter().uvar(1 << 3).uvar(start).uvar(2 << 3).uvar(end);
    query.uvar(3 << 3 | 2).uvar(matcher.size()).raw(matcher.array(), 0, matcher.size());
    WireWriter out = new WireWriter();
    for (int i = 0; i < queries; i++) {
      out.uvar(1 << 3 | 2).uvar(query.size()).raw(query.array(), 0, query.size());
    }
    for (int kind : accepted) {
      out.uvar(2 << 3).uvar(kind);
    }
    return Snappy.compress(out.toBytes());
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static String text(HttpResponse<byte[]> samples) throws Exception {
    return text(Snappy.uncompress(samples.body()));
  }

  @Test
  void samplesAreOneCompressedMessage() throws Exception {
    for (int[] accepted : new int[][] {{}, {SAMPLES}, {SAMPLES, CHUNKS}, {9, SAMPLES}}) {
      HttpResponse<byte[]> answer = read("root", "", request(NOW - 60_000, NOW, accepted));
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/x-protobuf");
      assertThat(answer.headers().firstValue("Content-Encoding")).contains("snappy");
      assertThat(text(answer)).contains(TEMPERATURE, "n1", "n2", "n3");
    }
  }

  @Test
  void chunksAreAStreamOfFrames() throws Exception {
    HttpResponse<byte[]> answer = read("root", "", request(NOW - 60_000, NOW, CHUNKS, SAMPLES));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains(CHUNKED);
    assertThat(answer.headers().firstValue("Content-Encoding")).isEmpty();
    assertThat(answer.headers().firstValue("Transfer-Encoding")).contains("chunked");
    assertThat(text(answer.body())).contains(TEMPERATURE, "n1", "n2", "n3");
  }

  @Test
  void aReadSeesTheScopeOnly() throws Exception {
    assertThat(text(read("a", "", request(NOW - 60_000, NOW)))).contains("n1").doesNotContain("n3");
    assertThat(text(read("b", "", request(NOW - 60_000, NOW, CHUNKS)).body()))
        .contains("n3")
        .doesNotContain("n1");
  }

  @Test
  void everyQueryHasAnAnswerAlsoAnEmptyOne() throws Exception {
    HttpResponse<byte[]> none = read("root", "", request(2, 0, "nosuch", NOW - 60_000, NOW));
    assertThat(Snappy.uncompress(none.body())).containsExactly(1 << 3 | 2, 0, 1 << 3 | 2, 0);
    HttpResponse<byte[]> backwards = read("root", "", request(1, 0, TEMPERATURE, NOW, NOW - 1));
    assertThat(Snappy.uncompress(backwards.body())).containsExactly(1 << 3 | 2, 0);
    HttpResponse<byte[]> past = read("root", "", request(0, 1));
    assertThat(Snappy.uncompress(past.body())).containsExactly(1 << 3 | 2, 0);
  }

  @Test
  void eachComparisonOfAMatcherIsKnown() throws Exception {
    assertThat(text(read("root", "", request(1, 1, "other", NOW - 60_000, NOW)))).contains("n1");
    assertThat(text(read("root", "", request(1, 2, "DCGM.*", NOW - 60_000, NOW)))).contains("n1");
    assertThat(text(read("root", "", request(1, 3, "DCGM.*", NOW - 60_000, NOW))))
        .doesNotContain("n1");
  }

  @Test
  void allOfTimeMayBeRead() throws Exception {
    assertThat(text(read("root", "", request(Long.MIN_VALUE, Long.MAX_VALUE)))).contains("n1");
  }

  @Test
  void anUnreadableBodyIsATextError() throws Exception {
    byte[][] wrong = {
      new byte[0],
      {1, 2, 3},
      Snappy.compress("nonsense".getBytes(StandardCharsets.UTF_8)),
      Snappy.compress(new byte[5 << 20]),
      request(1_001, 0, TEMPERATURE, NOW - 1, NOW),
      request(NOW - 1, NOW, 9),
      request(1, 2, "(", NOW - 1, NOW)
    };
    String[] why = {
      "the body is not a read request compressed with snappy: ",
      "the body is not a read request compressed with snappy: ",
      "the body is not a read request compressed with snappy: ",
      "the decompressed body has 5242880 bytes; the limit is 4194304",
      "1001 queries are over the limit of 1000",
      "none of the accepted response types is known; supported are samples and streamed chunks",
      ""
    };
    for (int i = 0; i < wrong.length; i++) {
      HttpResponse<byte[]> answer = read("a", "", wrong[i]);
      assertThat(answer.statusCode()).as("body %d", i).isEqualTo(400);
      assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
          .startsWith("text/plain");
      assertThat(text(answer.body())).startsWith(why[i]).endsWith("\n");
    }
    assertThat(api.http.get("a", "/api/v1/read").statusCode()).isEqualTo(405);
  }

  @Test
  void aMissingHostIsInTheHeaderOrIsAnErrorToRetry() throws Exception {
    api.fleet.damage("n2");
    HttpResponse<byte[]> part = read("root", "", request(NOW - 60_000, NOW));
    assertThat(part.headers().firstValue("X-Fleetgauge-Completeness").orElseThrow())
        .startsWith("hosts=3; answered=2; missing=n2; ");
    for (HttpResponse<byte[]> strict :
        List.of(
            read("strict", "", request(NOW - 60_000, NOW)),
            read("root", "?strict=1", request(NOW - 60_000, NOW, CHUNKS)))) {
      assertThat(strict.statusCode()).isEqualTo(503);
      assertThat(text(strict.body())).startsWith("incomplete result: 1 of 3 hosts are missing: n2");
      assertThat(strict.headers().firstValue("Retry-After")).isPresent();
    }
  }
}
