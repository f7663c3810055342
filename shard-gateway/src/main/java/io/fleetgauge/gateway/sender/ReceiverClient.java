package io.fleetgauge.gateway.sender;

import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.WebRequest;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.prometheus.RemoteWriteWriter;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xerial.snappy.Snappy;

/**
 * Sends requests to one receiver, and tells what their answers mean. Not for several threads; the
 * answers come on others.
 */
final class ReceiverClient implements Receiver {
  private static final Logger LOG = LoggerFactory.getLogger(ReceiverClient.class);

  private static final int CONFLICT = 409;

  /**
   * Statuses with which receivers say that a body will never be accepted. Others, such as those for
   * a wrong password or path, say nothing of the samples: these are kept until it is put right.
   */
  private static final Set<Integer> FINAL = Set.of(400, CONFLICT, 413, 422);

  private static final int UNSUPPORTED = 415;
  private static final String WRITTEN = "X-Prometheus-Remote-Write-%s-Written";
  private static final int LONGEST_ANSWER = 1 << 20;
  private static final int SHOWN = 300;
  private static final int MAX_DESCRIBED = 2_000;
  private static final long LONGEST_WAIT_SECONDS = 600;

  private final SenderSettings settings;
  private final WebRequests http;
  private final LongSupplier clock;
  private Map<String, MetricMetadata> metadata = Map.of();
  private volatile Version version;

  /** Metrics that were sent since their metadata was. */
  private final Set<String> described = new HashSet<>();

  /**
   * @param clock ms since the epoch
   */
  ReceiverClient(SenderSettings settings, WebRequests http, LongSupplier clock) {
    this.settings = settings;
    this.http = http;
    this.clock = clock;
    this.version = settings.version();
  }

  /**
   * Takes what senders say of metrics, by name. In version 1 the metadata of metrics that were sent
   * is sent now, and it matters little if it does not arrive; in version 2 each series has its own.
   */
  void describe(Map<String, MetricMetadata> known) {
    metadata = known;
    if (version == Version.V2) {
      return;
    }
    RemoteWriteWriter writer = new RemoteWriteWriter(Version.V1);
    for (String each : described) {
      MetricMetadata of = metadataOf(each);
      if (of != null) {
        writer.metadata(each, of);
      }
    }
    if (writer.size() > 0) {
      post(Version.V1, writer).onFailure(e -> LOG.debug("metadata to {}", settings.name(), e));
    }
    described.clear();
  }

  /** The metadata of a metric; null if there is none. */
  private MetricMetadata metadataOf(String metric) {
    MetricMetadata given = metadata.get(metric);
    return given == null ? KnownMetrics.of(metric).orElse(null) : given;
  }

  @Override
  public Future<Outcome> send(List<Series> series) {
    Version of = version;
    RemoteWriteWriter writer = new RemoteWriteWriter(of);
    for (Series each : series) {
      String metric = each.labels().metric();
      if (of == Version.V2) {
        writer.series(each, metadataOf(metric));
      } else {
        writer.series(each);
        if (described.size() < MAX_DESCRIBED) {
          described.add(metric);
        }
      }
    }
    return post(of, writer)
        .map(answer -> outcome(of, HostSamples.count(series), answer))
        .otherwise(failure -> Outcome.again(0, failure.getMessage()));
  }

  private Future<HttpAnswer> post(Version of, RemoteWriteWriter writer) {
    byte[] body;
    try {
      body = Snappy.compress(writer.toBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    WebRequest request =
        http.to(HttpMethod.POST, settings.url(), settings.timeout().toMillis())
            .longestAnswer(LONGEST_ANSWER);
    settings.headers().forEach(request::header);
    return request
        .header("Content-Type", of.contentType())
        .header("Content-Encoding", "snappy")
        .header("X-Prometheus-Remote-Write-Version", of == Version.V1 ? "0.1.0" : "2.0.0")
        .body(body)
        .send();
  }

  private Outcome outcome(Version of, int samples, HttpAnswer answer) {
    int status = answer.status();
    String text = answer.text().strip().replaceAll("\\s+", " ");
    String why = "status " + status + ": " + text.substring(0, Math.min(SHOWN, text.length()));
    long written = of == Version.V2 ? written(answer) : -1;
    if (of == Version.V2 && (status == UNSUPPORTED || status / 100 == 2 && written < 0)) {
      // A receiver that does not know version 2 may answer 204 and store nothing.
      version = Version.V1;
      LOG.warn(
          "remote write to {}: it does not support version 2.0, so 1.0 is used; {}",
          settings.name(),
          why);
      return Outcome.again(0, "version 2.0 is not supported");
    }
    if (status / 100 == 2) {
      return Outcome.ACCEPTED;
    }
    if (!FINAL.contains(status)) {
      return Outcome.again(waitMillis(answer), why);
    }
    if (status == CONFLICT) {
      // Thanos has stored the samples that it does not refuse, and does not say which.
      return new Outcome(Kind.ACCEPTED, samples, 0, why);
    }
    return written < 0
        ? Outcome.refused(why)
        : new Outcome(Kind.ACCEPTED, Math.clamp(samples - written, 0, samples), 0, why);
  }

  /** Samples and histograms that a receiver of version 2 says it has written; -1 if it does not. */
  private static long written(HttpAnswer answer) {
    String samples = answer.headers().get(WRITTEN.formatted("Samples"));
    String histograms = answer.headers().get(WRITTEN.formatted("Histograms"));
    if (samples == null && histograms == null) {
      return -1;
    }
    return number(samples) + number(histograms);
  }

  private static long number(String text) {
    try {
      return text == null ? 0 : Long.parseLong(text.strip());
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private long waitMillis(HttpAnswer answer) {
    String after = answer.headers().get("Retry-After");
    if (after == null) {
      return 0;
    }
    long seconds;
    try {
      seconds = Long.parseLong(after.strip());
    } catch (NumberFormatException e) {
      seconds = untilDate(after.strip());
    }
    return Math.clamp(seconds, 0, LONGEST_WAIT_SECONDS) * 1_000;
  }

  private long untilDate(String text) {
    try {
      ZonedDateTime date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME);
      return date.toEpochSecond() - clock.getAsLong() / 1_000;
    } catch (DateTimeException e) {
      return 0;
    }
  }
}
