package io.fleetgauge.query.clusters;

import io.fleetgauge.query.config.OtherClusterSettings;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.http.ExternalAccess;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.tenant.Access;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * By what a cluster knows who asks: the query API itself for callers that see everything here, and
 * a tenant there for each tenant here. A tenant that is not known there sees nothing of it.
 */
final class ClusterAccess implements AutoCloseable {
  private static final HttpClients.Limits LIMITS = new HttpClients.Limits(2_000, 300, 64, 1_000);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

  private final Access access;
  private final Map<String, OtherClusterSettings.Tenant> tenants;
  private final Map<String, WebRequests> byToken = new HashMap<>();
  private final List<ExternalAccess> secrets = new ArrayList<>();
  private final List<WebRequests> all = new ArrayList<>();
  private final Vertx vertx;
  private final String section;
  private final FilePoller poller;
  private final WebRequests own;

  /** With names of tenants and no token. */
  private final WebRequests byName;

  /**
   * One way to ask.
   *
   * @param tenants names of tenants there; empty when a token says who asks
   */
  record Way(WebRequests requests, Optional<String> tenants) {}

  /**
   * @param access the tenants here
   * @throws StartFailure if a file with a secret cannot be used
   */
  ClusterAccess(Vertx vertx, OtherClusterSettings settings, Access access) throws StartFailure {
    this.vertx = vertx;
    this.access = access;
    this.section = settings.section();
    this.tenants = settings.tenants();
    this.own = requests(settings.access());
    this.byName = requests(with(settings.access(), Optional.empty()));
    for (Map.Entry<String, OtherClusterSettings.Tenant> each : tenants.entrySet()) {
      Optional<Path> token = each.getValue().token();
      if (token.isPresent()) {
        byToken.put(each.getKey(), requests(with(settings.access(), token)));
      }
    }
    poller =
        FilePoller.start(
            vertx, "tokens of " + section, LOOK_EVERY, () -> secrets.forEach(ExternalAccess::look));
  }

  private static AccessSettings with(AccessSettings settings, Optional<Path> token) {
    return new AccessSettings(
        token,
        Optional.empty(),
        settings.ca(),
        settings.certificate(),
        settings.key(),
        settings.isUnverified());
  }

  private WebRequests requests(AccessSettings settings) throws StartFailure {
    ExternalAccess secret = ExternalAccess.open(section, settings);
    secrets.add(secret);
    WebRequests requests = secret.requests(vertx, LIMITS);
    all.add(requests);
    return requests;
  }

  /** As the query API itself. */
  Way own() {
    return new Way(own, Optional.empty());
  }

  /**
   * For a tenant.
   *
   * @param tenant its name here; names of several are joined by {@code |}
   * @return empty if it sees nothing there
   */
  Optional<Way> of(String tenant) {
    List<String> names = List.of(tenant.split("\\|"));
    boolean seesAll =
        names.stream().anyMatch(name -> access.scope(name).map(String::isEmpty).orElse(false));
    // Requests that are no tenant's have a name that is in no file.
    boolean isOwn = names.size() == 1 && access.scope(tenant).isEmpty();
    if (access.isOpen() || seesAll || isOwn) {
      return Optional.of(own());
    }
    if (names.size() == 1 && byToken.containsKey(tenant)) {
      return Optional.of(new Way(byToken.get(tenant), Optional.empty()));
    }
    StringJoiner there = new StringJoiner("|");
    for (String name : names) {
      Optional<String> known =
          Optional.ofNullable(tenants.get(name)).flatMap(OtherClusterSettings.Tenant::name);
      if (known.isEmpty()) {
        return Optional.empty();
      }
      there.add(known.get());
    }
    return Optional.of(new Way(byName, Optional.of(there.toString())));
  }

  @Override
  public void close() {
    poller.close();
    all.forEach(WebRequests::close);
  }
}
