package io.fleetgauge.cluster.status;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.WebRequests;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Asks every gateway in sight the same question. Safe for all threads.
 *
 * @param view the newest view of the cluster
 * @param http client that asks gateways
 */
public record AllGateways(Supplier<ClusterView> view, WebRequests http) {
  private static final long ASK_MILLIS = 5_000;

  /** Longest answer: 20,000 hosts with some hundred bytes each. */
  private static final int MOST_BYTES = 16 << 20;

  /**
   * Answers of the gateways.
   *
   * @param of the view whose gateways were asked
   * @param answers by id
   * @param silent reasons why there is no answer, by id
   */
  public record Answers(
      ClusterView of, Map<String, JsonObject> answers, Map<String, String> silent) {}

  /** Asks for a path. Never fails: a gateway that does not answer within 5 s is named. */
  public Future<Answers> ask(String path) {
    ClusterView now = view.get();
    Map<String, Future<JsonObject>> asked = new TreeMap<>();
    now.gateways().forEach((id, address) -> asked.put(id, ask(address, path)));
    return Future.join(List.copyOf(asked.values()))
        .transform(
            done -> {
              Map<String, JsonObject> answers = new TreeMap<>();
              Map<String, String> silent = new TreeMap<>();
              asked.forEach(
                  (id, answer) -> {
                    if (answer.succeeded()) {
                      answers.put(id, answer.result());
                    } else {
                      silent.put(id, why(answer.cause()));
                    }
                  });
              return Future.succeededFuture(new Answers(now, answers, silent));
            });
  }

  private static String why(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  private Future<JsonObject> ask(URI address, String path) {
    return http.to(HttpMethod.GET, address.resolve(path), ASK_MILLIS)
        .longestAnswer(MOST_BYTES)
        .send()
        .map(AllGateways::object);
  }

  private static JsonObject object(HttpAnswer answer) {
    String body = answer.text().strip();
    if (answer.status() != 200) {
      throw new IllegalStateException("status " + answer.status() + ": " + body);
    }
    try {
      return new JsonObject(body);
    } catch (DecodeException e) {
      throw new IllegalStateException("its response is not a JSON object: " + e.getMessage(), e);
    }
  }
}
