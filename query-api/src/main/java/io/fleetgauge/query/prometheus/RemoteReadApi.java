package io.fleetgauge.query.prometheus;

import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.fanout.Cancellation;
import io.fleetgauge.query.fanout.Fanout;
import io.fleetgauge.query.fanout.Gathered;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Asker;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.ConcurrencyLimit;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.query.http.Questions;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.RemoteRead;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.xerial.snappy.Snappy;

/** {@code POST /api/v1/read}: samples for another Prometheus, as they are. */
final class RemoteReadApi {
  private static final int MOST_AT_ONCE = 10;
  private static final int MOST_DECODED_BYTES = 4 << 20;
  private static final int MOST_QUERIES = 1_000;
  private static final String CHUNKS =
      "application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse";

  private final QueryConfig config;
  private final Fanout fanout;
  private final ConcurrencyLimit atOnce = new ConcurrencyLimit(MOST_AT_ONCE, "remote reads");

  RemoteReadApi(QueryConfig config, Fanout fanout) {
    this.config = config;
    this.fanout = fanout;
  }

  void mount(ApiRoutes routes) {
    routes.postText("/api/v1/read", this::read);
  }

  private Future<Body> read(RoutingContext http, Parameters parameters) throws QueryFailure {
    Asker asker = Asker.of(http);
    RemoteRead.Request request = request(http);
    List<Selection> selections = new ArrayList<>();
    for (RemoteRead.Query query : request.queries()) {
      List<Matcher> matchers = new ArrayList<>(asker.scope());
      for (RemoteRead.Matcher matcher : query.matchers()) {
        matchers.add(matcher(matcher));
      }
      long start = Math.max(query.start(), Parameters.EARLIEST);
      long end = Math.min(query.end(), Parameters.LATEST);
      // What has an end before its start has nothing, and is answered so.
      selections.add(new Selection(matchers, start - 1, Math.max(start - 1, end)));
    }
    Cancellation cancellation = Questions.cancelledWith(http);
    long most = asker.grant().limits().samples();
    boolean strict = asker.isStrict(parameters);
    return atOnce.run(
        () ->
            fanout
                .samples(selections, most, true, config.timeout().toMillis(), cancellation)
                .compose(found -> answer(http, request, found, most, strict, asker.isAll())));
  }

  private static RemoteRead.Request request(RoutingContext http) throws QueryFailure {
    byte[] body = http.body().buffer() == null ? new byte[0] : http.body().buffer().getBytes();
    RemoteRead.Request request;
    try {
      int size = Snappy.uncompressedLength(body);
      if (size > MOST_DECODED_BYTES) {
        throw bad("the body has " + size + " bytes, allowed are " + MOST_DECODED_BYTES);
      }
      request = RemoteRead.read(Snappy.uncompress(body));
    } catch (IOException | WireException e) {
      throw bad("the body is no snappy block of a read request: " + e.getMessage());
    }
    if (!request.known()) {
      throw bad("of the kinds of answer that are accepted none is known; samples and chunks are");
    }
    if (request.queries().size() > MOST_QUERIES) {
      throw bad("there are " + request.queries().size() + " queries, allowed are " + MOST_QUERIES);
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

  private static Future<Body> answer(
      RoutingContext http,
      RemoteRead.Request request,
      Gathered<List<List<Series>>> found,
      long most,
      boolean strict,
      boolean named) {
    Optional<QueryFailure> hole = Questions.complete(http, found, named, strict);
    if (hole.isPresent()) {
      return Future.failedFuture(hole.get());
    }
    long samples = 0;
    boolean histograms = false;
    for (List<Series> result : found.value()) {
      for (Series series : result) {
        samples += series.size();
        histograms |= series.histograms() != null;
      }
    }
    if (samples > most) {
      return Future.failedFuture(
          bad("there are " + samples + " samples, allowed are " + most + "; read less"));
    }
    // Chunks of histograms have a form of their own; samples are an answer to every request.
    if (request.chunks() && !histograms) {
      http.response().putHeader("Content-Type", CHUNKS);
      return Future.succeededFuture(Body.streamed(out -> writeChunks(found.value(), out)));
    }
    http.response()
        .putHeader("Content-Type", "application/x-protobuf")
        .putHeader("Content-Encoding", "snappy");
    return Future.succeededFuture(
        Body.large(
            () -> {
              try {
                return Buffer.buffer(Snappy.compress(RemoteRead.samples(found.value())));
              } catch (IOException e) {
                throw new UncheckedIOException(e); // memory has no input or output to fail
              }
            }));
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
