package io.fleetgauge.load.fleet;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A program of another project that answers by HTTP, in a process of its own. */
public final class PeerProcess implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofMinutes(3);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  private final HttpClient client = HttpClient.newHttpClient();
  private final ChildProcess process;
  private final URI address;

  /**
   * Starts the program, and returns when it is ready.
   *
   * @param folder where it is started
   * @param log receives what it prints
   * @param address where it listens
   * @param ready the path that answers 200 when it is ready
   * @throws IllegalStateException if it ends, or is not ready soon; the message has its log
   */
  public PeerProcess(List<String> command, Path folder, Path log, URI address, String ready)
      throws IOException, InterruptedException {
    this.address = address;
    process = new ChildProcess(folder, log, Map.of(), command);
    try {
      process.awaitReady(address.resolve(ready), START_LIMIT);
    } catch (IllegalStateException | InterruptedException e) {
      close();
      throw e;
    }
  }

  public URI address() {
    return address;
  }

  public HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(address.resolve(path)).build());
  }

  public HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** Asks it to stop, and waits until it has. */
  @Override
  public void close() {
    process.end(STOP_LIMIT);
  }
}
