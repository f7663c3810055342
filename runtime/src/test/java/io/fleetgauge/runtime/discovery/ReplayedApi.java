package io.fleetgauge.runtime.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PfxOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An HTTP server that answers each request as the test says, and remembers them. */
public final class ReplayedApi implements AutoCloseable {
  /** METHOD PATH of each request, with the header of its token behind a blank, and its body. */
  final List<String> requests = new CopyOnWriteArrayList<>();

  final List<String> bodies = new CopyOnWriteArrayList<>();

  private final HttpServer server;
  private final boolean isTls;
  private volatile Handler<HttpServerRequest> answer = request -> request.response().end();

  private ReplayedApi(Vertx vertx, Optional<Path> keys, int port) throws Exception {
    isTls = keys.isPresent();
    HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(port);
    keys.ifPresent(
        file ->
            options
                .setSsl(true)
                .setKeyCertOptions(
                    new PfxOptions().setPath(file.toString()).setPassword("password")));
    server =
        vertx
            .createHttpServer(options)
            .requestHandler(
                request -> {
                  String token = request.getHeader("X-Consul-Token");
                  String bearer = request.getHeader("Authorization");
                  requests.add(
                      request.method()
                          + " "
                          + request.uri()
                          + (token == null ? "" : " " + token)
                          + (bearer == null ? "" : " " + bearer));
                  request.body().onSuccess(body -> bodies.add(body.toString()));
                  answer.handle(request);
                })
            .listen()
            .await(120, TimeUnit.SECONDS);
  }

  public static ReplayedApi plain(Vertx vertx) throws Exception {
    return new ReplayedApi(vertx, Optional.empty(), 0);
  }

  public static ReplayedApi plain(Vertx vertx, int port) throws Exception {
    return new ReplayedApi(vertx, Optional.empty(), port);
  }

  /**
   * Over TLS, with a certificate for 127.0.0.1.
   *
   * @param folder gets the file ca.crt; what an earlier call has put there is used again
   */
  public static ReplayedApi secured(Vertx vertx, Path folder) throws Exception {
    Path keys = folder.resolve("keys.p12");
    if (!Files.exists(keys)) {
      keytool(
          "-genkeypair",
          "-keyalg",
          "EC",
          "-dname",
          "CN=api",
          "-ext",
          "SAN=ip:127.0.0.1",
          "-alias",
          "api",
          "-validity",
          "2",
          "-storetype",
          "PKCS12",
          "-keystore",
          keys.toString(),
          "-storepass",
          "password");
      keytool(
          "-exportcert",
          "-rfc",
          "-alias",
          "api",
          "-keystore",
          keys.toString(),
          "-storepass",
          "password",
          "-file",
          folder.resolve("ca.crt").toString());
    }
    return new ReplayedApi(vertx, Optional.of(keys), 0);
  }

  private static void keytool(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin/keytool").toString()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  public void answers(Handler<HttpServerRequest> next) {
    answer = next;
  }

  public void answers(int status, String body) {
    answer = request -> request.response().setStatusCode(status).end(Buffer.buffer(body));
  }

  public int port() {
    return server.actualPort();
  }

  public URI address() {
    return URI.create((isTls ? "https" : "http") + "://127.0.0.1:" + port());
  }

  @Override
  public void close() throws TimeoutException {
    server.close().await(120, TimeUnit.SECONDS);
  }
}
