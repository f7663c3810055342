package io.fleetgauge.load.fleet;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real Alertmanager, alone in its cluster. */
public final class AlertmanagerServer implements AutoCloseable {
  private static final String TEMPLATES = "/usr/share/prometheus/alertmanager";
  private static final Duration START_LIMIT = Duration.ofSeconds(30);

  private final HttpClient client = HttpClient.newHttpClient();
  private final URI address;
  private final Process process;

  /**
   * @param folder for its data and its log
   */
  public AlertmanagerServer(Path config, Path folder, String host, int port)
      throws IOException, InterruptedException {
    address = URI.create("http://" + host + ":" + port);
    process =
        new ProcessBuilder(
                program(folder).toString(),
                "--config.file=" + config,
                "--storage.path=" + folder.resolve("data"),
                "--web.listen-address=" + host + ":" + port,
                "--cluster.listen-address=")
            .directory(
                PeerPrograms.folder().resolve(TEMPLATES.substring("/usr/".length())).toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("alertmanager.log").toFile())
            .start();
    awaitReady(folder);
  }

  /**
   * Debian's Alertmanager reads its templates from a folder of the system, which is there only when
   * it is installed: a copy of the program reads them from where it is started.
   */
  private static Path program(Path folder) throws IOException {
    Path copy = folder.resolve("prometheus-alertmanager");
    if (!Files.exists(copy)) {
      byte[] bytes = Files.readAllBytes(PeerPrograms.program("prometheus-alertmanager"));
      String here = "." + "/".repeat(TEMPLATES.length() - 1);
      Files.write(
          copy,
          new String(bytes, StandardCharsets.ISO_8859_1)
              .replace(TEMPLATES, here)
              .getBytes(StandardCharsets.ISO_8859_1));
      Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwx------"));
    }
    return copy;
  }

  private void awaitReady(Path folder) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (true) {
      try {
        if (get("/-/ready").statusCode() == 200) {
          return;
        }
      } catch (ConnectException e) {
        // Not listening yet.
      }
      if (!process.isAlive() || System.nanoTime() > deadline) {
        String log = Files.readString(folder.resolve("alertmanager.log"));
        close();
        throw new IllegalStateException("Alertmanager does not start: " + log);
      }
      process.waitFor(20, TimeUnit.MILLISECONDS);
    }
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(address.resolve(path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  public URI address() {
    return address;
  }

  /** Every alert that has not ended, silenced and inhibited ones too: a list in JSON. */
  public String alerts() throws IOException, InterruptedException {
    return get("/api/v2/alerts").body();
  }

  /** What amtool prints, asking this Alertmanager. */
  public String amtool(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(PeerPrograms.program("amtool").toString(), "--alertmanager.url=" + address));
    command.addAll(List.of(arguments));
    Process amtool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(amtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (amtool.waitFor() != 0) {
      throw new IllegalStateException("amtool fails: " + output);
    }
    return output;
  }

  @Override
  public void close() {
    process.destroy();
    process
        .onExit()
        .orTimeout(10, TimeUnit.SECONDS)
        .exceptionally(late -> process.destroyForcibly())
        .join();
  }
}
