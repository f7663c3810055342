package io.fleetgauge.load.fleet;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** A real Alertmanager, alone in its cluster. */
public final class AlertmanagerServer implements AutoCloseable {
  private static final String TEMPLATES = "/usr/share/prometheus/alertmanager";

  private final PeerProcess process;

  /**
   * @param folder for its data and its log
   */
  public AlertmanagerServer(Path config, Path folder, String host, int port)
      throws IOException, InterruptedException {
    process =
        new PeerProcess(
            List.of(
                program(folder).toString(),
                "--config.file=" + config,
                "--storage.path=" + folder.resolve("data"),
                "--web.listen-address=" + host + ":" + port,
                "--cluster.listen-address="),
            PeerPrograms.folder().resolve(TEMPLATES.substring("/usr/".length())),
            folder.resolve("alertmanager.log"),
            URI.create("http://" + host + ":" + port),
            "/-/ready");
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

  public URI address() {
    return process.address();
  }

  /** Every alert that has not ended, silenced and inhibited ones too: a list in JSON. */
  public String alerts() throws IOException, InterruptedException {
    return process.get("/api/v2/alerts").body();
  }

  /** Output of amtool, asking this Alertmanager. */
  public String amtool(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(PeerPrograms.program("amtool").toString(), "--alertmanager.url=" + address()));
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
    process.close();
  }
}
