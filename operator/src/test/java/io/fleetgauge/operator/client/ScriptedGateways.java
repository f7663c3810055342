package io.fleetgauge.operator.client;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Gateways g0, g1 and so on that answer as they are told, and keep the requests. A request is
 * written as {@code g0 GET /v1/backup}.
 */
public final class ScriptedGateways {
  private final Vertx vertx = Vertx.vertx();
  private final List<URI> addresses = new ArrayList<>();
  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
  private final Map<String, Deque<Answer>> answers = new ConcurrentHashMap<>();
  private final Map<String, SentBody> sent = new ConcurrentHashMap<>();

  private record Answer(int status, byte[] body) {}

  /** The body of a request, and the digest that it named. */
  public record SentBody(byte[] body, String sha256) {}

  public ScriptedGateways(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      String name = "g" + i;
      int port =
          vertx
              .createHttpServer()
              .requestHandler(request -> answer(name, request))
              .listen(0, "127.0.0.1")
              .await(120, TimeUnit.SECONDS)
              .actualPort();
      addresses.add(URI.create("http://127.0.0.1:" + port));
    }
  }

  public URI address(int gateway) {
    return addresses.get(gateway);
  }

  /** Answers to a request follow each other; the last one stays. */
  public ScriptedGateways tell(String request, int status, String body) {
    return tell(request, status, body.getBytes(StandardCharsets.UTF_8));
  }

  public ScriptedGateways tell(String request, int status, byte[] body) {
    answers.computeIfAbsent(request, none -> new ArrayDeque<>()).add(new Answer(status, body));
    return this;
  }

  /** From now on it is answered so. */
  public void tellInstead(String request, int status, String body) {
    answers.remove(request);
    tell(request, status, body);
  }

  /** All requests so far, in their order. */
  public List<String> asked() {
    synchronized (asked) {
      return List.copyOf(asked);
    }
  }

  /** The body that the newest of these requests sent. */
  public SentBody sent(String request) {
    return sent.get(request);
  }

  public void forget() {
    asked.clear();
    sent.clear();
  }

  private void answer(String gateway, HttpServerRequest request) {
    String name = gateway + " " + request.method() + " " + request.uri();
    request
        .body()
        .onSuccess(
            body -> {
              asked.add(name);
              sent.put(
                  name, new SentBody(body.getBytes(), request.getHeader("X-Fleetgauge-Sha256")));
              Answer answer;
              synchronized (answers) {
                Deque<Answer> told = answers.get(name);
                answer =
                    told == null
                        ? new Answer(
                            404, "nobody told how to answer".getBytes(StandardCharsets.UTF_8))
                        : told.size() > 1 ? told.removeFirst() : told.getFirst();
              }
              request.response().setStatusCode(answer.status).end(Buffer.buffer(answer.body));
            });
  }

  public void close() throws Exception {
    vertx.close().await(120, TimeUnit.SECONDS);
  }
}
