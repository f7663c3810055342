package io.fleetgauge.load.senders;

import io.fleetgauge.load.fleet.PeerProcess;
import io.fleetgauge.load.fleet.PeerPrograms;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** A real VictoriaMetrics on loopback, which keeps all that it gets, also what it gets twice. */
final class VictoriaMetricsServer implements AutoCloseable {
  private final PeerProcess process;

  /**
   * @param folder for its data and its log
   */
  VictoriaMetricsServer(Path folder, int port) throws IOException, InterruptedException {
    process =
        new PeerProcess(
            List.of(
                PeerPrograms.program("victoria-metrics").toString(),
                "-storageDataPath=" + folder.resolve("data"),
                "-httpListenAddr=127.0.0.1:" + port,
                "-retentionPeriod=10y",
                "-search.latencyOffset=0s",
                "-memory.allowedBytes=256MB"),
            folder,
            folder.resolve("victoria-metrics.log"),
            URI.create("http://127.0.0.1:" + port),
            "/health");
  }

  @Override
  public void close() {
    process.close();
  }
}
