package io.fleetgauge.query;

import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.rules.running.RunningRules;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.process.ProcessPart;
import io.fleetgauge.runtime.process.StartFailure;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;

/** The evaluation of rules, together with the other query APIs. */
final class EvaluationPart implements ProcessPart {
  private final QueryConfig config;
  private final Guard guard;
  private final ClusterPart cluster;
  private final RulesPart rules;
  private final String name;
  private final int port;
  private Optional<RunningRules> running = Optional.empty();

  /**
   * @param name of this process
   * @param port of its HTTP listener
   */
  EvaluationPart(
      QueryConfig config,
      Guard guard,
      ClusterPart cluster,
      RulesPart rules,
      String name,
      int port) {
    this.config = config;
    this.guard = guard;
    this.cluster = cluster;
    this.rules = rules;
    this.name = name;
    this.port = port;
  }

  @Override
  public void start() throws StartFailure {
    String host = config.http().host();
    boolean isEverywhere = host.equals("0.0.0.0") || host.equals("::");
    String reached = isEverywhere ? config.cluster().host() : host;
    guard.isReachedAs(reached);
    try {
      rules.running().start(name);
    } catch (IOException e) {
      throw new StartFailure("rules.folder cannot be used: " + e.getMessage(), e);
    }
    running = Optional.of(rules.running());
    cluster
        .member()
        .meetQueryApis(
            name,
            URI.create(config.http().scheme() + "://" + bracketed(reached) + ":" + port),
            rules::found);
  }

  private static String bracketed(String host) {
    return host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
  }

  @Override
  public void close() {
    running.ifPresent(RunningRules::close);
  }
}
