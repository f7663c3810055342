package io.fleetgauge.gateway.sender;

import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.WebRequest;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.prometheus.RemoteWriteWriter;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import org.xerial.snappy.Snappy;

/** Sends requests to one receiver, and tells what their answers mean. Not for several threads. */
final class ReceiverClient {
  /**
   * Statuses with which receivers say that a body will never be accepted. Others, such as those for
   * a wrong password or path, say nothing of the samples: these are kept until it is put right.
   */
  private static final Set<Integer> FINAL = Set.of(400, 409, 413, 422);

  private static final int LONGEST_ANSWER = 1 << 20;
  private static final int SHOWN = 300;

  private final SenderSettings settings;
  private final WebRequests http;
  private final RemoteWriteWriter writer;

  /** Meaning of an answer. */
  enum Kind {
    KEPT,
    REFUSED,
    /** The same body has to be sent again. */
    AGAIN
  }

  /**
   * An outcome of a request.
   *
   * @param waitMillis when to send again, as the receiver says; 0 if it does not
   * @param why empty if it is kept
   */
  record Outcome(Kind kind, long waitMillis, String why) {}

  ReceiverClient(SenderSettings settings, WebRequests http) {
    this.settings = settings;
    this.http = http;
    this.writer = new RemoteWriteWriter(settings.version());
  }

  /** Sends series; the outcome never fails. */
  Future<Outcome> send(List<Series> series) {
    writer.clear();
    series.forEach(writer::series);
    byte[] body;
    try {
      body = Snappy.compress(writer.toBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    WebRequest request =
        http.to(HttpMethod.POST, settings.url(), settings.timeout().toMillis())
            .longestAnswer(LONGEST_ANSWER)
            .header("Content-Type", settings.version().contentType())
            .header("Content-Encoding", "snappy")
            .header(
                "X-Prometheus-Remote-Write-Version",
                settings.version() == Version.V1 ? "0.1.0" : "2.0.0")
            .body(body);
    settings.headers().forEach(request::header);
    return request
        .send()
        .map(ReceiverClient::outcome)
        .otherwise(failure -> new Outcome(Kind.AGAIN, 0, failure.getMessage()));
  }

  private static Outcome outcome(HttpAnswer answer) {
    if (answer.status() / 100 == 2) {
      return new Outcome(Kind.KEPT, 0, "");
    }
    String text = answer.text().strip().replaceAll("\\s+", " ");
    String why =
        "status " + answer.status() + ": " + text.substring(0, Math.min(SHOWN, text.length()));
    return FINAL.contains(answer.status())
        ? new Outcome(Kind.REFUSED, 0, why)
        : new Outcome(Kind.AGAIN, waitMillis(answer), why);
  }

  private static long waitMillis(HttpAnswer answer) {
    String seconds = answer.headers().get("Retry-After");
    try {
      return seconds == null ? 0 : Math.clamp(Long.parseLong(seconds.strip()), 0, 600) * 1_000;
    } catch (NumberFormatException e) {
      return 0; // a date
    }
  }
}
