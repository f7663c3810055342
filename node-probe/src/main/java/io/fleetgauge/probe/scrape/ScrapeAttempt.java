package io.fleetgauge.probe.scrape;

import io.fleetgauge.probe.config.ScrapeSettings;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gzip.GunzipReader;
import io.fleetgauge.sample.prometheus.BadPage;
import io.fleetgauge.sample.prometheus.PageFormat;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.RequestOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.zip.DataFormatException;

/** One scrape. Only its event loop uses it. */
final class ScrapeAttempt {
  private static final int OK = 200;
  private static final double NANOS = 1e9;

  private final Vertx vertx;
  private final ScrapeSettings settings;
  private final TargetLabels labels;
  private final SeriesCache cache;
  private final ScrapeCounts counts;
  private final long tick;
  private final CompletableFuture<ScrapeResult> result;
  private final long begun = System.nanoTime();
  private long timer;
  private boolean isOver;
  private HttpClientRequest request;
  private String contentType;
  private GunzipReader gunzip;
  private long packedBytes;
  private ScrapedPage page;

  ScrapeAttempt(
      Vertx vertx,
      ScrapeSettings settings,
      TargetLabels labels,
      SeriesCache cache,
      ScrapeCounts counts,
      long tick,
      CompletableFuture<ScrapeResult> result) {
    this.vertx = vertx;
    this.settings = settings;
    this.labels = labels;
    this.cache = cache;
    this.counts = counts;
    this.tick = tick;
    this.result = result;
  }

  void ask(HttpClient client, RequestOptions options) {
    timer =
        vertx.setTimer(
            settings.timeout().toMillis(),
            id ->
                fail(
                    Reason.TIMEOUT,
                    "the page is not complete after " + settings.timeout().toMillis() + " ms"));
    client
        .request(options)
        .onSuccess(this::send)
        .onFailure(failure -> fail(Reason.CONNECTION, failure.toString()));
  }

  private void send(HttpClientRequest ready) {
    request = ready;
    if (isOver) {
      request.reset();
      return;
    }
    request
        .send()
        .onSuccess(this::answered)
        .onFailure(failure -> fail(Reason.CONNECTION, failure.toString()));
  }

  private void answered(HttpClientResponse response) {
    response.exceptionHandler(failure -> fail(Reason.CONNECTION, failure.toString()));
    if (isOver) {
      return;
    }
    if (response.statusCode() != OK) {
      String to = response.getHeader("Location");
      fail(
          Reason.STATUS,
          "the status is " + response.statusCode() + (to == null ? "" : ", to " + to));
      return;
    }
    contentType = response.getHeader("Content-Type");
    if ("gzip".equals(response.getHeader("Content-Encoding"))) {
      gunzip = new GunzipReader();
    }
    response.handler(this::packed);
    response.endHandler(none -> end());
  }

  private void packed(Buffer some) {
    if (isOver) {
      return;
    }
    packedBytes += some.length();
    if (packedBytes >= settings.limits().bodyBytes()) {
      fail(
          Reason.BODY_LIMIT,
          "the page has maxBody, " + settings.limits().bodyBytes() + " B, or more");
      return;
    }
    try {
      byte[] bytes = some.getBytes();
      if (gunzip == null) {
        take(bytes, 0, bytes.length);
      } else {
        gunzip.take(bytes, 0, bytes.length, this::take);
      }
    } catch (BadPage e) {
      fail(page == null ? Reason.CONTENT_TYPE : page.reason(), e.getMessage());
    } catch (DataFormatException e) {
      fail(Reason.ENCODING, "the page cannot be unpacked: " + e.getMessage());
    }
  }

  private void take(byte[] bytes, int from, int to) throws BadPage {
    if (page == null) {
      Optional<PageFormat> format = PageFormat.of(contentType).or(settings::fallback);
      if (format.isEmpty()) {
        throw new BadPage(
            "the Content-Type " + contentType + " is not that of a page; see fallbackFormat");
      }
      page = new ScrapedPage(settings, labels, cache, counts, format.get(), tick);
    }
    page.take(bytes, from, to);
  }

  private void end() {
    if (isOver) {
      return;
    }
    try {
      if (gunzip != null) {
        gunzip.end();
      }
      if (page == null) {
        page = new ScrapedPage(settings, labels, cache, counts, PageFormat.TEXT, tick);
      }
      page.end();
      over();
      result.complete(page.result(seconds()));
    } catch (BadPage e) {
      fail(page.reason(), e.getMessage());
    } catch (DataFormatException e) {
      fail(Reason.ENCODING, "the page cannot be unpacked: " + e.getMessage());
    }
  }

  private void fail(Reason reason, String why) {
    if (isOver) {
      return;
    }
    over();
    counts.add(reason);
    if (request != null) {
      request.reset();
    }
    if (page == null) {
      result.complete(
          new ScrapeResult(
              why, seconds(), 0, 0, 0, new Tick.Builder().at(tick), List.of(), Map.of()));
    } else {
      result.complete(page.refused(why, seconds()));
    }
  }

  private void over() {
    isOver = true;
    vertx.cancelTimer(timer);
    if (gunzip != null) {
      gunzip.close();
    }
  }

  private double seconds() {
    return (System.nanoTime() - begun) / NANOS;
  }
}
