package io.fleetgauge.operator.client;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import picocli.CommandLine.Option;

/** The query API that a command asks, by its options. */
public final class QueryApi {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
  private static final Duration ANSWER_LIMIT = Duration.ofHours(2);
  private static final int MAX_ERROR_BYTES = 64 << 10;
  private static final int MAX_ANSWER_BYTES = 64 << 20;

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "http://localhost:9090",
      description = "The query API. Default: http://localhost:9090.")
  private String url;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with a token that has the rights that this needs.")
  private Path tokenFile;

  @Option(
      names = "--ca-file",
      paramLabel = "FILE",
      description =
          "Certificates (PEM) that the query API's is checked against. Default: those of the"
              + " JVM.")
  private Path caFile;

  /** Why there is no answer. */
  public static final class Failure extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    Failure(String message) {
      this(message, 0);
    }

    Failure(String message, int status) {
      super(message);
      this.status = status;
    }

    /** The status of the answer; 0 if there was none. */
    public int status() {
      return status;
    }
  }

  /** Reads an answer. */
  @FunctionalInterface
  public interface Reader {
    void read(HttpHeaders headers, InputStream body) throws IOException, Failure;
  }

  /** Where it is. */
  public String url() {
    return url;
  }

  /**
   * Asks.
   *
   * @param parameters those with an empty value are left out
   * @throws Failure if there is no answer with status 200, or it cannot be read
   */
  public void get(String path, List<Map.Entry<String, String>> parameters, Reader reader)
      throws Failure, InterruptedException {
    HttpRequest request = request(path, parameters);
    try (HttpClient client = client()) {
      HttpResponse<InputStream> answer =
          client.send(request, HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = answer.body()) {
        if (answer.statusCode() != 200) {
          throw new Failure(
              url + " answers with status " + answer.statusCode() + ": " + error(body),
              answer.statusCode());
        }
        reader.read(answer.headers(), body);
      }
    } catch (IOException e) {
      throw new Failure(url + " cannot be asked: " + e);
    }
  }

  /** The JSON object that is the answer to a question. */
  public JsonObject object(String path, List<Map.Entry<String, String>> parameters)
      throws Failure, InterruptedException {
    JsonObject[] answer = new JsonObject[1];
    get(
        path,
        parameters,
        (headers, body) -> {
          byte[] bytes = body.readNBytes(MAX_ANSWER_BYTES + 1);
          if (bytes.length > MAX_ANSWER_BYTES) {
            throw new Failure(url + ": the answer has more than " + MAX_ANSWER_BYTES + " bytes");
          }
          try {
            answer[0] = new JsonObject(new String(bytes, StandardCharsets.UTF_8));
          } catch (DecodeException e) {
            throw new Failure(url + path + " answers with what is no JSON: " + e.getMessage());
          }
        });
    return answer[0];
  }

  /** The file with the certificates that are trusted; null for those of the JVM. */
  public Path caFile() {
    return caFile;
  }

  private HttpClient client() throws Failure {
    HttpClient.Builder client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT_LIMIT);
    return caFile == null ? client.build() : client.sslContext(trusting(caFile)).build();
  }

  private static SSLContext trusting(Path file) throws Failure {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        trusted.setCertificateEntry("ca-" + trusted.size(), each);
      }
      if (trusted.size() == 0) {
        throw new Failure("--ca-file " + file + " has no certificate in PEM form");
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new Failure("--ca-file " + file + " cannot be read: " + e);
    }
  }

  private HttpRequest request(String path, List<Map.Entry<String, String>> parameters)
      throws Failure {
    HttpRequest.Builder request;
    try {
      request =
          HttpRequest.newBuilder(
                  URI.create(url.replaceFirst("/+$", "") + path + encoded(parameters)))
              .timeout(ANSWER_LIMIT);
    } catch (IllegalArgumentException e) {
      throw new Failure("--url " + url + " is no address such as http://localhost:9090");
    }
    authorize(request);
    return request.build();
  }

  private void authorize(HttpRequest.Builder request) throws Failure {
    if (tokenFile != null) {
      try {
        request.header("Authorization", "Bearer " + token());
      } catch (IllegalArgumentException e) {
        throw new Failure("--token-file " + tokenFile + " has more than a token in it");
      }
    }
  }

  private String token() throws Failure {
    try {
      String token = Files.readString(tokenFile).strip();
      if (token.isEmpty()) {
        throw new Failure("--token-file " + tokenFile + " is empty");
      }
      return token;
    } catch (IOException e) {
      throw new Failure("--token-file " + tokenFile + " cannot be read: " + e);
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
  private static String error(InputStream body) throws IOException {
    String text = new String(body.readNBytes(MAX_ERROR_BYTES), StandardCharsets.UTF_8).strip();
    try {
      return Optional.ofNullable(new JsonObject(text).getString("error")).orElse(text);
    } catch (DecodeException | ClassCastException e) {
      return text;
    }
  }
}
