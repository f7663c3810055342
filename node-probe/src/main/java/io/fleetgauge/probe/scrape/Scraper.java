package io.fleetgauge.probe.scrape;

import io.fleetgauge.probe.config.ScrapeSettings;
import io.fleetgauge.runtime.http.ExternalAccess;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.prometheus.PageFormat;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.concurrent.CompletableFuture;

/** Asks one target for its page. Safe for all threads, one scrape at a time. */
final class Scraper {
  private static final int KEEP_SECONDS = 600;

  private final Vertx vertx;
  private final Context context;
  private final ScrapeSettings settings;
  private final TargetLabels labels;
  private final SeriesCache cache = new SeriesCache();
  private final ScrapeCounts counts;
  private final ExternalAccess access;
  private final HttpClientAgent client;

  /**
   * @param host the node's name
   * @throws StartFailure if a file with a secret cannot be used
   */
  Scraper(Vertx vertx, ScrapeSettings settings, String host, ScrapeCounts counts)
      throws StartFailure {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.settings = settings;
    this.labels = new TargetLabels(settings, host);
    this.counts = counts;
    this.access = ExternalAccess.open("scrape." + settings.name(), settings.access());
    this.client =
        access.client(
            vertx, new HttpClients.Limits((int) settings.timeout().toMillis(), KEEP_SECONDS, 1, 1));
  }

  /** Reads its secrets again; may block. */
  void look() {
    access.look();
  }

  /**
   * Scrapes the target.
   *
   * @param tick time of the samples, ms
   * @return never fails; is there within the timeout
   */
  CompletableFuture<ScrapeResult> scrape(long tick) {
    CompletableFuture<ScrapeResult> result = new CompletableFuture<>();
    context.runOnContext(
        none ->
            new ScrapeAttempt(vertx, settings, labels, cache, counts, tick, result)
                .ask(client, request()));
    return result;
  }

  private RequestOptions request() {
    URI url = settings.url();
    String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
    return access
        .request(url, url.getRawPath() + query)
        .setMethod(HttpMethod.GET)
        .putHeader("Accept", PageFormat.ACCEPT)
        .putHeader("Accept-Encoding", "gzip")
        .putHeader(
            "X-Prometheus-Scrape-Timeout-Seconds",
            Double.toString(settings.timeout().toMillis() / 1000.0));
  }

  void close() {
    client.close();
  }
}
