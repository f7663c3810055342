package io.fleetgauge.runtime.discovery;

import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.config.DiscoverySettings.Source;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** Asks Consul for the instances of a service that pass their checks. */
final class ConsulLookup implements Lookup {
  private final Vertx vertx;
  private final DiscoverySettings settings;
  private final Source.Consul source;
  private final ApiRequests api;
  private final String path;

  ConsulLookup(Vertx vertx, DiscoverySettings settings, Source.Consul source) {
    this.vertx = vertx;
    this.settings = settings;
    this.source = source;
    this.api =
        ApiRequests.toConsul(
            vertx, source.api(), settings.timeout().toMillis(), settings.maxBytes());
    // Any server of Consul may answer, not only the leader: one that lags does so by moments.
    StringBuilder query =
        new StringBuilder(
            "/v1/health/service/" + ApiRequests.escaped(source.service()) + "?passing=1&stale=");
    source
        .api()
        .datacenter()
        .ifPresent(name -> query.append("&dc=").append(ApiRequests.escaped(name)));
    source.tags().forEach(tag -> query.append("&tag=").append(ApiRequests.escaped(tag)));
    this.path = query.toString();
  }

  @Override
  public Future<Addresses> ask() {
    return api.get(path)
        .compose(
            answer ->
                vertx.executeBlocking(
                    () ->
                        ConsulAnswer.addresses(
                            ApiRequests.good(answer), source.port(), settings.maxAddresses()),
                    false));
  }

  @Override
  public String whom() {
    return "Consul at " + source.api().address();
  }

  @Override
  public void close() {
    api.close();
  }
}
