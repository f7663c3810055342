package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which container runtimes a probe asks for the names of containers.
 *
 * @param docker {@code attribution.runtimes.docker}
 * @param cri {@code attribution.runtimes.cri}
 * @param every {@code attribution.runtimes.every}
 * @param timeout {@code attribution.runtimes.timeout}
 */
public record RuntimeSettings(List<Path> docker, List<Path> cri, Duration every, Duration timeout) {
  private static final String SECTION = "attribution.runtimes.";

  private static final Key<List<Path>> DOCKER =
      sockets(
          "docker",
          "Unix sockets of Docker, and of Podman, which has the same API.",
          "/run/docker.sock",
          "/run/podman/podman.sock");
  private static final Key<List<Path>> CRI =
      sockets(
          "cri",
          "Unix sockets of the container runtime interface (CRI): containerd, CRI-O and others.",
          "/run/containerd/containerd.sock",
          "/run/crio/crio.sock",
          "/run/k3s/containerd/containerd.sock",
          "/run/cri-dockerd.sock");
  private static final Key<Duration> EVERY =
      Key.of(
          SECTION + "every",
          KeyType.duration(Duration.ofSeconds(1), Duration.ofMinutes(10)),
          Duration.ofSeconds(10),
          "Interval between queries of runtimes while the name of a container on a GPU is"
              + " unknown; otherwise they are queried six times less often.");
  private static final Key<Duration> TIMEOUT =
      Key.of(
          SECTION + "timeout",
          KeyType.duration(Duration.ofMillis(100), Duration.ofMinutes(1)),
          Duration.ofSeconds(5),
          "Timeout of a query of a runtime.");

  private static Key<List<Path>> sockets(String name, String meaning, String... usual) {
    return Key.of(
        SECTION + name,
        KeyType.listOf(KeyType.path(), 0),
        Stream.of(usual).map(Path::of).toList(),
        meaning + " Missing ones are ignored.");
  }

  public static RuntimeSettings read(ConfigReader in) {
    return new RuntimeSettings(in.get(DOCKER), in.get(CRI), in.get(EVERY), in.get(TIMEOUT));
  }
}
