package io.fleetgauge.distribution.training;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/** Asks the processes that are trained. */
final class TrainingClient {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** A full lane is answered with 429 and a time after which to send again. */
  private static final int TRIES = 100;

  private final HttpClient client;
  private final String token;

  TrainingClient(SSLContext context, String token) {
    this.client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(context).build();
    this.token = token;
  }

  void awaitReady(URI address, TrainedProcess process, int seconds)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!isReady(address)) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        throw process.failure("does not become ready");
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private boolean isReady(URI address) throws InterruptedException {
    try {
      return send(request(address.resolve("/-/ready"))).statusCode() == 200;
    } catch (IOException e) {
      return false; // not listening yet
    }
  }

  /** Sends a remote write, again and again while there is no room for it. */
  void write(URI address, byte[] body, boolean second) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        request(address.resolve("/api/v1/write"))
            .header("Content-Encoding", "snappy")
            .header(
                "Content-Type",
                "application/x-protobuf" + (second ? ";proto=io.prometheus.write.v2.Request" : ""))
            .header("X-Prometheus-Remote-Write-Version", second ? "2.0.0" : "0.1.0")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    HttpResponse<byte[]> response = send(request);
    for (int i = 0; i < TRIES && isBusy(response); i++) {
      TimeUnit.MILLISECONDS.sleep(200);
      response = send(request);
    }
    require(response, "a remote write");
  }

  private static boolean isBusy(HttpResponse<byte[]> response) {
    return response.statusCode() == 429 || response.statusCode() == 503;
  }

  void get(URI address, String path) throws IOException, InterruptedException {
    require(send(request(address.resolve(path))), path);
  }

  /** Waits until an instant query has a result. */
  void awaitResult(URI address, String query, int seconds)
      throws IOException, InterruptedException {
    URI path =
        address.resolve("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    String answer = "";
    while (!answer.contains("\"value\"")) {
      if (System.nanoTime() > deadline) {
        throw new IOException(query + " has the response " + answer);
      }
      TimeUnit.MILLISECONDS.sleep(100);
      answer = new String(send(request(path)).body(), StandardCharsets.UTF_8);
    }
  }

  private static void require(HttpResponse<byte[]> response, String what) throws IOException {
    if (response.statusCode() / 100 != 2) {
      throw new IOException(
          what + " has the response " + response.statusCode() + ": " + new String(response.body()));
    }
  }

  private HttpRequest.Builder request(URI address) {
    return HttpRequest.newBuilder(address)
        .timeout(LIMIT)
        .header("Authorization", "Bearer " + token);
  }

  private HttpResponse<byte[]> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }
}
