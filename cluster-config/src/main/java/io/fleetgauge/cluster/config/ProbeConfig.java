package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigException;
import io.fleetgauge.cluster.config.key.ConfigReader;
import io.fleetgauge.sample.Labels;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Configuration of a probe.
 *
 * @param hostname {@code hostname}: value of the {@code Hostname} label; by default {@code
 *     NODE_NAME} of the environment, else the host's name
 * @param labels {@code labels}: labels of every series of this host, such as its rack
 * @param http where {@code /metrics} is served, port 9400 by default
 * @param gateways {@code gateways}: any gateways to begin with, as http://host:port
 * @param token {@code tokenFile}: the token that gateways want to see
 * @param trust whom it believes to be a gateway
 * @param tick {@code tick}: how often the node is read, 1s to 5m
 * @param proc {@code host.proc}: where the node's proc file system is mounted
 * @param gpus {@code gpu.enabled}: whether GPUs are read
 * @param nvmlLibrary {@code gpu.library}: soname or path of NVML
 * @param spool what waits for an acknowledgement
 */
public record ProbeConfig(
    String hostname,
    Labels labels,
    HttpSettings http,
    List<URI> gateways,
    Optional<Path> token,
    TrustSettings trust,
    Duration tick,
    Path proc,
    boolean gpus,
    String nvmlLibrary,
    SpoolSettings spool,
    LogSettings log) {

  /**
   * @param source what messages call the text
   * @throws ConfigException with every problem there is
   */
  public static ProbeConfig read(String source, String yaml) throws ConfigException {
    ConfigReader in = new ConfigReader(source, yaml);
    String nodeName = System.getenv().getOrDefault("NODE_NAME", "");
    ProbeConfig config =
        new ProbeConfig(
            in.text("hostname", nodeName.isBlank() ? LocalHost.name() : nodeName),
            Labels.of(in.labels("labels")),
            HttpSettings.read(in, 9400),
            in.addresses("gateways", List.of(URI.create("http://127.0.0.1:9500"))),
            in.file("tokenFile"),
            TrustSettings.read(in),
            in.duration(
                "tick", Duration.ofSeconds(15), Duration.ofSeconds(1), Duration.ofMinutes(5)),
            Path.of(in.text("host.proc", "/proc")),
            in.flag("gpu.enabled", true),
            in.text("gpu.library", "libnvidia-ml.so.1"),
            SpoolSettings.read(in),
            LogSettings.read(in));
    in.finish();
    return config;
  }
}
