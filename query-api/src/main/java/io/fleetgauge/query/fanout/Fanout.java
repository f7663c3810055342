package io.fleetgauge.query.fanout;

import io.fleetgauge.cluster.member.ClusterView;
import io.fleetgauge.promql.exec.QueryFailure;
import io.fleetgauge.promql.exec.Selection;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends fragments to the owners of hosts and gathers what they answer. Safe for all threads. */
public final class Fanout implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Fanout.class);
  private static final int CONNECTIONS_PER_GATEWAY = 16;
  private static final int MAX_WAITING_PER_GATEWAY = 1_000;

  /** Time for a new table to get round before hosts are asked for again. */
  private static final long RETRY_MILLIS = 100;

  private final Vertx vertx;
  private final Supplier<ClusterView> view;
  private final WorkerExecutor workers;
  // Kept in a field: a client that is garbage collected closes its connections.
  private final HttpClient client;

  /**
   * @param workers where answers are decoded
   */
  public Fanout(Vertx vertx, Supplier<ClusterView> view, WorkerExecutor workers) {
    this.vertx = vertx;
    this.view = view;
    this.workers = workers;
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions().setConnectTimeout(2_000).setKeepAliveTimeout(300),
            new PoolOptions()
                .setHttp1MaxSize(CONNECTIONS_PER_GATEWAY)
                .setMaxWaitQueueSize(MAX_WAITING_PER_GATEWAY));
  }

  /**
   * The samples of selections, one list for each, ordered by label set.
   *
   * @param budget most samples of one gateway's answer
   * @param timeoutMillis for the whole
   */
  public Future<Gathered<List<List<Series>>>> samples(
      List<Selection> selections, long budget, long timeoutMillis) {
    if (selections.isEmpty()) {
      return Future.succeededFuture(new Gathered<>(List.of(), 0, List.of()));
    }
    return gather(
        new Fragment.Samples(0, List.of(), budget, selections),
        timeoutMillis,
        answers -> Merge.samples(answers, selections.size()));
  }

  public Future<Gathered<List<String>>> labelNames(Fragment.Search search, long timeoutMillis) {
    return gather(new Fragment.LabelNames(0, List.of(), search), timeoutMillis, Merge::strings);
  }

  public Future<Gathered<List<String>>> labelValues(
      String label, Fragment.Search search, long timeoutMillis) {
    return gather(
        new Fragment.LabelValues(0, List.of(), label, search), timeoutMillis, Merge::strings);
  }

  public Future<Gathered<List<Labels>>> labelSets(Fragment.Search search, long timeoutMillis) {
    return gather(new Fragment.LabelSets(0, List.of(), search), timeoutMillis, Merge::labelSets);
  }

  private <T> Future<Gathered<T>> gather(
      Fragment question, long timeoutMillis, Function<List<FragmentAnswer>, T> merge) {
    ClusterView first = view.get();
    if (first.gateways().isEmpty()) {
      return Future.failedFuture(
          new QueryFailure(QueryFailure.Kind.UNAVAILABLE, "no gateway is in the cluster"));
    }
    Collection<String> hosts = first.table().owners().keySet();
    long deadline = System.nanoTime() + timeoutMillis * 1_000_000;
    return ask(question, first, hosts, deadline)
        .compose(
            answers -> {
              TreeSet<String> missing = missing(hosts, answers);
              if (missing.isEmpty()) {
                return Future.succeededFuture(answers);
              }
              return pause()
                  .compose(none -> ask(question, view.get(), missing, deadline))
                  .map(
                      more -> {
                        List<FragmentAnswer> all = new ArrayList<>(answers);
                        all.addAll(more);
                        return all;
                      });
            })
        .compose(
            answers ->
                workers.executeBlocking(
                    () ->
                        new Gathered<>(
                            merge.apply(answers),
                            hosts.size(),
                            List.copyOf(missing(hosts, answers))),
                    false));
  }

  private static TreeSet<String> missing(Collection<String> hosts, List<FragmentAnswer> answers) {
    TreeSet<String> missing = new TreeSet<>(hosts);
    answers.forEach(answer -> missing.removeAll(answer.covered()));
    return missing;
  }

  private Future<Void> pause() {
    Promise<Void> over = Promise.promise();
    vertx.setTimer(RETRY_MILLIS, id -> over.complete());
    return over.future();
  }

  /**
   * Asks each owner for its hosts. An owner that fails is left out, unless all would fail alike.
   */
  private Future<List<FragmentAnswer>> ask(
      Fragment question, ClusterView now, Collection<String> hosts, long deadline) {
    Map<URI, List<String>> hostsByGateway = new TreeMap<>();
    for (String host : hosts) {
      now.ownerAddress(host)
          .ifPresent(
              gateway ->
                  hostsByGateway.computeIfAbsent(gateway, none -> new ArrayList<>()).add(host));
    }
    List<Future<Optional<FragmentAnswer>>> asked = new ArrayList<>();
    hostsByGateway.forEach(
        (gateway, owned) ->
            asked.add(
                post(gateway, question.at(now.table().epoch(), owned), deadline)
                    .map(Optional::of)
                    .recover(
                        failure -> {
                          if (failure instanceof QueryFailure) {
                            return Future.failedFuture(failure);
                          }
                          LOG.warn("gateway {} did not answer: {}", gateway, failure.toString());
                          return Future.succeededFuture(Optional.empty());
                        })));
    return Future.all(asked)
        .map(
            all -> {
              List<FragmentAnswer> answers = new ArrayList<>();
              for (Future<Optional<FragmentAnswer>> one : asked) {
                one.result().ifPresent(answers::add);
              }
              return answers;
            });
  }

  private Future<FragmentAnswer> post(URI gateway, Fragment fragment, long deadline) {
    long left = (deadline - System.nanoTime()) / 1_000_000;
    if (left <= 0) {
      return Future.failedFuture(
          new QueryFailure(
              QueryFailure.Kind.TIMEOUT, "query timed out while waiting for the gateways"));
    }
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setHost(gateway.getHost())
            .setPort(gateway.getPort())
            .setURI("/v1/fragments")
            .setTimeout(left);
    return client
        .request(options)
        .compose(request -> request.send(Buffer.buffer(FragmentCodec.encode(fragment))))
        .compose(
            response ->
                response
                    .body()
                    .compose(
                        body ->
                            switch (response.statusCode()) {
                              case 200 ->
                                  workers.executeBlocking(
                                      () -> FragmentCodec.decodeAnswer(body.getBytes()), false);
                              case 422 ->
                                  Future.failedFuture(
                                      new QueryFailure(
                                          QueryFailure.Kind.EXECUTION, body.toString()));
                              default ->
                                  Future.failedFuture(
                                      "status " + response.statusCode() + ": " + body);
                            }));
  }

  @Override
  public void close() {
    try {
      client.close().await(2, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn("the connections to the gateways did not close in time");
    }
  }
}
