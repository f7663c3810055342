package io.fleetgauge.query.fanout;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.FragmentProtocol;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The gateways of a {@link MemoryFleet} as HTTP servers that speak the fragment protocol. */
final class LoopbackGateways {
  private final Vertx vertx;
  private final MemoryFleet fleet;
  private final Map<String, HttpServer> servers = new ConcurrentHashMap<>();
  private final Map<String, URI> addresses = new ConcurrentHashMap<>();
  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private final List<String> resets = new CopyOnWriteArrayList<>();
  private volatile ClusterView view;
  private volatile byte[] lie;
  private volatile Promise<Void> held = Promise.promise();
  private volatile Predicate<Question<?>> isRefused = question -> false;

  /** A fragment that a gateway was asked. */
  record Asked(String gateway, Fragment fragment) {}

  LoopbackGateways(Vertx vertx, MemoryFleet fleet) throws Exception {
    this.vertx = vertx;
    this.fleet = fleet;
    held.complete();
    for (String gateway : fleet.gateways()) {
      HttpServer server =
          vertx
              .createHttpServer()
              .requestHandler(request -> answer(gateway, request))
              .listen(0, "127.0.0.1")
              .await(120, TimeUnit.SECONDS);
      servers.put(gateway, server);
      addresses.put(gateway, URI.create("http://127.0.0.1:" + server.actualPort()));
    }
  }

  /** The same object as long as nothing has changed, as a member of the cluster has it. */
  synchronized ClusterView view() {
    ClusterView now = fleet.view(addresses);
    if (!now.equals(view)) {
      view = now;
    }
    return view;
  }

  URI address(String gateway) {
    return addresses.get(gateway);
  }

  /** Every fragment gets this answer from now on, whatever it asks. */
  void alwaysAnswer(byte[] answer) {
    lie = answer;
  }

  /** Answers to what is asked from now on are sent when they are released. */
  void hold() {
    held = Promise.promise();
  }

  void release() {
    held.complete();
  }

  /** From now on such questions are not answered. */
  void refuse(Predicate<Question<?>> which) {
    isRefused = which;
  }

  /** The fragments that gateways were asked, in the order in which they came. */
  List<Asked> asked() {
    return List.copyOf(asked);
  }

  /** The gateways whose requests the client has ended early. */
  List<String> resets() {
    return List.copyOf(resets);
  }

  private void answer(String gateway, HttpServerRequest request) {
    if (fleet.isDown(gateway)) {
      request.connection().close();
      return;
    }
    request.response().exceptionHandler(broken -> {});
    request.exceptionHandler(broken -> resets.add(gateway));
    request.body().onSuccess(body -> answer(gateway, request, body));
  }

  private void answer(String gateway, HttpServerRequest request, Buffer body) {
    if (!request.path().equals(FragmentProtocol.PATH)) {
      request.response().setStatusCode(404).end();
      return;
    }
    try {
      Fragment fragment = FragmentCodec.decode(body.getBytes());
      asked.add(new Asked(gateway, fragment));
      if (isRefused.test(fragment.question())) {
        request.response().setStatusCode(422).end("it is refused");
        return;
      }
      if (fleet.isFrozen(gateway)) {
        request.response().closeHandler(closed -> resets.add(gateway));
        return;
      }
      Buffer answer =
          Buffer.buffer(
              lie != null
                  ? lie
                  : FragmentCodec.encode(
                      fleet.answer(gateway, fragment.hosts(), fragment.question()),
                      fragment.question()));
      held.future().onSuccess(none -> request.response().end(answer));
    } catch (WireException e) {
      request.response().setStatusCode(400).end(String.valueOf(e.getMessage()));
    } catch (QueryFailure e) {
      request.response().setStatusCode(422).end(e.getMessage());
    }
  }
}
