package io.fleetgauge.operator.client;

import io.fleetgauge.runtime.http.ClientTls;
import io.fleetgauge.runtime.http.Credentials;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.HttpFailure;
import io.fleetgauge.runtime.http.WebRequest;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** The query API that a command asks, by its options. For one thread. */
public final class QueryApi implements AutoCloseable {
  private static final long ANSWER_MILLIS = 2 * 3_600_000L;
  private static final int PIPE_BYTES = 64 << 10;
  private static final int OK = 200;
  private static final HttpClients.Limits LIMITS = new HttpClients.Limits(10_000, 60, 1, 1);

  private Vertx vertx;
  private WebRequests client;

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "http://localhost:9090",
      description = "The query API. Default: http://localhost:9090.")
  private String url;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with a token that has the required permissions.")
  private Path tokenFile;

  @Option(
      names = "--ca-file",
      paramLabel = "FILE",
      description =
          "CA certificates (PEM) to verify the query API's certificate. Default: those of the JVM.")
  private Path caFile;

  /** Ends a question whose answer has another status than 200. */
  public static final class Failure extends CommandFailure {
    private static final long serialVersionUID = 1L;

    private final int status;

    Failure(String message, int status) {
      super(message);
      this.status = status;
    }

    /** The status of the answer. */
    public int status() {
      return status;
    }
  }

  /** Reads an answer while it comes; of one whose status is not 200 there is nothing to read. */
  @FunctionalInterface
  public interface Reader {
    void read(InputStream body) throws IOException;
  }

  /** The address as it was given. */
  public String url() {
    return url;
  }

  /**
   * Asks.
   *
   * @param parameters those with an empty value are left out
   * @return the answer without its body
   * @throws CommandFailure if there is no answer with status 200, or it cannot be read
   */
  public HttpAnswer get(String path, List<Map.Entry<String, String>> parameters, Reader reader)
      throws CommandFailure {
    WebRequest request = request(path, parameters);
    try (PipedInputStream body = new PipedInputStream(PIPE_BYTES);
        PipedOutputStream pipe = new PipedOutputStream(body)) {
      Future<HttpAnswer> answer = request.into(pipe).send().onComplete(done -> close(pipe));
      reader.read(body);
      return good(answer);
    } catch (IOException e) {
      throw new CommandFailure(url + " cannot be reached: " + e.getMessage());
    }
  }

  private static void close(OutputStream pipe) {
    try {
      pipe.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // closing a pipe does not write
    }
  }

  private HttpAnswer good(Future<HttpAnswer> asked) throws CommandFailure {
    HttpAnswer answer;
    try {
      answer = asked.await();
    } catch (Exception e) { // await() throws checked exceptions too
      String why = e instanceof HttpFailure failure ? failure.reason() : e.toString();
      throw new CommandFailure(url + " cannot be reached: " + why);
    }
    if (answer.status() != OK) {
      throw new Failure(
          url + " responds with status " + answer.status() + ": " + error(answer.text().strip()),
          answer.status());
    }
    return answer;
  }

  /** The JSON object that is the answer to a question. */
  public JsonObject object(String path, List<Map.Entry<String, String>> parameters)
      throws CommandFailure {
    HttpAnswer answer = good(request(path, parameters).send());
    try {
      return answer.body().toJsonObject();
    } catch (DecodeException e) {
      throw new CommandFailure(url + path + " responds with invalid JSON: " + e.getMessage());
    }
  }

  /** The data of an answer in Prometheus's envelope, whose warnings are told. */
  public JsonObject data(
      String path, List<Map.Entry<String, String>> parameters, Consumer<String> warn)
      throws CommandFailure {
    JsonObject envelope = object(path, parameters);
    envelope.getJsonArray("warnings", new JsonArray()).forEach(each -> warn.accept("" + each));
    if (envelope.getValue("data") instanceof JsonObject data) {
      return data;
    }
    throw new CommandFailure("the response has no object \"data\"; is this a query API?");
  }

  /** The file with the certificates that are trusted; null for those of the JVM. */
  public Path caFile() {
    return caFile;
  }

  private WebRequest request(String path, List<Map.Entry<String, String>> parameters)
      throws CommandFailure {
    URI server = GatewayAccess.address("--url", url, "http://localhost:9090");
    URI target = URI.create(server + path + encoded(parameters));
    if (client == null) {
      if (caFile != null) {
        checkAuthority();
      }
      // Whoever reads the output may take any time.
      vertx = Vertx.vertx(new VertxOptions().setBlockedThreadCheckInterval(ANSWER_MILLIS));
      Optional<Path> authority = Optional.ofNullable(caFile);
      ClientTls tls =
          new ClientTls("--ca-file", authority, Optional.empty(), Optional.empty(), false);
      client = new WebRequests(vertx, tls, Credentials.NONE, LIMITS);
    }
    WebRequest request = client.to(HttpMethod.GET, target, ANSWER_MILLIS);
    return tokenFile == null ? request : request.header("Authorization", "Bearer " + token());
  }

  private void checkAuthority() throws CommandFailure {
    try (InputStream in = Files.newInputStream(caFile)) {
      if (CertificateFactory.getInstance("X.509").generateCertificates(in).isEmpty()) {
        throw new CommandFailure("--ca-file " + caFile + " has no certificate in PEM form");
      }
    } catch (IOException | CertificateException e) {
      throw new CommandFailure("--ca-file " + caFile + " cannot be read: " + e);
    }
  }

  private String token() throws CommandFailure {
    try {
      String token = Files.readString(tokenFile).strip();
      if (token.isEmpty()) {
        throw new CommandFailure("--token-file " + tokenFile + " is empty");
      }
      if (!token.matches("\\p{Graph}+")) {
        throw new CommandFailure(
            "--token-file "
                + tokenFile
                + " is not one token of printable ASCII characters without blanks");
      }
      return token;
    } catch (IOException e) {
      throw new CommandFailure("--token-file " + tokenFile + " cannot be read: " + e);
    }
  }

  private static String encoded(List<Map.Entry<String, String>> parameters) {
    StringJoiner encoded = new StringJoiner("&", "?", "").setEmptyValue("");
    for (Map.Entry<String, String> each : parameters) {
      if (!each.getValue().isEmpty()) {
        encoded.add(
            URLEncoder.encode(each.getKey(), StandardCharsets.UTF_8)
                + "="
                + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8));
      }
    }
    return encoded.toString();
  }

  /** The text of an error in Prometheus's envelope, or else the beginning of the body. */
  private static String error(String text) {
    try {
      return Optional.ofNullable(new JsonObject(text).getString("error")).orElse(text);
    } catch (DecodeException | ClassCastException e) {
      return text;
    }
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
      vertx.close();
      client = null;
    }
  }
}
