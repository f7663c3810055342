package io.fleetgauge.probe.scrape;

import io.fleetgauge.cluster.config.ScrapeSettings;
import io.fleetgauge.cluster.process.ChangedFiles;
import io.fleetgauge.cluster.process.OutgoingHttp;
import io.fleetgauge.cluster.process.SecretFile;
import io.fleetgauge.cluster.process.StartFailure;
import io.fleetgauge.sample.prometheus.PageFormat;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.ClientSSLOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks one target for its page. Safe for all threads, one scrape at a time. */
final class Scraping {
  private static final Logger LOG = LoggerFactory.getLogger(Scraping.class);
  private static final int KEEP_SECONDS = 600;

  private final Vertx vertx;
  private final Context context;
  private final ScrapeSettings settings;
  private final TargetLabels labels;
  private final SeriesCache cache = new SeriesCache();
  private final ScrapeCounts counts;
  private final SecretFile token;
  private final SecretFile user;
  private final HttpClientAgent client;

  /**
   * @param host the node's name
   * @throws StartFailure if a file with a secret cannot be used
   */
  Scraping(Vertx vertx, ScrapeSettings settings, String host, ScrapeCounts counts)
      throws StartFailure {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.settings = settings;
    this.labels = new TargetLabels(settings, host);
    this.counts = counts;
    String section = "scrape." + settings.name();
    this.token = SecretFile.ofOthers(section + ".tokenFile", settings.access().token());
    this.user = SecretFile.ofOthers(section + ".userFile", settings.access().user());
    this.client =
        vertx
            .httpClientBuilder()
            .with(
                new HttpClientOptions()
                    .setConnectTimeout((int) settings.timeout().toMillis())
                    .setKeepAliveTimeout(KEEP_SECONDS))
            .with(ssl())
            .with(new PoolOptions().setHttp1MaxSize(1).setMaxWaitQueueSize(1))
            .withConnectHandler(
                connection ->
                    connection.exceptionHandler(
                        failure -> LOG.debug("a connection to an exporter broke", failure)))
            .build();
    ChangedFiles.watch(
        vertx,
        OutgoingHttp.files(settings.access().tls()),
        () ->
            client
                .updateSSLOptions(ssl(), true)
                .onFailure(
                    failure -> LOG.error("the files of {}.tls cannot be used", section, failure)));
  }

  private ClientSSLOptions ssl() {
    ClientSSLOptions options = OutgoingHttp.ssl(settings.access().tls());
    return settings.access().isUnverified()
        ? options.setTrustAll(true).setHostnameVerificationAlgorithm("")
        : options;
  }

  /** Reads its secrets again; may block. */
  void look() {
    token.look();
    user.look();
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
    String host = url.getHost();
    String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.GET)
            .setHost(host.startsWith("[") ? host.substring(1, host.length() - 1) : host)
            .setPort(url.getPort())
            .setSsl("https".equals(url.getScheme()))
            .setURI(url.getRawPath() + query)
            .putHeader("Accept", PageFormat.ACCEPT)
            .putHeader("Accept-Encoding", "gzip")
            .putHeader("User-Agent", "fleetgauge")
            .putHeader(
                "X-Prometheus-Scrape-Timeout-Seconds",
                Double.toString(settings.timeout().toMillis() / 1000.0));
    if (token.isSet()) {
      options.putHeader("Authorization", "Bearer " + token.text());
    } else if (user.isSet()) {
      byte[] plain = user.text().getBytes(StandardCharsets.UTF_8);
      options.putHeader("Authorization", "Basic " + Base64.getEncoder().encodeToString(plain));
    }
    return options;
  }

  void close() {
    client.close();
  }
}
