package io.fleetgauge.cluster.process;

import io.fleetgauge.cluster.config.HttpSettings;
import io.fleetgauge.cluster.config.TenantLimits;
import io.fleetgauge.cluster.config.TrustSettings;
import io.fleetgauge.cluster.config.key.ConfigException;
import io.fleetgauge.cluster.tenant.Access;
import io.fleetgauge.cluster.tenant.Grant;
import io.fleetgauge.cluster.tenant.Refusal;
import io.fleetgauge.cluster.tenant.Right;
import io.fleetgauge.cluster.tenant.Shown;
import io.fleetgauge.cluster.tenant.TenantFile;
import io.fleetgauge.cluster.trust.ClusterKey;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.SecurityPolicyHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Authenticates requests: passes one on, or answers it with 401 or 403. Safe for all threads. */
public final class Guard {
  private static final String ORG_ID = "X-Scope-OrgID";
  private static final String GRANT = "fleetgauge.grant";
  private static final long LOOK_MILLIS = 2_000;
  private static final int MAX_CHECKED_AT_ONCE = 16;

  private final Vertx vertx;
  private final Access access;
  private final SecretFile secret;
  private final ClusterKey key;
  private final boolean peersHaveCertificates;
  private final LongSupplier clock;
  private final WorkerExecutor workers;
  private final Optional<TenantFile> file;
  private final AtomicInteger beingChecked = new AtomicInteger();
  private final LongAdder refused = new LongAdder();
  private final List<Runnable> onTenantsChange = new CopyOnWriteArrayList<>();

  private Guard(
      Vertx vertx,
      Access access,
      Optional<TenantFile> file,
      SecretFile secret,
      boolean peersHaveCertificates,
      LongSupplier clock) {
    this.vertx = vertx;
    this.access = access;
    this.file = file;
    this.secret = secret;
    this.key = ClusterKey.of(secret::texts);
    this.peersHaveCertificates = peersHaveCertificates;
    this.clock = clock;
    // One at a time: hashes are slow so that guessing is slow.
    this.workers = vertx.createSharedWorkerExecutor("tokens", 1);
  }

  /**
   * Reads the tenants file, now and whenever it has changed.
   *
   * @param tenants the file; without it every request is allowed
   * @param base limits of tenants that set none
   * @param scopeProblem what is wrong with a selector; empty when nothing is
   * @param clock ms since the epoch
   * @throws StartFailure if the file is wrong, or if the process would be open to the network
   *     without permission
   */
  public static Guard open(
      Vertx vertx,
      HttpSettings http,
      Optional<Path> tenants,
      TrustSettings trust,
      TenantLimits base,
      Function<String, String> scopeProblem,
      LongSupplier clock)
      throws StartFailure {
    Access access = new Access(base);
    Optional<TenantFile> file = Optional.empty();
    if (tenants.isPresent()) {
      try {
        file = Optional.of(TenantFile.open(tenants.get(), base, scopeProblem, access));
      } catch (ConfigException e) {
        throw new StartFailure(e.getMessage(), e);
      } catch (IOException e) {
        throw new StartFailure(
            "the tenants file " + tenants.get() + " cannot be read: " + e + "; see tenants.file",
            e);
      }
    } else if (!http.insecure() && !isLoopback(http.host())) {
      throw new StartFailure(
          "http.host "
              + http.host()
              + " can be reached from other machines, and without tokens they could read and write"
              + " everything; set tenants.file, set http.host to 127.0.0.1, or allow it with"
              + " --insecure",
          null);
    }
    SecretFile secret = SecretFile.ofCluster(trust);
    Guard guard =
        new Guard(
            vertx,
            access,
            file,
            secret,
            http.tls().flatMap(tls -> tls.clientCa()).isPresent(),
            clock);
    vertx.setPeriodic(LOOK_MILLIS, id -> guard.look());
    return guard;
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false; // binding it fails with a clear message
    }
  }

  /** Checks on a worker thread whether the tenants file or the secret has changed; never blocks. */
  public void look() {
    vertx.executeBlocking(
        () -> {
          if (file.isPresent() && file.get().look()) {
            onTenantsChange.forEach(Runnable::run);
          }
          secret.look();
          return null;
        });
  }

  /** Calls a listener, on a worker thread, when a changed tenants file has been read. */
  public void onTenantsChange(Runnable listener) {
    onTenantsChange.add(listener);
  }

  /** Decides which tenant a request belongs to and what it may do. */
  public Access access() {
    return access;
  }

  /** The secret of the cluster. */
  public SecretFile secret() {
    return secret;
  }

  /** Signs and verifies as a process of the cluster. */
  public ClusterKey key() {
    return key;
  }

  /** How many requests were answered with 401, 403 or 503. */
  public long refused() {
    return refused.sum();
  }

  /** How often the tenants file could not be used. */
  public long fileFailures() {
    return file.map(TenantFile::failures).orElse(0L);
  }

  /** Passes on requests with a right; {@link #grant} returns what they may do. */
  public SecurityPolicyHandler needs(Right right) {
    return http -> admit(http, right);
  }

  /** Passes on requests of the cluster's own processes. */
  public SecurityPolicyHandler needsPeer() {
    return http -> {
      if (isPeer(http)) {
        http.next();
      } else {
        refuse(http, 401, "unauthorized");
      }
    };
  }

  /** Passes on requests of the cluster's own processes, and requests with a right. */
  public SecurityPolicyHandler needsPeerOr(Right right) {
    return http -> {
      if (isPeer(http)) {
        http.next();
      } else {
        admit(http, right);
      }
    };
  }

  /** What the sender of a request may do; empty for the cluster's own processes. */
  public static Optional<Grant> grant(RoutingContext http) {
    return Optional.ofNullable(http.get(GRANT));
  }

  private boolean isPeer(RoutingContext http) {
    if (access.isOpen() && !secret.isSet() && !peersHaveCertificates) {
      return true;
    }
    if (secret.isSet() && secret.isShown(http.request().getHeader(OutgoingHttp.SECRET))) {
      return true;
    }
    if (!peersHaveCertificates || http.request().sslSession() == null) {
      return false;
    }
    try {
      return http.request().sslSession().getPeerCertificates().length > 0;
    } catch (SSLPeerUnverifiedException e) {
      return false;
    }
  }

  private void admit(RoutingContext http, Right right) {
    Shown shown = shown(http);
    try {
      Instant now = Instant.ofEpochMilli(clock.getAsLong());
      Optional<Grant> grant = access.quickly(shown, now);
      if (grant.isPresent()) {
        admit(http, grant.get(), right);
      } else {
        admitSlowly(http, shown, now, right);
      }
    } catch (Refusal e) {
      refuse(http, e.status(), e.getMessage());
    }
  }

  private void admitSlowly(RoutingContext http, Shown shown, Instant now, Right right) {
    if (beingChecked.incrementAndGet() > MAX_CHECKED_AT_ONCE) {
      beingChecked.decrementAndGet();
      http.response().putHeader("Retry-After", "1");
      refuse(
          http,
          503,
          "more than " + MAX_CHECKED_AT_ONCE + " tokens are being checked; try again later");
      return;
    }
    http.request().pause();
    workers
        .executeBlocking(() -> access.slowly(shown, now), false)
        .onComplete(
            done -> {
              beingChecked.decrementAndGet();
              if (done.succeeded()) {
                admit(http, done.result(), right);
              } else if (done.cause() instanceof Refusal refusal) {
                refuse(http, refusal.status(), refusal.getMessage());
              } else {
                http.fail(done.cause());
              }
              // The handler that reads the body is set only now.
              http.request().resume();
            });
  }

  private void admit(RoutingContext http, Grant grant, Right right) {
    if (!grant.may(right)) {
      refuse(
          http,
          403,
          "the token lacks the "
              + right.name().toLowerCase(Locale.ROOT)
              + " right; rights are set in the tenants file");
      return;
    }
    http.put(GRANT, grant);
    http.next();
  }

  private static Shown shown(RoutingContext http) {
    var headers = http.request().headers();
    SocketAddress from = http.request().remoteAddress();
    byte[] address = new byte[0];
    if (from != null && from.hostAddress() != null) {
      try {
        // A literal address, so there is no DNS lookup.
        address = InetAddress.getByName(from.hostAddress()).getAddress();
      } catch (UnknownHostException e) {
        address = new byte[0];
      }
    }
    return new Shown(
        List.copyOf(headers.getAll("Authorization")), List.copyOf(headers.getAll(ORG_ID)), address);
  }

  private void refuse(RoutingContext http, int status, String why) {
    refused.increment();
    if (status == 401) {
      http.response().putHeader("WWW-Authenticate", "Bearer realm=\"fleetgauge\"");
    }
    http.response()
        .setStatusCode(status)
        .putHeader("Content-Type", "application/json")
        .end(
            "{\"status\":\"error\",\"errorType\":\""
                + (status == 503 ? "unavailable" : status == 401 ? "unauthorized" : "forbidden")
                + "\",\"error\":\""
                + why
                + "\"}");
  }
}
