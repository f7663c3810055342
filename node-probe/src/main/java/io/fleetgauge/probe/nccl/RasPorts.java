package io.fleetgauge.probe.nccl;

import io.fleetgauge.probe.config.NcclSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A look at the RAS ports of the node, for who asks whether they can be read. */
public final class RasPorts {
  private RasPorts() {}

  /**
   * What becomes of a connection to each address at which a process listens, in the network
   * namespace of the caller: no text when it answers, else why it does not.
   *
   * @param proc where the proc file system of the node is mounted
   */
  public static Map<String, String> look(NcclSettings settings, Path proc) {
    RasClient client = new RasClient(RasThread.MOST_BYTES, settings.timeout());
    Map<String, String> found = new TreeMap<>();
    for (InetSocketAddress server : settings.servers()) {
      if (Listeners.count(proc.resolve("self/net"), Set.of(server.getPort())) > 0) {
        String refusal = "";
        try {
          client.greeting(server);
        } catch (IOException e) {
          refusal = e.getMessage();
        }
        found.put(server.getAddress().getHostAddress() + ":" + server.getPort(), refusal);
      }
    }
    return found;
  }
}
