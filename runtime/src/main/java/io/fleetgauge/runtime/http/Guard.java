package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.LocalHost;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.tenant.Access;
import io.fleetgauge.runtime.tenant.Grant;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.runtime.tenant.Refusal;
import io.fleetgauge.runtime.tenant.SenderClaims;
import io.fleetgauge.runtime.tenant.TenantFile;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.OriginLog;
import io.fleetgauge.runtime.trust.PeerComplaints;
import io.fleetgauge.runtime.trust.RequestHead;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.runtime.trust.RequestVerifier;
import io.fleetgauge.runtime.trust.RequestVerifier.Verdict;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import io.vertx.ext.web.handler.SecurityPolicyHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Authenticates requests: passes one on, or answers it with 401 or 403. Safe for all threads. */
public final class Guard {
  private static final Logger LOG = LoggerFactory.getLogger(Guard.class);
  private static final String PROOF = "fleetgauge.proof";
  private static final int HASHED_AT_ONCE = 1 << 20;
  private static final String NOWHERE = "0.0.0.0";
  private static final long ANY_TIME = Long.MIN_VALUE;
  private static final String ORG_ID = "X-Scope-OrgID";
  private static final String GRANT = "fleetgauge.grant";
  private static final Duration LOOK_EVERY = Duration.ofSeconds(2);
  private static final int MAX_CHECKED_AT_ONCE = 16;

  private final Vertx vertx;
  private final Access access;
  private final SecretFile secret;
  private final ClusterKey key;
  private final RequestVerifier verifier;
  private final OriginLog due = new OriginLog();
  private final boolean peersHaveCertificates;
  private final LongSupplier clock;
  private final WorkerExecutor workers;
  private final Optional<TenantFile> file;
  private final long opened;
  private final AtomicInteger beingChecked = new AtomicInteger();
  private final LongAdder refused = new LongAdder();
  private final List<Runnable> onTenantsChange = new CopyOnWriteArrayList<>();

  /** Proofs of a request, and to whom they were shown. */
  private record Proof(Guard guard, Verdict.Proven of) {}

  private Guard(
      Vertx vertx,
      Access access,
      Optional<TenantFile> file,
      SecretFile secret,
      Duration clockSkew,
      boolean peersHaveCertificates,
      LongSupplier clock) {
    this.vertx = vertx;
    this.access = access;
    this.file = file;
    this.secret = secret;
    this.key = ClusterKey.of(secret::texts);
    this.verifier = new RequestVerifier(key, clockSkew, clock);
    this.peersHaveCertificates = peersHaveCertificates;
    this.clock = clock;
    this.opened = clock.getAsLong();
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
            trust.clockSkew(),
            http.tls().flatMap(tls -> tls.clientCa()).isPresent(),
            clock);
    guard.verifier.isReachedAs(http.host());
    guard.verifier.isReachedAs(LocalHost.name());
    FilePoller.start(vertx, "tenants and secret", LOOK_EVERY, guard::lookAtFiles);
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
          lookAtFiles();
          return null;
        });
  }

  private void lookAtFiles() {
    if (file.isPresent() && file.get().look()) {
      onTenantsChange.forEach(Runnable::run);
    }
    secret.look();
  }

  /** Calls a listener, on a worker thread, when a changed tenants file has been read. */
  public void onTenantsChange(Runnable listener) {
    onTenantsChange.add(listener);
  }

  /** Decides which tenant a request belongs to and what it may do. */
  public Access access() {
    return access;
  }

  /** Signs and verifies as a process of the cluster. */
  public ClusterKey key() {
    return key;
  }

  /** Signs requests to other processes. */
  public RequestSigner signer() {
    return new RequestSigner(key, clock);
  }

  /** Adds a host name or address under which other processes reach this one. */
  public void isReachedAs(String host) {
    verifier.isReachedAs(host);
  }

  /** The number of requests that were answered with 401, 403 or 503. */
  long refused() {
    return refused.sum();
  }

  /** The number of times that the tenants file could not be used. */
  long fileFailures() {
    return file.map(TenantFile::failures).orElse(0L);
  }

  /** Declares what is counted. */
  public void declare(Meters meters) {
    meters.counter(
        "requests_refused",
        "Requests that were not authenticated or lacked a permission.",
        this::refused);
    meters.counter(
        "tenants_failures", "Times the tenants file could not be read.", this::fileFailures);
    meters.counters(
        "signatures_rejected",
        "Requests between processes whose authentication failed, by reason.",
        "reason",
        verifier::rejected);
    meters.gauge(
        "signers",
        "Processes whose nonces are remembered, so that no request is accepted twice.",
        verifier::senders);
  }

  /** Passes on requests with a permission; {@link #grant} returns what they may do. */
  public SecurityPolicyHandler needs(Permission permission) {
    return http -> admit(http, permission);
  }

  /** Passes on requests of the cluster's own processes. */
  public SecurityPolicyHandler needsPeer() {
    return http -> admitPeer(http, ANY_TIME, () -> refuseUnproven(http));
  }

  /** Passes on requests of the cluster's own processes, and requests with a permission. */
  public SecurityPolicyHandler needsPeerOr(Permission permission) {
    return http -> admitPeer(http, ANY_TIME, () -> admit(http, permission));
  }

  /**
   * Passes on requests of the cluster's own processes that were signed since this one started, and
   * requests with a token that has a permission; without tenants, no token has.
   */
  public SecurityPolicyHandler needsNewProofOr(Permission permission) {
    return http ->
        admitPeer(
            http,
            opened,
            () -> {
              if (access.isOpen()) {
                refuseUnproven(http);
              } else {
                admit(http, permission);
              }
            });
  }

  /** The permissions of the sender of a request; empty for the cluster's own processes. */
  public static Optional<Grant> grant(RoutingContext http) {
    return Optional.ofNullable(http.get(GRANT));
  }

  /**
   * Reads the body of the requests of a route, which its guard passes on. Of a signed request, only
   * the body that was signed is passed on.
   *
   * @param limit longer bodies get 413
   */
  public static Route readBody(Route route, int limit) {
    return route
        // As long as it says, up to 64 KiB: a body is not copied again and again as it grows.
        .handler(BodyHandler.create(false).setBodyLimit(limit).setPreallocateBodyBuffer(true))
        .handler(
            http -> {
              Proof proof = http.get(PROOF);
              if (proof == null) {
                http.next();
              } else {
                proof.guard().checkBody(http, proof.of());
              }
            });
  }

  /** Hashing a long body takes milliseconds, which an event loop does not have. */
  private void checkBody(RoutingContext http, Verdict.Proven proven) {
    Buffer body = http.body().buffer();
    Future<byte[]> digest =
        body == null || body.length() <= HASHED_AT_ONCE
            ? Future.succeededFuture(BodyDigest.of(body))
            : vertx.executeBlocking(() -> BodyDigest.of(body), false);
    digest
        .onSuccess(
            of ->
                verifier
                    .checkBody(proven, of)
                    .ifPresentOrElse(why -> refuse(http, why), () -> http.next()))
        .onFailure(http::fail);
  }

  /**
   * @param since a signature must not be older
   * @param otherwise what to do with a request that proves nothing and is not signed
   */
  private void admitPeer(RoutingContext http, long since, Runnable otherwise) {
    String signature = http.request().getHeader(RequestSigner.HEADER);
    if (signature != null && secret.isSet()) {
      switch (verify(http, Optional.of(signature), since)) {
        case Verdict.Proven proven -> {
          http.put(PROOF, new Proof(this, proven));
          http.next();
        }
        case Verdict.Rejected rejected -> refuse(http, rejected);
      }
    } else if (isOpenToPeers() || hasCertificate(http)) {
      http.next();
    } else {
      otherwise.run();
    }
  }

  private Verdict verify(RoutingContext http, Optional<String> signature, long since) {
    HttpServerRequest request = http.request();
    SocketAddress local = request.localAddress();
    boolean isGone = local == null || local.hostAddress() == null;
    return verifier.verify(
        signature,
        new RequestHead(request.method().name(), request.uri(), request.headers().entries()),
        isGone ? NOWHERE : local.hostAddress(),
        isGone ? 0 : local.port(),
        since);
  }

  private void refuseUnproven(RoutingContext http) {
    if (secret.isSet()
        && verify(http, Optional.empty(), ANY_TIME) instanceof Verdict.Rejected rejected) {
      refuse(http, rejected);
    } else {
      refuse(http, 401, "unauthorized");
    }
  }

  private void refuse(RoutingContext http, Verdict.Rejected rejected) {
    SocketAddress remote = http.request().remoteAddress();
    String from = remote == null ? "a closed connection" : remote.hostAddress();
    if (due.isDue(from + " " + rejected.reason(), clock.getAsLong())) {
      LOG.warn("rejected a request of {}: {}", from, rejected.text());
    }
    http.response()
        .putHeader(
            "WWW-Authenticate",
            PeerComplaints.challenge(rejected.reason().label(), rejected.text()));
    refuse(http, 401, rejected.text());
  }

  private boolean isOpenToPeers() {
    return access.isOpen() && !secret.isSet() && !peersHaveCertificates;
  }

  private boolean hasCertificate(RoutingContext http) {
    return peersHaveCertificates && ClientCertificate.isShown(http.request());
  }

  private void admit(RoutingContext http, Permission permission) {
    SenderClaims shown = shown(http);
    try {
      Instant now = Instant.ofEpochMilli(clock.getAsLong());
      Optional<Grant> grant = access.quickly(shown, now);
      if (grant.isPresent()) {
        admit(http, grant.get(), permission);
      } else {
        admitSlowly(http, shown, now, permission);
      }
    } catch (Refusal e) {
      refuse(http, e.status(), e.getMessage());
    }
  }

  private void admitSlowly(
      RoutingContext http, SenderClaims shown, Instant now, Permission permission) {
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
                admit(http, done.result(), permission);
              } else if (done.cause() instanceof Refusal refusal) {
                refuse(http, refusal.status(), refusal.getMessage());
              } else {
                http.fail(done.cause());
              }
              // The handler that reads the body is set only now.
              http.request().resume();
            });
  }

  private void admit(RoutingContext http, Grant grant, Permission permission) {
    if (!grant.may(permission)) {
      refuse(http, 403, grant.lacks(permission));
      return;
    }
    http.put(GRANT, grant);
    http.next();
  }

  private static SenderClaims shown(RoutingContext http) {
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
    return new SenderClaims(
        List.copyOf(headers.getAll("Authorization")), List.copyOf(headers.getAll(ORG_ID)), address);
  }

  private void refuse(RoutingContext http, int status, String why) {
    refused.increment();
    if (status == 401 && !http.response().headers().contains("WWW-Authenticate")) {
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
