package io.fleetgauge.probe.attribution.runtime;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Docker, or Podman, which answers in the same way. Only by a Unix socket: whoever reaches Docker
 * over TCP is root.
 */
final class Docker implements ContainerRuntime {
  private static final int OK = 200;

  private final HttpClientAgent client;
  private final Path socket;
  private final long timeoutMillis;

  Docker(HttpClientAgent client, Path socket, long timeoutMillis) {
    this.client = client;
    this.socket = socket;
    this.timeoutMillis = timeoutMillis;
  }

  @Override
  public Path socket() {
    return socket;
  }

  @Override
  public Future<Listing> list() {
    return client
        .request(
            new RequestOptions()
                .setServer(SocketAddress.domainSocketAddress(socket.toString()))
                .setHost("localhost")
                .setPort(80)
                .setConnectTimeout(timeoutMillis)
                .setTimeout(timeoutMillis)
                .setURI("/containers/json"))
        .compose(
            request ->
                // In the task in which the response arrives: later, its body may have gone by.
                request.putHeader("User-Agent", "fleetgauge-probe").send().compose(Docker::body))
        .timeout(timeoutMillis, TimeUnit.MILLISECONDS)
        .compose(
            body -> {
              try {
                return Future.succeededFuture(read(body));
              } catch (DecodeException | ClassCastException e) {
                return Future.failedFuture("the response is not a list of containers: " + e);
              }
            });
  }

  private static Future<Buffer> body(HttpClientResponse response) {
    if (response.statusCode() != OK) {
      response.request().connection().close();
      return Future.failedFuture("the HTTP status is " + response.statusCode());
    }
    Promise<Buffer> whole = Promise.promise();
    Buffer body = Buffer.buffer();
    response.exceptionHandler(whole::tryFail);
    response.handler(
        part -> {
          body.appendBuffer(part);
          if (body.length() > MOST_BYTES
              && whole.tryFail("the response has more than " + MOST_BYTES + " bytes")) {
            response.request().connection().close();
          }
        });
    response.endHandler(end -> whole.tryComplete(body));
    return whole.future();
  }

  /**
   * The array of {@code /containers/json}.
   *
   * @throws DecodeException if it is not JSON
   * @throws ClassCastException if it is another value
   */
  static Listing read(Buffer body) {
    Listing listing = new Listing();
    // A decoder of bytes would refuse the whole for one that is not UTF-8.
    JsonArray all = new JsonArray(body.toString(StandardCharsets.UTF_8));
    for (int i = 0; i < all.size() && listing.names().size() < MOST_CONTAINERS; i++) {
      if (all.getValue(i) instanceof JsonObject container
          && container.getValue("Id") instanceof String id
          && container.getValue("Names") instanceof JsonArray given
          && !given.isEmpty()
          && given.getValue(0) instanceof String name) {
        ContainerName.ofDocker(
                name.startsWith("/") ? name.substring(1) : name,
                labels(container.getValue("Labels")))
            .ifPresent(known -> listing.add(id, known));
      } else {
        listing.lose("container " + i + " of the response has no Id or no Names");
      }
    }
    return listing;
  }

  private static Map<String, String> labels(Object value) {
    Map<String, String> labels = new HashMap<>();
    if (value instanceof JsonObject all) {
      for (Map.Entry<String, Object> each : all) {
        if (each.getKey().startsWith("io.kubernetes.") && each.getValue() instanceof String text) {
          labels.put(each.getKey(), text);
        }
      }
    }
    return labels;
  }
}
