package io.fleetgauge.query;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.rules.api.RulesApi;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import io.fleetgauge.query.rules.notify.Alertmanagers;
import io.fleetgauge.query.rules.running.RulesEnvironment;
import io.fleetgauge.query.rules.running.RunningRules;
import io.fleetgauge.query.rules.source.GroupExchange;
import io.fleetgauge.query.rules.source.RuleSource;
import io.fleetgauge.runtime.config.LocalHost;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.ProcessPart;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** Rules: where they come from, their routes, and the Alertmanagers. */
final class RulesPart implements ProcessPart {
  private final Lifecycle lifecycle = new Lifecycle("rules");
  private final Vertx vertx;
  private final QueryConfig config;
  private final Guard guard;
  private final QuerierPart queries;
  private final ClusterPart cluster;
  private final Router router;
  private final ApiRoutes routes;
  private final PeerLink link;
  private final LongSupplier clock;
  private final IntSupplier port;
  private RuleSource source;
  private Alertmanagers alertmanagers;
  private GroupExchange exchange;
  private RunningRules running;

  /**
   * Routes and links that it is mounted on.
   *
   * @param link reaches the other query APIs
   * @param port of the HTTP listener, once there is one
   */
  record Mounting(Router router, ApiRoutes routes, PeerLink link, IntSupplier port) {}

  /**
   * @param clock ms since the epoch
   */
  RulesPart(
      Vertx vertx,
      QueryConfig config,
      Guard guard,
      QuerierPart queries,
      ClusterPart cluster,
      Mounting on,
      LongSupplier clock) {
    this.vertx = vertx;
    this.config = config;
    this.guard = guard;
    this.queries = queries;
    this.cluster = cluster;
    this.router = on.router();
    this.routes = on.routes();
    this.link = on.link();
    this.port = on.port();
    this.clock = clock;
  }

  /** The limit of {@link #close}, which waits until alerts have been delivered. */
  static Duration stopLimit(QueryConfig config) {
    return QueryProcess.STOP_LIMIT.multipliedBy(2).plus(config.notifications().drain());
  }

  @Override
  public void start() throws StartFailure {
    source = source(config, clock);
    alertmanagers =
        Alertmanagers.start(
            vertx, config.notifications(), Labels.of(config.rules().externalLabels()), clock);
    lifecycle.started(
        "alerts", QueryProcess.STOP_LIMIT.plus(config.notifications().drain()), alertmanagers);
    running =
        RunningRules.mount(
            router,
            vertx,
            new RulesEnvironment(
                source::groups,
                queries.querier(),
                config.clusters().joins() ? queries.ofOwnCluster() : queries.querier(),
                guard,
                config.clusters().joins() ? Optional.of(cluster::view) : Optional.empty(),
                link,
                queries.toGateways(),
                config.rules(),
                config.lookback().toMillis(),
                config.timeout().toMillis(),
                () -> externalUrl(config, port.getAsInt()),
                alertmanagers,
                clock));
    exchange = new GroupExchange(vertx, source, link);
    lifecycle.started("rules of others", QueryProcess.STOP_LIMIT, exchange);
    exchange.start(router, guard);
    RulesApi.mount(routes, source, exchange, running::states, alertmanagers::addresses);
  }

  private static RuleSource source(QueryConfig config, LongSupplier clock) throws StartFailure {
    RuleFileReader reader =
        new RuleFileReader(
            new ParseOptions(Feature.named(config.features()), 0, 0),
            TemplateCheck.TEMPLATES,
            config.rules().evaluationInterval().toMillis());
    try {
      return RuleSource.open(config.rules(), reader, clock);
    } catch (InvalidRules e) {
      throw new StartFailure("rules.files: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new StartFailure("rules.folder cannot be used: " + e.getMessage(), e);
    }
  }

  private static String externalUrl(QueryConfig config, int port) {
    String url =
        config
            .rules()
            .externalUrl()
            .map(URI::toString)
            .orElse(config.http().scheme() + "://" + LocalHost.name() + ":" + port);
    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }

  @Override
  public void declare(Meters meters) {
    source.declare(meters);
    alertmanagers.declare(meters);
    running.declare(meters);
    exchange.declare(meters);
  }

  /**
   * Evaluates rules together with the other query APIs; the link to them has started.
   *
   * @param name of this process
   * @return the rules that run
   * @throws IOException if the folder of states cannot be used
   */
  RunningRules join(String name) throws IOException {
    exchange.join();
    running.start(name);
    return running;
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
