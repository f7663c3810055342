package io.fleetgauge.query.store;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.RemoteRead;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.xerial.snappy.Snappy;

/** A store in memory, with Prometheus's API as far as it is used. Thread-safe. */
public final class FakeStore {
  private final int port;
  private final List<Series> series = new CopyOnWriteArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile boolean isDown;
  private volatile boolean ignoresMatchers;
  private volatile boolean hasNothingOlder;
  private volatile Optional<String> evaluated = Optional.empty();

  public FakeStore(Vertx vertx) throws TimeoutException {
    port =
        await(vertx.createHttpServer().requestHandler(this::handle).listen(0, "127.0.0.1"))
            .actualPort();
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(120, TimeUnit.SECONDS);
  }

  /** Settings of this store with every default. */
  public SourceSettings settings(SourceSettings.Holds holds) {
    return SourceSettings.at(
        "old", URI.create("http://127.0.0.1:" + port), SourceSettings.Kind.PROMETHEUS, holds);
  }

  public void add(Series... more) {
    series.addAll(List.of(more));
  }

  /** Every request is answered with status 503 from now on, or not. */
  public void down(boolean down) {
    isDown = down;
  }

  /** Every series is returned from now on, whatever is asked for. */
  public void ignoreMatchers() {
    ignoresMatchers = true;
  }

  /** It says from now on that it has no older samples of hosts that are new. */
  public void hasNothingOlder() {
    hasNothingOlder = true;
  }

  /** Queries are answered with this body from now on; they are refused before. */
  public void evaluate(String body) {
    evaluated = Optional.of(body);
  }

  /** The path and the parameters of each request, in order. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  /** How many requests there were whose path and parameters have a text in them. */
  public long count(String text) {
    return requests.stream().filter(each -> each.contains(text)).count();
  }

  private void handle(HttpServerRequest request) {
    request
        .body()
        .onSuccess(
            body -> {
              boolean isRead = request.path().endsWith("/read");
              String parameters =
                  isRead ? "" : URLDecoder.decode(body.toString(), StandardCharsets.UTF_8);
              requests.add(request.path() + " " + parameters);
              if (isDown) {
                request.response().setStatusCode(503).end();
              } else if (isRead) {
                read(request, body);
              } else {
                json(request, parameters);
              }
            });
  }

  private void json(HttpServerRequest request, String parameters) {
    if (parameters.contains("group by (")) {
      request.response().setStatusCode(hasNothingOlder ? 200 : 422);
      request
          .response()
          .end("{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}");
      return;
    }
    if (request.path().contains("/query")) {
      request.response().setStatusCode(evaluated.isPresent() ? 200 : 422);
      request.response().end(evaluated.orElse("{\"status\":\"error\"}"));
      return;
    }
    JsonArray data = new JsonArray();
    if (request.path().endsWith("/series")) {
      for (Series each : series) {
        JsonObject labels = new JsonObject();
        for (int i = 0; i < each.labels().size(); i++) {
          labels.put(each.labels().name(i), each.labels().value(i));
        }
        data.add(labels);
      }
    } else if (request.path().endsWith("/values")) {
      String[] parts = request.path().split("/");
      TreeSet<String> values = new TreeSet<>();
      series.forEach(each -> values.add(each.labels().value(parts[parts.length - 2])));
      values.remove("");
      values.forEach(data::add);
    } else {
      TreeSet<String> names = new TreeSet<>();
      for (Series each : series) {
        for (int i = 0; i < each.labels().size(); i++) {
          names.add(each.labels().name(i));
        }
      }
      names.forEach(data::add);
    }
    request.response().end(new JsonObject().put("status", "success").put("data", data).encode());
  }

  private void read(HttpServerRequest request, Buffer body) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      List<RemoteRead.Query> queries =
          RemoteRead.read(Snappy.uncompress(body.getBytes())).queries();
      for (int i = 0; i < queries.size(); i++) {
        for (Series each : found(queries.get(i))) {
          RemoteRead.frames(each, i, (bytes, length) -> out.write(bytes, 0, length));
        }
      }
    } catch (IOException | WireException e) {
      request.response().setStatusCode(400).end();
      return;
    }
    request
        .response()
        .putHeader(
            "Content-Type", "application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse")
        .end(Buffer.buffer(out.toByteArray()));
  }

  private List<Series> found(RemoteRead.Query query) {
    List<Series> found = new ArrayList<>();
    for (Series each : series) {
      if (ignoresMatchers || matches(query, each.labels())) {
        int from = Series.firstAfter(each.times(), 0, each.size(), query.start() - 1);
        int to = Series.firstAfter(each.times(), from, each.size(), query.end());
        if (to > from) {
          found.add(
              new Series(
                  each.labels(),
                  Arrays.copyOfRange(each.times(), from, to),
                  Arrays.copyOfRange(each.values(), from, to)));
        }
      }
    }
    return found;
  }

  private static boolean matches(RemoteRead.Query query, Labels labels) {
    return query.matchers().stream()
        .allMatch(
            each ->
                Matcher.of(
                        Matcher.Kind.values()[each.comparison().ordinal()],
                        each.name(),
                        each.value())
                    .matches(labels));
  }
}
