package io.fleetgauge.cluster.process;

import io.fleetgauge.cluster.config.HttpSettings;
import io.fleetgauge.cluster.config.TlsSettings;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
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
  /** Longest request line: a query of 64 KiB fits into a GET. */
  private static final int MAX_REQUEST_LINE = 128 << 10;

  private static final int MAX_HEADERS = 64 << 10;

  /** Longest field of a form, bytes; the limits of what is in it are said by who reads it. */
  private static final int MAX_FORM_FIELD = 4 << 20;

  /** So many selectors and some more. */
  private static final int MAX_FORM_FIELDS = 1_100;

  /** Shorter bodies are not worth the work of compressing them, bytes. */
  private static final int COMPRESS_FROM = 1_024;

  private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);
  private static final Duration GRACE = Duration.ofSeconds(3);

  private final HttpServer server;

  private HttpListener(HttpServer server) {
    this.server = server;
  }

  /** Why a process is not ready; empty text when it is. */
  public static final class Readiness {
    private final AtomicReference<String> reason = new AtomicReference<>("starting");
    private volatile Supplier<String> watched = () -> "";

    public void ready() {
      reason.set("");
    }

    /**
     * Asks, each time, whether something else keeps the process from being ready.
     *
     * @param trouble what it is; empty when nothing does
     */
    public void watch(Supplier<String> trouble) {
      watched = trouble;
    }

    private String reason() {
      String own = reason.get();
      return own.isEmpty() ? watched.get() : own;
    }

    public void notReady(String why) {
      reason.set(why);
    }
  }

  /**
   * Listens.
   *
   * @param option what chooses the port, for the message when it is taken
   * @param router the process's own routes
   * @throws StartFailure if the port is taken or cannot be bound
   */
  public static HttpListener start(Vertx vertx, HttpSettings settings, String option, Router router)
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
            // Nobody asks for it but clients that upgrade by habit, and its limits are others.
            .setHttp2ClearTextEnabled(false)
            // Nobody opens a web socket here.
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false)
            // Whoever asks before it sends a body would wait for a second.
            .setHandle100ContinueAutomatically(true)
            .setCompressionSupported(true)
            // A third of the work of the usual level for a tenth more bytes.
            .setCompressionLevel(1)
            .setCompressionContentSizeThreshold(COMPRESS_FROM)
            .setIdleTimeout(120)
            .setIdleTimeoutUnit(TimeUnit.SECONDS)
            .setTcpNoDelay(true);
    Optional<TlsSettings> tls = settings.tls();
    tls.ifPresent(
        with -> {
          ServerSSLOptions ssl = ssl(with);
          options
              .setSsl(true)
              .setUseAlpn(false)
              .setKeyCertOptions(ssl.getKeyCertOptions())
              .setTrustOptions(ssl.getTrustOptions())
              .setClientAuth(ssl.getClientAuth())
              .setEnabledSecureTransportProtocols(ssl.getEnabledSecureTransportProtocols());
        });
    HttpServer server = vertx.createHttpServer(options).requestHandler(router);
    try {
      server.listen().await(10, TimeUnit.SECONDS);
      tls.ifPresent(with -> renew(vertx, server, with));
      return new HttpListener(server);
    } catch (Exception e) {
      String where = "port " + settings.port() + " on " + settings.host();
      throw new StartFailure(
          EventLoops.isTaken(e)
              ? where + " is in use; choose another with " + option
              : where + " cannot be bound: " + e.getMessage() + "; it is chosen with " + option,
          e);
    }
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

  /** Takes certificates that have been renewed, for connections from then on. */
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
                            "the certificate cannot be used, the one before stays", failure)));
  }

  /**
   * A router with {@code /-/healthy}, {@code /-/ready} and {@code /metrics}.
   *
   * @param moreMetrics text that {@code /metrics} shows before the meters
   * @param mayRead lets whoever may see them in to {@code /metrics}
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
    // Paths that cannot be read come from clients that are wrong, and are no failure of ours.
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
                    .end("healthy\n"));
    router
        .get("/-/ready")
        .handler(
            http -> {
              String reason = readiness.reason();
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

  /** The port it listens on, also when the system chose it. */
  public int port() {
    return server.actualPort();
  }

  /** Lets requests in flight finish, for a while. */
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
