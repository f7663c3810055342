package io.fleetgauge.load.compare;

import io.fleetgauge.load.fleet.PeerProcess;
import io.fleetgauge.load.fleet.PeerPrograms;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** A real vmalert on loopback, which evaluates rules against a query API. */
final class VmalertServer implements AutoCloseable {
  private final PeerProcess process;

  /**
   * @param folder for its log
   * @param query where it asks
   * @param notifier where it sends alerts
   * @param write where it stores what rules record
   */
  VmalertServer(Path folder, int port, Path rules, URI query, String notifier, URI write)
      throws IOException, InterruptedException {
    process =
        new PeerProcess(
            List.of(
                PeerPrograms.program("vmalert").toString(),
                "-rule=" + rules,
                "-datasource.url=" + query,
                "-notifier.url=http://" + notifier,
                "-remoteWrite.url=" + write,
                "-remoteWrite.flushInterval=200ms",
                "-rule.evalDelay=0s",
                "-evaluationInterval=2s",
                "-external.label=site=s1",
                "-disableAlertgroupLabel",
                "-httpListenAddr=127.0.0.1:" + port),
            folder,
            folder.resolve("vmalert.log"),
            URI.create("http://127.0.0.1:" + port),
            "/health");
  }

  URI address() {
    return process.address();
  }

  @Override
  public void close() {
    process.close();
  }
}
