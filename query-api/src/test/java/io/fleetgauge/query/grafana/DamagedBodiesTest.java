package io.fleetgauge.query.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.query.ApiServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Bodies of Grafana's plugins, damaged: each is answered, or refused with a reason, and none is an
 * error of ours. The property {@code fleetgauge.inputs.damaged} sets how many of each.
 */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class DamagedBodiesTest {
  private static final int COUNT = Integer.getInteger("fleetgauge.inputs.damaged", 400);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Texts and values that mean something to one of the readers, or nothing to any. */
  private static final String[] PIECES = {
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "-1",
    "1e999",
    "9223372036854775808",
    "0.5",
    "{}",
    "[]",
    "[[]]",
    "\\",
    "\\u0000",
    "\\ud800",
    "\u00e9",
    "'",
    "(",
    ")",
    "=~",
    "*",
    "#",
    " ",
    "\n",
    "2026-13-01T00:00:00Z",
    "+292278994-08-17T07:12:55Z"
  };

  private ApiServer api;

  @BeforeEach
  void start(Vertx vertx, @TempDir Path folder) throws Exception {
    api = new ApiServer(vertx, folder);
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " <- ",
      quoteCharacter = '`',
      value = {
        """
        /grafana/query <- {"range": {"from": "2026-11-21T22:21:40Z", "to": "2026-11-21T22:26:40Z"}, \
        "intervalMs": 15000, "maxDataPoints": 500, \
        "adhocFilters": [{"key": "rack", "operator": "=~", "value": "r0|r1"}], \
        "targets": [{"target": "DCGM_FI_DEV_GPU_TEMP", "refId": "A", "type": "table", \
        "payload": {"aggregate": "sum", "by": ["rack", {"value": "gpu"}], "rate": "none", \
        "filters": "job=\\"train\\"", "format": "timeserie"}}, \
        {"target": "events xid{rack=\\"r0\\"}, host", "hide": false}]}\
        """,
        """
        /grafana/annotations <- {"range": {"from": "2026-11-21T22:21:40Z", \
        "to": "2026-11-21T22:26:40Z"}, "annotation": {"name": "a", "query": "#xid,throttle", \
        "enable": true}}\
        """,
        """
        /grafana/variable <- {"payload": {"target": "label_values(up{rack=~\\"r.*\\"}, Hostname)"}}\
        """,
        """
        /grafana/search <- {"target": "metrics(DCGM_.*|up)"}\
        """,
        """
        /grafana/metrics <- {"metric": "DCGM", "payload": {"aggregate": "sum"}}\
        """,
        """
        /grafana/metric-payload-options <- {"metric": "up", "name": "by", "payload": {}}\
        """,
        """
        /grafana/tag-values <- {"key": "rack"}\
        """
      })
  void aBodyIsAnsweredOrRefusedWithAReason(String path, String whole) throws Exception {
    assertThat(ask(path, whole).statusCode()).isEqualTo(200);
    SplittableRandom random = new SplittableRandom(20_261_127 + path.hashCode());
    int answered = 0;
    for (int i = 0; i < COUNT; i++) {
      String body = damaged(whole, random);
      HttpResponse<String> response = ask(path, body);
      String as = response.statusCode() + " " + response.body() + " to " + body;
      assertThat(Set.of(200, 400, 422)).as(as).contains(response.statusCode());
      JsonNode json = JSON.readTree(response.body());
      if (response.statusCode() == 200) {
        assertThat(json.isArray()).as(as).isTrue();
        answered++;
      } else {
        assertThat(json.path("error").asText()).as(as).isNotBlank();
      }
    }
    assertThat(answered).isBetween(COUNT / 20, COUNT - 1);
  }

  private HttpResponse<String> ask(String path, String body) throws Exception {
    return api.http.post("root", path, body, "Content-Type", "application/json");
  }

  private static String damaged(String whole, SplittableRandom random) {
    StringBuilder body = new StringBuilder(whole);
    for (int hits = random.nextInt(1, 3); hits > 0; hits--) {
      int at = random.nextInt(body.length());
      String piece = PIECES[random.nextInt(PIECES.length)];
      switch (random.nextInt(5)) {
        case 0 -> body.insert(at, piece);
        case 1 -> body.replace(at, Math.min(body.length(), at + piece.length()), piece);
        case 2 -> body.delete(at, Math.min(body.length(), at + random.nextInt(1, 20)));
        default -> { // a whole value is another
          int from = body.indexOf(": ", at) + 2;
          int to = from;
          while (to < body.length() && ",}]".indexOf(body.charAt(to)) < 0) {
            to++;
          }
          if (from > 1) {
            body.replace(from, to, piece);
          }
        }
      }
      if (body.isEmpty()) {
        body.append(' ');
      }
    }
    return body.toString();
  }
}
