package io.fleetgauge.query.peers;

import io.fleetgauge.cluster.peers.Peer;
import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.query.answer.RunningQueries;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import io.vertx.core.Future;
import io.vertx.ext.web.Router;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queries of other query APIs, which are asked for them when somebody wants to see or cancel them.
 * Safe for all threads.
 *
 * <pre>
 * POST /v1/queries/list     answer: queries, as {@link RemoteQuery} draws them
 * POST /v1/queries/cancel   query:uvar askedBy:string; the requester has the operate permission
 *                           answer: found:u8(0 or 1)
 * </pre>
 */
public final class PeerQueries implements OtherQueryApis {
  private static final Logger LOG = LoggerFactory.getLogger(PeerQueries.class);
  private static final String LIST = "/v1/queries/list";
  private static final String CANCEL = "/v1/queries/cancel";

  /** Longest wait for answers, ms. */
  private static final long WAIT_MILLIS = 1_000;

  private final PeerLink link;

  private PeerQueries(PeerLink link) {
    this.link = link;
  }

  /** Mounts what others ask of this process. */
  public static PeerQueries mount(
      Router router, Guard guard, PeerLink link, RunningQueries running) {
    link.answer(router, guard, LIST, body -> Future.succeededFuture(list(running)));
    link.answer(
        router,
        guard,
        CANCEL,
        body -> Future.succeededFuture(cancel(running, new WireReader(body))));
    return new PeerQueries(link);
  }

  private static byte[] list(RunningQueries running) {
    long now = System.nanoTime();
    return RemoteQuery.toBytes(
        running.all().stream().map(query -> RemoteQuery.of(query, now)).toList());
  }

  private static byte[] cancel(RunningQueries running, WireReader asked) throws WireException {
    long query = asked.uvar("a query's id");
    String askedBy = asked.string("a requester");
    asked.end("the question");
    boolean found = running.cancel(query);
    if (found) {
      LOG.info("query {} was canceled by {} at another query API", query, askedBy);
    }
    return new byte[] {(byte) (found ? 1 : 0)};
  }

  /** The answers of those that are live. */
  private Future<Map<String, Future<byte[]>>> ask(String path, byte[] body) {
    Map<String, Future<byte[]>> asked = new HashMap<>();
    for (Peer peer : link.list().live()) {
      asked.put(peer.name(), link.post(peer.name(), path, body, WAIT_MILLIS));
    }
    return Future.join(List.copyOf(asked.values()))
        .transform(done -> Future.succeededFuture(asked));
  }

  @Override
  public Future<Listing> queries() {
    return ask(LIST, new byte[0])
        .map(
            asked -> {
              List<RemoteQuery> queries = new ArrayList<>();
              List<String> silent = new ArrayList<>();
              asked.forEach(
                  (name, answer) -> {
                    try {
                      if (answer.succeeded()) {
                        queries.addAll(RemoteQuery.fromBytes(answer.result()));
                        return;
                      }
                    } catch (WireException e) {
                      LOG.debug("the queries of {} cannot be read", name, e);
                    }
                    silent.add(name);
                  });
              return new Listing(queries, silent.stream().sorted().toList());
            });
  }

  @Override
  public Future<Cancelled> cancel(long query, String askedBy) {
    byte[] question = new WireWriter(64).uvar(query).string(askedBy).toBytes();
    return ask(CANCEL, question)
        .map(
            asked -> {
              boolean found =
                  asked.values().stream()
                      .anyMatch(
                          answer ->
                              answer.succeeded()
                                  && answer.result().length == 1
                                  && answer.result()[0] == 1);
              return new Cancelled(
                  found,
                  asked.keySet().stream()
                      .filter(name -> !found && asked.get(name).failed())
                      .sorted()
                      .toList());
            });
  }
}
