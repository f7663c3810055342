package io.fleetgauge.query.prometheus;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.answer.SeriesFilter;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.RemoteRead;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.xerial.snappy.Snappy;

/** {@code POST /api/v1/read}: samples as they are stored, for another Prometheus. */
final class RemoteReadRoute {
  private static final int MAX_DECODED_BYTES = 4 << 20;
  private static final int MAX_QUERIES = 1_000;
  private static final String CHUNKS =
      "application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse";

  private final QueryConfig config;
  private final Querier querier;

  RemoteReadRoute(QueryConfig config, Querier querier) {
    this.config = config;
    this.querier = querier;
  }

  void mount(ApiRoutes routes) {
    routes.postText("/api/v1/read", this::read);
  }

  private Future<Body> read(ApiRequest request) throws QueryFailure {
    RemoteRead.Request wanted = decoded(request.body());
    List<Selection> selections = new ArrayList<>();
    for (RemoteRead.Query query : wanted.queries()) {
      List<Matcher> matchers = new ArrayList<>();
      for (RemoteRead.Matcher matcher : query.matchers()) {
        matchers.add(matcher(matcher));
      }
      long start = Math.max(query.start(), SeriesFilter.EARLIEST);
      long end = Math.min(query.end(), SeriesFilter.LATEST);
      // A query that ends before it starts has an empty answer.
      selections.add(new Selection(matchers, start - 1, Math.max(start - 1, end)));
    }
    return request
        .ask(querier, new Request.Samples(selections), config.timeout().toMillis())
        .map(reply -> answer(request, wanted, reply.value()));
  }

  private static RemoteRead.Request decoded(byte[] body) throws QueryFailure {
    RemoteRead.Request request;
    try {
      int size = Snappy.uncompressedLength(body);
      if (size > MAX_DECODED_BYTES) {
        throw bad(
            "the decompressed body has " + size + " bytes; the limit is " + MAX_DECODED_BYTES);
      }
      request = RemoteRead.read(Snappy.uncompress(body));
    } catch (IOException | WireException e) {
      throw bad("the body is not a read request compressed with snappy: " + e.getMessage());
    }
    if (!request.known()) {
      throw bad(
          "none of the accepted response types is known; supported are samples and streamed"
              + " chunks");
    }
    if (request.queries().size() > MAX_QUERIES) {
      throw bad(request.queries().size() + " queries are over the limit of " + MAX_QUERIES);
    }
    return request;
  }

  private static QueryFailure bad(String why) {
    return new QueryFailure(QueryFailure.Kind.BAD_DATA, why);
  }

  private static Matcher matcher(RemoteRead.Matcher matcher) throws QueryFailure {
    Matcher.Kind kind =
        switch (matcher.comparison()) {
          case EQUAL -> Matcher.Kind.EQUAL;
          case NOT_EQUAL -> Matcher.Kind.NOT_EQUAL;
          case REGEX -> Matcher.Kind.REGEX;
          case NOT_REGEX -> Matcher.Kind.NOT_REGEX;
        };
    try {
      return Matcher.of(kind, matcher.name(), matcher.value());
    } catch (IllegalArgumentException e) {
      throw bad(e.getMessage());
    }
  }

  private static Body answer(
      ApiRequest request, RemoteRead.Request wanted, List<List<Series>> results) {
    // Chunks of histograms have a form of their own; every client also reads samples.
    boolean histograms =
        results.stream().flatMap(List::stream).anyMatch(series -> series.histograms() != null);
    if (wanted.chunks() && !histograms) {
      request.respondWith("Content-Type", CHUNKS);
      return Body.streamed(out -> writeChunks(results, out));
    }
    request.respondWith("Content-Type", "application/x-protobuf");
    request.respondWith("Content-Encoding", "snappy");
    return Body.large(() -> samples(results));
  }

  private static Buffer samples(List<List<Series>> results) {
    try {
      return Buffer.buffer(Snappy.compress(RemoteRead.samples(results)));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // compressing in memory cannot fail
    }
  }

  private static void writeChunks(List<List<Series>> results, OutputStream out) throws IOException {
    try {
      for (int i = 0; i < results.size(); i++) {
        for (Series series : results.get(i)) {
          RemoteRead.frames(
              series,
              i,
              (bytes, length) -> {
                try {
                  out.write(bytes, 0, length);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
        }
      }
    } catch (UncheckedIOException e) {
      throw Objects.requireNonNull(e.getCause());
    }
  }
}
