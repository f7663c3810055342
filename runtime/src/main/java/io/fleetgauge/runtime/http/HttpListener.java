package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TlsSettings;
import io.fleetgauge.runtime.files.ChangedFiles;
import io.fleetgauge.runtime.process.EventLoops;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder.TooManyFormFieldsException;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP server of a process, with the routes that every process has. */
public final class HttpListener implements AutoCloseable {
  /** Header of {@code /-/healthy}: the clock of the process, ms since the epoch. */
  public static final String CLOCK = "X-Fleetgauge-Clock";

  /** Longest time until a port is bound, which is after keys are read; long on a busy machine. */
  private static final int BIND_SECONDS = 60;

  /** Longest request line: a query of 64 KiB fits into a GET. */
  private static final int MAX_REQUEST_LINE = 128 << 10;

  private static final int MAX_HEADERS = 64 << 10;

  /**
   * Longest field of a form, bytes; the route that reads a field checks the limits of its content.
   */
  private static final int MAX_FORM_FIELD = 4 << 20;

  /** Most fields of a form: 1,000 selectors and some other parameters. */
  private static final int MAX_FORM_FIELDS = 1_100;

  /** Shorter bodies are not compressed, bytes. */
  private static final int COMPRESS_FROM = 1_024;

  /** Parameter of {@code /-/ready}, and its only value. */
  private static final String REPLICAS = "replicas";

  private static final String WHOLE = "whole";

  private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
  private static final Duration GRACE = Duration.ofSeconds(3);

  private final HttpServer server;
  private final ServerConnections connections;

  private HttpListener(HttpServer server, ServerConnections connections) {
    this.server = server;
    this.connections = connections;
  }

  /** Why a process is not ready; empty text when it is. */
  public static final class Readiness {
    private final AtomicReference<String> reason = new AtomicReference<>("starting");
    private volatile Supplier<String> watched = () -> "";
    private volatile Supplier<String> replicas = () -> "";

    public void ready() {
      reason.set("");
    }

    /**
     * Sets a further condition, which each request to {@code /-/ready} evaluates.
     *
     * @param trouble why the process is not ready; empty when it is
     */
    public void watch(Supplier<String> trouble) {
      watched = trouble;
    }

    /**
     * Sets what {@code /-/ready?replicas=whole} asks for besides.
     *
     * @param incomplete which replicas are not whole; empty when all are
     */
    public void watchReplicas(Supplier<String> incomplete) {
      replicas = incomplete;
    }

    private String reason(boolean withReplicas) {
      String own = reason.get();
      String here = own.isEmpty() ? watched.get() : own;
      return here.isEmpty() && withReplicas ? replicas.get() : here;
    }

    public void notReady(String why) {
      reason.set(why);
    }
  }

  /**
   * Starts to listen.
   *
   * @param option the key or option that sets the port, for error messages
   * @param router the process's own routes
   * @throws StartFailure if the port is taken or cannot be bound
   */
  public static HttpListener start(Vertx vertx, HttpSettings settings, String option, Router router)
      throws StartFailure {
    ServerConnections connections = new ServerConnections(ServerConnections.MOST, System::nanoTime);
    vertx.setPeriodic(LOOK_EVERY.toMillis(), id -> connections.look());
    return start(vertx, settings, option, router, connections);
  }

  static HttpListener start(
      Vertx vertx,
      HttpSettings settings,
      String option,
      Router router,
      ServerConnections connections)
      throws StartFailure {
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost(settings.host())
            .setPort(settings.port())
            .setMaxInitialLineLength(MAX_REQUEST_LINE)
            .setMaxHeaderSize(MAX_HEADERS)
            .setMaxFormAttributeSize(MAX_FORM_FIELD)
            .setMaxFormBufferedBytes(MAX_FORM_FIELD)
            .setMaxFormFields(MAX_FORM_FIELDS)
            // Clients that offer the upgrade to HTTP/2 work without it, and its limits differ.
            .setHttp2ClearTextEnabled(false)
            // No route uses web sockets.
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false)
            // A client that sends Expect: 100-continue would wait for a second.
            .setHandle100ContinueAutomatically(true)
            .setCompressionSupported(true)
            // A third of the CPU time of the default level for 10 % more bytes.
            .setCompressionLevel(1)
            .setCompressionContentSizeThreshold(COMPRESS_FROM)
            .setIdleTimeout(120)
            .setIdleTimeoutUnit(TimeUnit.SECONDS)
            .setTcpNoDelay(true);
    Optional<TlsSettings> tls = settings.tls();
    tls.ifPresent(
        with -> {
          SecretFile.warn(with.key());
          ServerSSLOptions ssl = ssl(with);
          options
              .setSsl(true)
              .setUseAlpn(false)
              .setKeyCertOptions(ssl.getKeyCertOptions())
              .setTrustOptions(ssl.getTrustOptions())
              .setClientAuth(ssl.getClientAuth())
              .setEnabledSecureTransportProtocols(ssl.getEnabledSecureTransportProtocols());
        });
    HttpServer server =
        vertx
            .createHttpServer(options)
            .connectionHandler(connections::opened)
            .requestHandler(
                request -> {
                  connections.requested(request);
                  router.handle(request);
                })
            .invalidRequestHandler(HttpListener::refuseUnreadable);
    try {
      server.listen().await(BIND_SECONDS, TimeUnit.SECONDS);
      tls.ifPresent(with -> renew(vertx, server, with));
      return new HttpListener(server, connections);
    } catch (Exception e) {
      String where = "port " + settings.port() + " on " + settings.host();
      throw new StartFailure(
          EventLoops.isTaken(e)
              ? where + " is in use; choose another with " + option
              : where + " cannot be bound: " + e.getMessage() + "; it is chosen with " + option,
          e);
    }
  }

  /** Answers a request whose head cannot be read, and closes its connection. */
  private static void refuseUnreadable(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    int status = 400;
    String why = "the request line or headers are not valid HTTP/1.1";
    if (cause instanceof TooLongHttpLineException) {
      status = 414;
      why =
          "the request line has more than the "
              + MAX_REQUEST_LINE
              + " bytes that are allowed; send parameters in a form by POST";
    } else if (cause instanceof TooLongHttpHeaderException) {
      status = 431;
      why = "the headers have more than the " + MAX_HEADERS + " bytes that are allowed";
    }
    request
        .response()
        .setStatusCode(status)
        .putHeader("Connection", "close")
        .putHeader("Content-Type", "text/plain; charset=utf-8")
        .end(why + "\n")
        .onComplete(done -> request.connection().close());
  }

  /** The limit that a form which could not be read exceeds; empty if it exceeds none. */
  public static String exceededFormLimit(Throwable failure) {
    return failure instanceof TooManyFormFieldsException
        ? "the form has more than the " + MAX_FORM_FIELDS + " fields that are allowed"
        : "";
  }

  private static ServerSSLOptions ssl(TlsSettings tls) {
    ServerSSLOptions options =
        new ServerSSLOptions()
            .setKeyCertOptions(
                new PemKeyCertOptions()
                    .addCertPath(tls.certificate().toString())
                    .addKeyPath(tls.key().toString()));
    options.setEnabledSecureTransportProtocols(Set.of("TLSv1.3", "TLSv1.2"));
    tls.clientCa()
        .ifPresent(
            ca ->
                options
                    .setClientAuth(ClientAuth.REQUEST)
                    .setTrustOptions(new PemTrustOptions().addCertPath(ca.toString())));
    return options;
  }

  /** Uses renewed certificates for new connections. */
  private static void renew(Vertx vertx, HttpServer server, TlsSettings tls) {
    List<Path> files = new ArrayList<>(List.of(tls.certificate(), tls.key()));
    tls.clientCa().ifPresent(files::add);
    ChangedFiles.watch(
        vertx,
        files,
        () ->
            server
                .updateSSLOptions(ssl(tls), true)
                .onSuccess(done -> LOG.info("the certificate was read again"))
                .onFailure(
                    failure ->
                        LOG.error(
                            "the certificate cannot be used, the previous one stays in use",
                            failure)));
  }

  /**
   * A router with {@code /-/healthy}, {@code /-/ready} and {@code /metrics}.
   *
   * @param moreMetrics text that {@code /metrics} returns before the meters
   * @param mayRead authenticates requests to {@code /metrics}
   */
  public static Router router(
      Vertx vertx,
      Readiness readiness,
      Meters meters,
      Supplier<String> moreMetrics,
      Handler<RoutingContext> mayRead) {
    Router router = Router.router(vertx);
    router.errorHandler(
        404,
        http ->
            http.response()
                .setStatusCode(404)
                .putHeader("Content-Type", "text/plain; charset=utf-8")
                .end("404 page not found\n"));
    // A malformed path is the client's error, so it is not logged as a failure.
    router.errorHandler(
        400,
        http ->
            http.response()
                .setStatusCode(400)
                .putHeader("Content-Type", "text/plain; charset=utf-8")
                .end("400 bad request\n"));
    router
        .get("/-/healthy")
        .handler(
            http ->
                http.response()
                    .putHeader("Content-Type", "text/plain; charset=utf-8")
                    // By which others find out how far their clocks differ.
                    .putHeader(CLOCK, Long.toString(System.currentTimeMillis()))
                    .end("healthy\n"));
    router
        .get("/-/ready")
        .handler(
            http -> {
              List<String> replicas = http.queryParam(REPLICAS);
              if (!replicas.isEmpty() && !replicas.equals(List.of(WHOLE))) {
                http.response()
                    .setStatusCode(400)
                    .putHeader("Content-Type", "text/plain; charset=utf-8")
                    .end(
                        REPLICAS + "=" + replicas.getFirst() + ": the only valid value is whole\n");
                return;
              }
              String reason = readiness.reason(!replicas.isEmpty());
              http.response()
                  .setStatusCode(reason.isEmpty() ? 200 : 503)
                  .putHeader("Content-Type", "text/plain; charset=utf-8")
                  .end(reason.isEmpty() ? "ready\n" : "not ready: " + reason + "\n");
            });
    router
        .get("/metrics")
        .handler(mayRead)
        .handler(
            http ->
                http.response()
                    .putHeader("Content-Type", Meters.CONTENT_TYPE)
                    .end(Buffer.buffer(moreMetrics.get()).appendBytes(meters.exposition())));
    return router;
  }

  /** Declares the metrics of its connections. */
  public void declare(Meters meters) {
    connections.declare(meters);
  }

  /** The port that it listens on, even when the system chose it. */
  public int port() {
    return server.actualPort();
  }

  /** Stops accepting requests, and waits up to 3 s for those in flight. */
  @Override
  public void close() {
    try {
      server
          .shutdown(GRACE.toMillis(), TimeUnit.MILLISECONDS)
          .await(2 * GRACE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the HTTP server did not close within " + GRACE, e);
    }
  }
}
