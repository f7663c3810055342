package io.fleetgauge.query;

import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.rules.api.RulesApi;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.notify.Alertmanagers;
import io.fleetgauge.query.rules.running.RunningRules;
import io.fleetgauge.query.rules.source.GroupExchange;
import io.fleetgauge.query.rules.source.RuleSource;
import io.fleetgauge.query.rules.template.Template;
import io.fleetgauge.query.rules.template.TemplateFailure;
import io.fleetgauge.runtime.config.LocalHost;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Reads rules, evaluates them and sends their alerts. */
final class QueryRules {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  private final QueryConfig config;
  private final RunningRules running;
  private final GroupExchange exchange;
  private final Router router;
  private final Guard guard;
  private volatile List<URI> others = List.of();

  private QueryRules(
      QueryConfig config,
      Router router,
      Guard guard,
      RunningRules running,
      Vertx vertx,
      RuleSource source,
      OutgoingHttp http) {
    this.config = config;
    this.router = router;
    this.guard = guard;
    this.running = running;
    this.exchange = new GroupExchange(vertx, source, http, () -> others);
  }

  /**
   * Reads the rules and mounts their routes; they are evaluated from {@link #begin} on.
   *
   * @param http reaches processes of the cluster
   * @param port of the HTTP listener, once it listens
   * @param clock ms since the epoch
   * @throws StartFailure if a rule file or another setting is wrong
   */
  static QueryRules open(
      Vertx vertx,
      Lifecycle lifecycle,
      QueryConfig config,
      Querier querier,
      Guard guard,
      Supplier<ClusterView> view,
      OutgoingHttp http,
      Router router,
      ApiRoutes routes,
      Meters meters,
      IntSupplier port,
      LongSupplier clock)
      throws StartFailure {
    RuleSource source = source(config, clock);
    source.declare(meters);
    Alertmanagers alertmanagers =
        Alertmanagers.start(
            vertx, config.notifications(), Labels.of(config.rules().externalLabels()), clock);
    lifecycle.started("alerts", STOP_LIMIT.plus(config.notifications().drain()), alertmanagers);
    alertmanagers.declare(meters);
    RunningRules running =
        RunningRules.mount(
            router,
            vertx,
            new RunningRules.Parts(
                source::groups,
                querier,
                guard,
                view,
                http,
                config.rules(),
                config.lookback().toMillis(),
                config.timeout().toMillis(),
                () -> externalUrl(config, port.getAsInt()),
                alertmanagers,
                clock));
    running.declare(meters);
    source.onChange(running::groupsChanged);
    QueryRules rules = new QueryRules(config, router, guard, running, vertx, source, http);
    rules.exchange.declare(meters);
    lifecycle.started("rules of others", STOP_LIMIT, rules.exchange);
    rules.exchange.start(router, guard);
    RulesApi.mount(routes, source, rules.exchange, running::states, alertmanagers::addresses);
    return rules;
  }

  private static RuleSource source(QueryConfig config, LongSupplier clock) throws StartFailure {
    RuleFileReader reader =
        new RuleFileReader(
            new ParseOptions(Feature.named(config.features()), 0, 0),
            QueryRules::templateProblem,
            config.rules().evaluationInterval().toMillis());
    try {
      return RuleSource.open(config.rules(), reader, clock);
    } catch (InvalidRules e) {
      throw new StartFailure("rules.files: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new StartFailure("rules.folder cannot be used: " + e.getMessage(), e);
    }
  }

  private static Optional<String> templateProblem(String alert, String template) {
    try {
      Template.check(alert, template);
      return Optional.empty();
    } catch (TemplateFailure e) {
      return Optional.of(e.getMessage());
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

  /**
   * Begins to evaluate, together with the other query APIs.
   *
   * @param port of the HTTP listener
   * @throws StartFailure if the folder of states cannot be used
   */
  void begin(Lifecycle lifecycle, ClusterMember seat, int port) throws StartFailure {
    String name = LocalHost.name() + ":" + port;
    String host = config.http().host();
    boolean isEverywhere = host.equals("0.0.0.0") || host.equals("::");
    String reached = isEverywhere ? config.cluster().host() : host;
    guard.isReachedAs(reached);
    try {
      running.start(name);
    } catch (IOException e) {
      throw new StartFailure("rules.folder cannot be used: " + e.getMessage(), e);
    }
    lifecycle.started("rules", STOP_LIMIT, running);
    seat.meetQueryApis(
        name,
        URI.create(config.http().scheme() + "://" + bracketed(reached) + ":" + port),
        this::found);
  }

  private static String bracketed(String host) {
    return host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
  }

  private void found(Map<String, URI> found) {
    others = List.copyOf(found.values());
    running.found(found);
  }
}
